"""z3 was not told the memory limit, and proofs of systems asked it without any limit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from membar.evidence.certificates.solver import Session
from membar.limits import budget
from membar.limits.solver import ask_within_limits
from membar.objects.proof.smt import ask

_HOLES = 40


def _pigeons() -> str:
    """One more than there are holes: z3 takes forever to see that they do not fit."""
    names = [f"p{number}" for number in range(_HOLES + 1)]
    said = "".join(f"(declare-const {name} Int)(assert (<= 1 {name} {_HOLES}))" for name in names)
    return f"{said}(assert (distinct {' '.join(names)}))"


def test_a_proof_check_ends_with_the_time_limit() -> None:
    with pytest.raises(budget.LimitError, match="time limit"), budget.limited(seconds=0.5, memory=None):
        Session().answers([_pigeons()])


def in_a_fresh_process(function: str) -> None:
    """Calls a function of this module where nothing was asked of z3 before: it may end its process."""
    code = f"from regressions.test_z3_keeps_the_memory_limit import {function}; {function}()"
    tests = Path(__file__).parents[1]
    subprocess.run([sys.executable, "-c", code], cwd=tests, check=True, timeout=120)


def test_a_proof_check_ends_with_the_memory_limit_and_z3_can_be_asked_again() -> None:
    in_a_fresh_process("check_a_proof_within_memory")


def check_a_proof_within_memory() -> None:
    memory = budget.resident_bytes() + (8 << 20)
    session = Session()
    with (
        pytest.raises(budget.LimitError, match="memory limit"),
        budget.limited(seconds=60.0, memory=int(memory / 0.85)),
    ):
        session.answers([_pigeons()])
    assert session.answers(["(assert false)", "(assert true)"]) == ["unsat", "sat"]


def test_an_object_proof_ends_with_the_memory_limit_and_z3_can_be_asked_again() -> None:
    in_a_fresh_process("check_an_object_within_memory")


def check_an_object_within_memory() -> None:
    import z3

    pigeons = z3.Ints(" ".join(f"p{number}" for number in range(_HOLES + 1)))
    solver = z3.Solver()
    solver.add(z3.Distinct(*pigeons), *[z3.And(p >= 1, p <= _HOLES) for p in pigeons])
    memory = budget.resident_bytes() + (8 << 20)
    with (
        pytest.raises(budget.LimitError, match="memory limit"),
        budget.limited(seconds=60.0, memory=int(memory / 0.85)),
    ):
        ask(solver)
    solver = z3.Solver()
    solver.add(pigeons[0] > 3)
    assert ask(solver) == z3.sat


class _NoSettings:
    memory_limits = ()

    def set(self, name: str, value: int) -> None:
        raise AssertionError(name, value)

    def allocated(self) -> int:
        return 0


def test_z3_whose_own_time_is_over_was_not_interrupted() -> None:
    def canceled() -> tuple[str, str]:
        import time

        time.sleep(0.02)
        return "unknown", "canceled"

    def is_unknown(milliseconds: int) -> bool:
        answer = ask_within_limits(
            canceled, settings=_NoSettings(), set_timeout=lambda _: None, milliseconds=milliseconds
        )
        return answer == "unknown"

    assert is_unknown(10)
    with pytest.raises(KeyboardInterrupt):
        is_unknown(60_000)
