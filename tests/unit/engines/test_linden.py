"""The tables and figures of Linden and Wolper, as far as they are quick."""

from __future__ import annotations

import pytest

import membar
from membar.questions import engine_answer

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from linden import algorithms, programs, run
from linden.run import answer, errors, question, stable

from membar.program.program import Program
from membar.questions.outcome import Violated
from membar.questions.task import Options, Task


@pytest.mark.parametrize("program", list(programs.table_two()), ids=lambda program: program.name)
def test_table_two(program: Program) -> None:
    asked = question(program)
    found = asked.forward()
    assert found.stopped is None
    assert bool(errors(found)) is not program.name.endswith("+ sync")
    assert errors(found) == stable(asked)[0]
    assert program.name in run.PAPER


@pytest.mark.parametrize("model", ["x86-tso", "sc"])
def test_table_one_forwarding(model: str) -> None:
    assert bool(errors(question(programs.table_one(), model=model).forward())) is (model == "x86-tso")


def test_figure_two_with_and_without_sleep_sets() -> None:
    asked = question(programs.figure_two())
    with_sleep, without = asked.forward(sleep=True), asked.forward(sleep=False)
    assert with_sleep.visited < without.visited
    assert with_sleep.stored < without.stored
    start = [state.contents for state in with_sleep.unbounded if (state.buffers, state.points) == (2, [0, 0])]
    assert ["((0,1)(0,0))*", "((1,1)(1,0))*"] in start


def test_figure_four_has_both_buffers_cyclic_and_a_deadlock() -> None:
    found = question(programs.figure_four(), deadlocks=True).forward()
    assert ("deadlock", [3, 3]) in [(goal.kind, goal.points) for goal in found.goals]
    start = [state for state in found.unbounded if (state.buffers, state.points) == (2, [0, 0])]
    assert ["((0,1)(0,0))*", "((1,1)(1,0))*"] in [state.contents for state in start]


@pytest.mark.parametrize("count", [2, 3])
def test_other_algorithms(count: int) -> None:
    for program, is_right in algorithms.others(count):
        if program.name == "lamport + fence" and count > 2:
            continue  # seconds: benchmarks/linden/run.py --others has it
        assert answer(program)[0] == ("holds" if is_right else "violated"), program.name


def test_all_errors_are_collected_and_cycles_told() -> None:
    options = Options(unbounded_buffers=True, all_executions=True, algorithm="forward")
    program = programs.peterson(repeated=True, fence=None)
    task = Task(program=program, model=membar.load_model("x86-tso"), properties=("errors",), options=options)
    outcome = engine_answer.answer(task, engine_answer.load_engine("buffers"))
    assert isinstance(outcome, Violated)
    assert outcome.property == "errors"
    notes = "\n".join(outcome.run.notes)
    assert "error states kept; 1 erroneous control state" in notes
    assert "error at p0@critical, p1@critical" in notes
    assert "p0 may repeat a loop any number of times: buffer" in notes
    assert len(outcome.run.executions) == 1
