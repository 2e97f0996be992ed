"""`--property exits` or `deadlock` plainly held of programs whose executions end at a failed assertion."""

from __future__ import annotations

import pytest

import membar
from membar.questions.outcome import Holds, Verdict, Violated
from membar.source import SourceFile

_UP_TO = "up to a failed assertion"
C = SourceFile(
    "p.c",
    """#include <assert.h>
#include <stdlib.h>
int x;
int main(void) { assert(x == 1); exit(1); }
""",
)
PROMELA = SourceFile("p.pml", "byte x;\nactive proctype P() { assert(x == 1); x == 2 }\n")


@pytest.mark.parametrize("engine", ["graphs", "states"])
@pytest.mark.parametrize("name", ["exits", "memory"])
def test_what_holds_up_to_a_failed_assertion_says_so(name: str, engine: str) -> None:
    outcome = membar.check(C, model="sc", properties=(name,), engine=engine).outcome
    assert isinstance(outcome, Holds)
    assert outcome.run.guarantee.endswith(_UP_TO)
    finding = outcome.run.finding(name)
    assert finding is not None
    assert finding.reason == _UP_TO


def test_beside_the_assertion_too() -> None:
    outcome = membar.check(C, model="sc", properties=("assertions", "exits")).outcome
    assert isinstance(outcome, Violated)
    finding = outcome.run.finding("exits")
    assert finding is not None
    assert finding.verdict is Verdict.HOLDS
    assert finding.reason == _UP_TO


@pytest.mark.parametrize("engine", ["graphs", "states"])
@pytest.mark.parametrize("properties", [("deadlock",), ("assertions", "deadlock")])
def test_promela_goes_on_after_an_assertion_as_spin_does(properties: tuple[str, ...], engine: str) -> None:
    outcome = membar.check(PROMELA, model="sc", properties=properties, engine=engine).outcome
    finding = outcome.run.finding("deadlock")
    assert finding is not None
    assert finding.verdict is Verdict.VIOLATED


def test_a_program_without_assertions_has_a_plain_guarantee() -> None:
    source = SourceFile("p.pml", "byte x;\nactive proctype P() { x = 1 }\n")
    run = membar.check(source, model="sc", properties=("deadlock",)).outcome.run
    assert run.guarantee == "all states"
    assert run.findings[0].reason == ""


def test_the_end_of_a_process_hides_nothing() -> None:
    source = SourceFile("p.c", "#include <stdlib.h>\nint main(void) { abort(); }\n")
    run = membar.check(source, model="sc", properties=("deadlock",)).outcome.run
    assert run.guarantee == "all executions"
