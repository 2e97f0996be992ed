"""Several workers find what one finds: counts, states, and the same witnesses in the same order.

So does a search that asks the model nothing about what the past of an access refuses: one that verifies asks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from differential.comparisons import shipped
from differential.searches import BOUND, answer, encoded, features_of
from membar.program.printer import print_program
from membar.program.program import Program
from strategies.programs import Size, sample
from strategies.wider import wide_sample

if TYPE_CHECKING:
    from membar import _core

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

LARGER = Size(threads=(2, 4), accesses=(7, 8))


def programs(name: str) -> Iterator[Program]:
    """Programs of every kind."""
    features = replace(features_of(name), exclusives=True)
    yield from sample(40, features)
    yield from wide_sample(40, features, first=5000)
    yield from wide_sample(15, features, size=LARGER, first=6000)


def witnesses(found: _core.Findings) -> list[object]:
    """Every execution that is shown, in the order in which it is shown."""
    return [
        *(found.state_witness(index) for index in range(len(found.states))),
        *(found.failure_witness(thread) for thread in found.failures),
        *(found.fault_witness(thread) for thread in found.faults),
        *(found.flag_witness(check) for check in found.flags),
        *(found.kept_witness(index) for index in range(found.kept)),
    ]


@pytest.mark.parametrize("name", ["sc", "x86-tso", "rc11"])
def test_any_number_of_workers_finds_the_same(name: str) -> None:
    for program in programs(name):
        try:
            compiled, form = encoded(program, shipped(name))
            one, *others = (
                compiled.search_exactly_once(form, bound=BOUND, keep_all=True, verify=True, jobs=jobs)
                for jobs in (1, 2, 4)
            )
        except OverflowError:  # a thread that is started twice
            continue
        plain = compiled.search_exactly_once(form, bound=BOUND, keep_all=True)
        assert (answer(plain), witnesses(plain)) == (answer(one), witnesses(one)), print_program(program)
        for found in others:
            where = print_program(program)
            assert answer(found) == answer(one), where
            assert (found.nodes, found.cut) == (one.nodes, one.cut), where
            assert (found.duplicates, found.surprises, found.contradictions) == (0, 0, 0), where
            assert witnesses(found) == witnesses(one), where


@pytest.mark.parametrize("jobs", [2, 3])
def test_the_first_failure_is_the_same(jobs: int) -> None:
    failures = 0
    for program in programs("rc11"):
        try:
            compiled, form = encoded(program, shipped("rc11"))
            one, found = (
                compiled.search_exactly_once(form, bound=BOUND, stop_at_failure=True, verify=True, jobs=n)
                for n in (1, jobs)
            )
        except OverflowError:
            continue
        failures += len(one.failures)
        assert (found.stopped, found.failures) == (one.stopped, one.failures)
        assert len(one.failures) <= 1
        for thread in one.failures:
            assert found.failure_witness(thread) == one.failure_witness(thread)
    assert failures >= 5
