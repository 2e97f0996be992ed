"""Violations that are found early, shortest runs where they are cheap, and a few bits for each state."""

from __future__ import annotations

import pytest

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

import membar
from membar.engines.states import explore
from membar.program.program import Program
from membar.questions import engine_answer
from membar.questions.outcome import Outcome, Unknown, Violated
from membar.questions.task import Options, Task
from membar.source import SourceFile
from unit.engines.texts import model

# Breadth-first search meets the failure after nearly all of the 100,000 states, depth-first search at once.
DEEP = """
active [3] proctype Clock() { byte t; do :: t = (t + 1) % 8 od }
active proctype Count() { byte i; do :: i < LAST -> i++ :: i == LAST -> assert(false) od }
"""
HOLDING = """
byte x;
active [2] proctype P() { do :: atomic { x < 100 -> x++ } :: atomic { x > 0 -> x-- } od }
"""


def promela(text: str) -> Program:
    return membar.parse(SourceFile("early.pml", text))


def ask(
    text: str, properties: tuple[str, ...] = ("assertions", "deadlock"), **options: int | bool
) -> Outcome:
    task = Task(
        program=promela(text),
        model=model("sc"),
        properties=properties,
        options=Options(buffers=1, **options),  # type: ignore[arg-type]  # numbers and switches by name
    )
    return engine_answer.answer(task, engine_answer.load_engine("states"))  # replays what it shows


def steps(outcome: Outcome) -> int:
    assert isinstance(outcome, Violated)
    assert outcome.witness is not None
    return len(outcome.witness.steps)


@pytest.mark.parametrize("last", [50, 3])
def test_a_violation_is_the_same_for_every_number_of_threads(last: int) -> None:
    text = DEEP.replace("LAST", str(last))
    outcomes = [ask(text, jobs=jobs) for jobs in (1, 2, 3)]
    assert len({steps(outcome) for outcome in outcomes}) == 1
    assert len({outcome.run.statistics.states for outcome in outcomes}) == 1


def test_a_deep_violation_does_not_take_all_states() -> None:
    everything = explore(
        Task(
            program=promela(DEEP.replace("LAST", "200")),
            model=model("sc"),
            properties=("deadlock",),
            options=Options(buffers=1, stops_early=False, reductions_off=frozenset({"por"})),
        )
    ).statistics.states
    early = ask(DEEP.replace("LAST", "200"), reductions_off=frozenset({"por"}))  # type: ignore[arg-type]
    assert isinstance(early, Violated)
    assert 5 * (early.run.statistics.states or 0) < (everything or 0)


def test_a_cheap_violation_has_a_shortest_run() -> None:
    found = ask(DEEP.replace("LAST", "3"))
    shortest = ask(DEEP.replace("LAST", "3"), shortest=True)
    assert steps(found) == steps(shortest)


def test_a_few_bits_for_each_state_never_show_that_something_holds() -> None:
    outcome = ask(HOLDING, bitstate=True)
    assert isinstance(outcome, Unknown)
    assert "bit-state search" in outcome.reason
    assert "99.9999 %" in outcome.reason


def test_a_few_bits_for_each_state_find_violations() -> None:
    outcome = ask(DEEP.replace("LAST", "200"), bitstate=True)
    assert isinstance(outcome, Violated)


def test_a_few_bits_for_each_state_visit_every_state_of_a_small_program() -> None:
    def visit(*, bitstate: bool) -> int | None:
        options = Options(buffers=1, stops_early=False, bitstate=bitstate, reductions_off=frozenset({"por"}))
        task = Task(program=promela(HOLDING), model=model("sc"), properties=("deadlock",), options=options)
        return explore(task).statistics.states

    assert visit(bitstate=True) == visit(bitstate=False)


def test_a_few_bits_for_each_state_do_not_answer_claims_about_runs() -> None:
    outcome = ask(HOLDING + "ltl { [] <> (x == 0) }", ("claims",), bitstate=True)
    assert isinstance(outcome, Unknown)
    assert "cannot answer LTL" in outcome.reason
