"""Lifting to any number of threads: random programs and known ones."""

from __future__ import annotations

import pytest

import membar
import tiers
from differential.any_threads import (
    Verdict,
    compared,
    concrete_verdict,
    lifted_verdict,
    program,
    random_program,
)
from differential.any_threads_programs import PROGRAMS
from membar.questions import any_threads
from membar.source import SourceFile

MODEL = membar.load_model("x86-tso")
_SEEDS = range(6)


@pytest.mark.parametrize("seed", tiers.first(1, _SEEDS))
def test_random_programs_keep_the_laws(seed: int) -> None:
    found = compared(random_program(seed), MODEL)
    assert found is not None
    assert found.problem is None


def test_random_programs_are_worth_something() -> None:
    verdicts = [
        concrete_verdict(SourceFile("random.c", random_program(seed)), MODEL, 2) for seed in range(12)
    ]
    assert verdicts.count(Verdict.FAILS) >= 3
    assert verdicts.count(Verdict.SAFE) >= 3


def fails(name: str) -> bool:
    source = SourceFile("program.c", program(f"  {PROGRAMS[name][0]}\n"))
    found = lifted_verdict(any_threads.system_of(source, model=MODEL), MODEL, 2)
    assert found is not Verdict.OPEN
    return found is Verdict.FAILS


@pytest.mark.parametrize("name", tiers.every(12, PROGRAMS))
def test_a_known_program_is_lifted_exactly(name: str) -> None:
    source = SourceFile("program.c", program(f"  {PROGRAMS[name][0]}\n"))
    expected = PROGRAMS[name][1]
    assert (concrete_verdict(source, MODEL, 2) is Verdict.FAILS) is expected
    assert fails(name) is expected
