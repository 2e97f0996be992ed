"""z3 was not told the memory limit, and proofs of systems asked it without any limit."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import membar
import tiers
from limits.slow_inputs import EXAMPLES, linear_object
from membar import Answer, Limits, SourceFile, Unknown
from membar.evidence.certificates.solver import Session
from membar.limits import budget
from membar.limits.solver import ask_within_limits
from membar.limits.workers import run_alone
from membar.objects.proof.smt import ask
from membar.reports import terminal

_HOLES = 40


def _pigeons() -> str:
    """One more than there are holes: z3 takes forever to see that they do not fit."""
    names = [f"p{number}" for number in range(_HOLES + 1)]
    said = "".join(f"(declare-const {name} Int)(assert (<= 1 {name} {_HOLES}))" for name in names)
    return f"{said}(assert (distinct {' '.join(names)}))"


def test_a_proof_check_ends_with_the_time_limit() -> None:
    with (
        pytest.raises(budget.LimitError, match="time limit"),
        budget.limit_resources(seconds=0.5, memory=None),
    ):
        Session().answers([_pigeons()])


def _check_a_proof() -> None:
    Session().answers([_pigeons()])


def _prove_an_object() -> None:
    import z3

    pigeons = z3.Ints(" ".join(f"p{number}" for number in range(_HOLES + 1)))
    solver = z3.Solver()
    solver.add(z3.Distinct(*pigeons), *[z3.And(p >= 1, p <= _HOLES) for p in pigeons])
    ask(solver)


def print_reason(work: str, megabytes: int) -> None:
    """Why work ends that may take a little more memory than this process has."""
    memory = int((budget.resident_bytes() + (megabytes << 20)) / 0.85)

    def within_limits() -> str:
        try:
            with budget.limit_resources(seconds=300.0, memory=memory):
                {"proof": _check_a_proof, "object": _prove_an_object}[work]()
        except budget.LimitError as reached:
            return reached.reason
        return "there was enough memory"

    found = run_alone(within_limits, memory=memory)
    print(found.reason if isinstance(found, budget.Ended) else found)  # noqa: T201 - the parent reads it


@pytest.mark.parametrize("work", ["proof", "object"])
@pytest.mark.parametrize("megabytes", tiers.first(2, [1, 8, 2, 3]))
def test_z3_ends_with_the_memory_limit_and_not_with_its_caller(work: str, megabytes: int) -> None:
    """With little memory z3 exits while it reads SMT-LIB, with more it gives up.

    In a process of its own: in one that has much memory, a fifth more is too much for z3 to need.
    """
    module = "regressions.test_z3_keeps_the_memory_limit"
    program = f"import {module} as test; test.print_reason({work!r}, {megabytes})"
    tests = Path(__file__).parents[1]
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=tests, check=True, capture_output=True, text=True, timeout=500
    )
    assert "the memory limit of" in ended.stdout


@pytest.mark.full
def test_questions_from_python_end_with_the_memory_limit() -> None:
    text = SourceFile("linear.obj", linear_object(60)())
    answer = membar.check(text, model="sc", limits=Limits(memory=budget.resident_bytes() + (40 << 20)))
    assert answer.verdict == "unknown"
    assert isinstance(answer.outcome, Unknown)
    assert "the memory limit of" in answer.outcome.reason


def test_the_answer_to_a_question_with_a_memory_limit_is_whole() -> None:
    limits = Limits(memory=1 << 31)
    for name in ("litmus/store-buffering.litmus", "objects/counter.obj", "cubicle/turns.cub"):
        file = EXAMPLES / name
        plain, limited = membar.check(file), membar.check(file, limits=limits)
        assert _without_times(limited) == _without_times(plain)


def _without_times(answer: Answer) -> str:
    return re.sub(r"\d+\.\d+ s\b", "", terminal.render(answer, columns=100))


def test_z3_is_told_no_memory_limit_where_its_end_would_be_the_callers() -> None:
    with budget.limit_resources(seconds=None, memory=1 << 40):
        answer = ask_within_limits(lambda: ("sat", ""), settings=_NoSettings(), set_timeout=lambda _: None)
    assert answer == "sat"


class _NoSettings:
    memory_limits = ()

    def set(self, name: str, value: int) -> None:
        raise AssertionError(name, value)

    def allocated_bytes(self) -> int:
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
