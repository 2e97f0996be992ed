"""Which program order models keep: against what their definitions say."""

from __future__ import annotations

import pytest

from membar.languages.registry import load_model
from membar.models.preserved_pairs import Reordering, reorderable_pairs, reorderings
from membar.program.execution import Execution
from unit.reports.sketch import sketch


def kinds(model: str, execution: Execution) -> set[str] | None:
    """The pairs that a model does not keep, as `WR` and so on; None if it says nothing."""
    plan = load_model(model).plan
    assert plan is not None
    found = reorderable_pairs(plan, execution)
    return (
        None if found is None else {"".join(execution.events[n].kind.value for n in pair) for pair in found}
    )


# One thread with a pair of each kind, to different locations.
EVERY = sketch("W a 1; R b 0; R c 0; W d 1; W e 1", "W b 1; W c 1; R a 1; R e 1; R d 0")[2]


@pytest.mark.parametrize(
    ("model", "loose"),
    [
        ("sc", set()),
        ("x86-tso", {"WR"}),
        ("pso", {"WR", "WW"}),
        ("armv8", {"WR", "WW", "RR", "RW"}),
        ("power", {"WR", "WW", "RR", "RW"}),
        ("riscv", {"WR", "WW", "RR", "RW"}),
        ("rc11", None),
        ("ra", None),
    ],
)
def test_plain_accesses(model: str, loose: set[str] | None) -> None:
    assert kinds(model, EVERY) == loose


def test_fences_keep_what_is_around_them() -> None:
    fenced = sketch("W x 1; F MFENCE; R y 0", "W y 1; F MFENCE; R x 1")[2]
    assert kinds("x86-tso", fenced) == set()
    assert kinds("armv8", sketch("W x 1; F DMB.SY; R y 0", "W y 1; R x 1")[2]) == {"WR"}


def test_accesses_of_one_location_stay_in_order() -> None:
    assert kinds("armv8", sketch("W x 1; R x 1; W x 2", "R x 2; R x 2")[2]) == set()


def test_the_pair_that_explains_a_stale_read() -> None:
    execution = sketch("W x 1; W y 1", "R y 1; R x 0")[2]
    numbers = {(e.kind.value, e.cell): e.id for e in execution.events if not e.is_initial}
    for model, first in (("pso", "W"), ("armv8", "W")):
        plan = load_model(model).plan
        assert plan is not None
        pairs = reorderable_pairs(plan, execution)
        assert pairs is not None
        (found,) = reorderings(execution, pairs)
        assert found == Reordering(numbers["R", 0], numbers["W", 0], numbers[first, 0], numbers[first, 1])
    assert not list(reorderings(execution, frozenset()))
