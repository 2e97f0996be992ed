"""The reference engine, cat and the front ends agree with each other on small fixed samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

import tiers
from differential import classics
from differential.comparisons import (
    Disagreements,
    equality,
    own,
    partition,
    printing,
    readings,
    replays,
    shipped,
    text_answers,
    verdicts,
)
from membar.program.program import Program
from strategies.programs import PLAIN, X86, Size, sample

LONGER = Size(threads=(2, 2), accesses=(7, 8))
EXCLUSIVE = replace(PLAIN, exclusives=True)


def _first(programs: Iterable[Program], compare: Callable[[Program], Disagreements]) -> Disagreements:
    """The disagreements about the first program that has any."""
    return next((found for program in programs if (found := compare(program))), [])


def _readings(name: str) -> Callable[[], Disagreements]:
    return lambda: _first(sample(tiers.size(130), X86), lambda program: readings([program], shipped(name)))


# The checks of the suite, by name, on small samples.
CHECKS: dict[str, Callable[[], Disagreements]] = {
    "sc axioms = machine": _readings("sc"),
    "tso axioms = machine": _readings("x86-tso"),
    "pso axioms = machine": _readings("pso"),
    "longer programs: tso axioms = machine": lambda: _first(
        sample(20, PLAIN, size=LONGER), lambda program: readings([program], shipped("x86-tso"))
    ),
    "exclusives: sc axioms = machine": lambda: _first(
        sample(80, EXCLUSIVE), lambda program: readings([program], shipped("sc"))
    ),
    "executions replay": lambda: _first(
        sample(5, X86), lambda program: replays([program], shipped("x86-tso"))
    ),
    "verdicts follow from final states": lambda: _first(
        sample(40, PLAIN), lambda program: verdicts([program], shipped("sc"))
    ),
    "negation shares out executions": lambda: _first(
        sample(5, PLAIN), lambda p: partition([p], own("total"), own("not-total"), own("anything"))
    ),
    "least fixpoint = closure": lambda: _first(
        sample(40, PLAIN), lambda program: equality([program], own("total"), own("recursive"))
    ),
    "print, then read": lambda: printing(sample(20, X86)),
    "known X86 tests": lambda: text_answers(classics.X86_CASES),
    "known AArch64 tests": lambda: text_answers(classics.AARCH64_CASES),
    "known C tests": lambda: text_answers(classics.C_CASES),
}


@pytest.mark.parametrize("check", tiers.every(2, CHECKS))
def test_every_check_agrees(check: str) -> None:
    assert not CHECKS[check]()
