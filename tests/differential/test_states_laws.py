"""Bounded buffers beside other readings: what more room allows, and what enough room means."""

from __future__ import annotations

import pytest

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from hypothesis import given, settings

import tiers
from differential.states import model, question
from membar.engines import graphs
from membar.engines.states import explore
from membar.program.operations import Store
from membar.program.program import Program
from membar.questions.outcome import FinalState
from membar.questions.task import Options, Task
from strategies.programs import PLAIN, X86, Size, programs

LONGER = programs(PLAIN, size=Size(threads=(2, 2), accesses=(7, 8)))


def outcomes(program: Program, name: str, bound: int) -> tuple[set[FinalState], bool]:
    """The final states, and whether the bound held something back."""
    tally = explore(question(program, name, bound, states=200_000))
    assert tally.limit is None
    return tally.outcomes, tally.buffers_held is not None


def most_stores(program: Program) -> int:
    """More stores than one thread has; the programs have no loops."""
    operations = [op for thread in program.threads for edge in thread.edges for op in edge.operations]
    return 1 + sum(isinstance(op, Store) for op in operations)


@pytest.mark.parametrize("name", ["sc", "x86-tso", "pso"])
@given(program=programs(X86))
@settings(max_examples=tiers.size(60))
def test_enough_room_is_no_bound_at_all(name: str, program: Program) -> None:
    found, held = outcomes(program, name, most_stores(program))
    assert not held
    task = Task(program=program, model=model(name), properties=(), options=Options(stops_early=False))
    assert found == graphs.explore(task).outcomes


@pytest.mark.parametrize("name", ["x86-tso", "pso", "cam"])
@given(program=LONGER)
@settings(max_examples=tiers.size(30))
def test_more_room_allows_more(name: str, program: Program) -> None:
    before, held = outcomes(program, name, 1)
    assert outcomes(program, "sc", 1)[0] <= before
    for bound in (2, 3):
        after, held_again = outcomes(program, name, bound)
        assert before <= after
        assert held or not held_again
        if not held:
            assert before == after
        before, held = after, held_again


@given(program=LONGER)
@settings(max_examples=tiers.size(30))
def test_slots_per_location_are_more_than_entries(program: Program) -> None:
    for bound in (1, 2):
        assert outcomes(program, "x86-tso", bound)[0] <= outcomes(program, "cam", bound)[0]
        assert outcomes(program, "cam", bound)[0] <= outcomes(program, "pso", bound)[0]
