"""What is said about loops that wait where threads wait by other means too, or the program has a question."""

from __future__ import annotations

import pytest

import membar
from membar.languages.mbp import FRONTEND
from membar.properties import PROPERTIES
from membar.questions import engine_answer
from membar.questions.outcome import WORDS, Outcome, Violated
from membar.questions.task import Options, Task
from membar.source import SourceFile

SPIN = """
  {start} -> 8: r := load [&x]
  8 -> 9 when r == 1
  8 -> {start} when !(r == 1)"""
HEAD = "program p\nmemory x : i32\nmemory y : i32\nmemory l : i32\n"
BEHIND_A_LOCK = (
    f"{HEAD}thread P {{ 0 -> 1: lock [&l]{SPIN.format(start=1)}\n 9 -> 10: unlock [&l] }}\n"
    "thread Q { 0 -> 1: lock [&l]\n 1 -> 2: store [&x] := 1\n 2 -> 3: unlock [&l] }"
)
BEHIND_A_WAIT = (
    f"{HEAD}thread P {{{SPIN.format(start=0)} }}\n"
    "thread Q { 0 -> 1: s := load [&y]\n 1 -> 2: wait s == 1\n 2 -> 3: store [&x] := 1 }"
)
WITH_A_QUESTION = (
    f"{HEAD}thread P {{{SPIN.format(start=0)} }}\nthread Q {{ 0 -> 1: store [&x] := 2 }}\nforall 0:r = 1"
)
ALL = tuple(PROPERTIES)


def answered(text: str, engine: str, properties: tuple[str, ...]) -> Outcome:
    program = FRONTEND.parse(SourceFile("p.mbp", text))
    task = Task(program=program, model=membar.load_model("sc"), properties=properties)
    return engine_answer.answer(task, engine_answer.load_engine(engine))


@pytest.mark.parametrize("engine", ["graphs", "reference"])
@pytest.mark.parametrize("text", [BEHIND_A_LOCK, BEHIND_A_WAIT])
def test_a_thread_that_spins_and_one_that_blocks_keep_each_other_waiting(engine: str, text: str) -> None:
    for asked in ("deadlock", "termination"):
        outcome = answered(text, engine, (asked,))
        assert isinstance(outcome, Violated)
        assert outcome.property == asked


@pytest.mark.parametrize("engine", ["graphs", "reference"])
def test_a_question_of_its_own_makes_waiting_a_flag(engine: str) -> None:
    outcome = answered(WITH_A_QUESTION, engine, ALL)
    assert WORDS[type(outcome)] == "holds"
    assert outcome.run.flags == ("waits-forever",)
    assert "termination" not in outcome.run.checked


@pytest.mark.parametrize("engine", ["graphs", "reference"])
def test_waiting_is_a_violation_where_it_was_asked_for(engine: str) -> None:
    outcome = answered(WITH_A_QUESTION, engine, ("termination",))
    assert WORDS[type(outcome)] == "violated"


def test_a_procedure_that_cannot_answer_the_question_does_not_say_holds() -> None:
    threads = "thread P { 0 -> 1: store [&x] := 1 }\nforall x = 2"
    program = FRONTEND.parse(SourceFile("p.mbp", HEAD + threads))
    task = Task(
        program=program,
        model=membar.load_model("x86-tso"),
        properties=ALL,
        options=Options(algorithm="backward"),
    )
    outcome = engine_answer.answer(task, engine_answer.load_engine("buffers"))
    assert WORDS[type(outcome)] == "unknown"
