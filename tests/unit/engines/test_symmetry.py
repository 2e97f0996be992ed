"""Identical threads through the engine: what is explored, what is reported, and how to switch it off."""

from __future__ import annotations

from math import factorial

import pytest

import membar
from membar.engines import graphs
from membar.engines.graphs.search_choice import SYMMETRY
from membar.engines.reference.witness_replay import replay
from membar.program.program import Program
from membar.properties.judge import Tally
from membar.questions.task import Coherence, Options, Task
from membar.reports.terminal import statistics_text
from membar.source import SourceFile

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

INCREMENT = "0 -> 1: r := rmw [&x] := r + 1 read {X} write {X}"
READ = "0 -> 1: r := load [&x]"
WRITE = "0 -> 1: store [&x] := 1"
OFF = frozenset({SYMMETRY})


def program(*threads: str, condition: str = "") -> Program:
    """Threads T0, T1, … of one step each."""
    bodies = "".join(f"thread T{number} {{\n  {body}\n}}\n" for number, body in enumerate(threads))
    return membar.parse(SourceFile("p.mbp", f'program "p"\nmemory x : i32\n{bodies}{condition}\n'))


def explored(asked: Program, *, model: str = "x86-tso", options: Options | None = None) -> Tally:
    """What the engine finds."""
    task = Task(
        program=asked,
        model=membar.load_model(model),
        properties=("condition",),
        options=options or Options(),
    )
    return graphs.explore(task)


@pytest.mark.parametrize("model", ["sc", "x86-tso", "pso", "ra"])
@pytest.mark.parametrize("count", [2, 3, 5])
def test_increments_have_one_execution_to_look_at(model: str, count: int) -> None:
    tally = explored(program(*[INCREMENT] * count), model=model)
    assert tally.statistics.explored == 1
    assert tally.statistics.executions == factorial(count)
    assert len(tally.outcomes) == factorial(count)


@pytest.mark.parametrize("count", [2, 4, 6])
def test_readers_are_told_apart_only_by_how_many_see_the_write(count: int) -> None:
    tally = explored(program(WRITE, *[READ] * count))
    assert tally.statistics.explored == count + 1
    assert tally.statistics.executions == 2**count


def test_equal_writers_write_in_one_order() -> None:
    tally = explored(program(*[WRITE] * 4), options=Options(reductions_off=frozenset()))
    assert (tally.statistics.explored, tally.statistics.executions) == (1, 24)


def test_reports_say_who_is_interchangeable() -> None:
    statistics = explored(program(WRITE, *[READ] * 3)).statistics
    assert statistics.symmetric == (("T1", "T2", "T3"),)
    assert statistics_text(statistics).startswith("8 executions (4 up to symmetry of T1, T2, T3), ")


@pytest.mark.parametrize(
    "options",
    [
        Options(reductions_off=OFF),
        Options(all_executions=True),
    ],
)
def test_switched_off(options: Options) -> None:
    tally = explored(program(*[INCREMENT] * 3), options=options)
    assert tally.statistics.symmetric is None
    assert len(tally.outcomes) == 6


@pytest.mark.parametrize("is_asked_for", [True, False])
def test_classes_are_preferred_only_where_they_are_asked_for(is_asked_for: bool) -> None:  # noqa: FBT001
    options = Options(coherence=Coherence.OBSERVED, coherence_chosen_by_user=is_asked_for)
    statistics = explored(program(*[WRITE] * 3, READ), options=options).statistics
    assert (statistics.symmetric is None) == is_asked_for
    assert (statistics.classes is not None) == is_asked_for


@pytest.mark.parametrize(
    ("condition", "positive", "negative"),
    [
        ("exists 0:r = 2 /\\ 1:r = 0", 1, 5),
        ("exists 2:r = 1", 2, 4),
        ("exists 1:r = 1 /\\ 2:r = 1", 0, 6),
        ("exists x = 3", 6, 0),
    ],
)
def test_conditions_are_asked_of_every_arrangement(condition: str, positive: int, negative: int) -> None:
    asked = program(*[INCREMENT] * 3, condition=condition)
    tally = explored(asked)
    assert tally.statistics.explored == 1
    assert (tally.positive, tally.negative) == (positive, negative)
    for witness in (tally.positive_witness, tally.negative_witness):
        assert witness is None or replay(asked, membar.load_model("x86-tso"), witness) is None


def test_too_many_arrangements_are_listed_once() -> None:
    tally = explored(program(*[INCREMENT] * 9))
    assert (tally.statistics.explored, tally.statistics.executions) == (1, factorial(9))
    assert len(tally.outcomes) == 1
    assert any("listed once" in note for note in tally.notes)


@pytest.mark.parametrize("jobs", [1, 3])
def test_several_workers_count_the_same(jobs: int) -> None:
    tally = explored(program(WRITE, "0 -> 1: store [&x] := 2", *[READ] * 5), options=Options(jobs=jobs))
    plain = explored(
        program(WRITE, "0 -> 1: store [&x] := 2", *[READ] * 5), options=Options(reductions_off=OFF)
    )
    assert tally.statistics.executions == plain.statistics.executions
    assert (tally.statistics.explored or 0) < (plain.statistics.executions or 0) // 5
    assert tally.outcomes == plain.outcomes


# Twins of two kinds, each of which reads what the other kind wrote, in opposite orders of coherence.
CROSSED = """program "crossed"
memory x : i32
memory y : i32
thread A0 {
  0 -> 1: r := load [&y]
  1 -> 2 when r == 2: store [&x] := 1
  1 -> 2 when !(r == 2)
}
thread A1 {
  0 -> 1: r := load [&y]
  1 -> 2 when r == 2: store [&x] := 1
  1 -> 2 when !(r == 2)
}
thread B0 {
  0 -> 1: r := load [&x]
  1 -> 2 when r == 2: store [&y] := 1
  1 -> 2 when !(r == 2)
}
thread B1 {
  0 -> 1: r := load [&x]
  1 -> 2 when r == 2: store [&y] := 1
  1 -> 2 when !(r == 2)
}
thread C {
  0 -> 1: store [&x] := 2
}
thread D {
  0 -> 1: store [&y] := 2
}
"""


@pytest.mark.parametrize("model", ["sc", "x86-tso", "pso", "ra"])
def test_orders_of_coherence_that_cross_are_not_lost(model: str) -> None:
    crossed = membar.parse(SourceFile("p.mbp", CROSSED))
    plain = explored(crossed, model=model, options=Options(reductions_off=OFF))
    tally = explored(crossed, model=model)
    assert tally.statistics.symmetric is not None
    assert tally.statistics.executions == plain.statistics.executions
    assert tally.outcomes == plain.outcomes


# A write that stands in coherence before what a twin saw that it depends on: only with relaxed accesses.
INVERTED = """program "inverted"
memory x : i32
memory y : i32
thread T0 {
  0 -> 1: r := load [&x] {RLX}
  1 -> 2 when r == 1: store [&y] := 1 {RLX}
  1 -> 2 when !(r == 1)
}
thread T1 {
  0 -> 1: r := load [&x] {RLX}
  1 -> 2 when r == 1: store [&y] := 1 {RLX}
  1 -> 2 when !(r == 1)
}
thread P {
  0 -> 1: r := load [&y] {RLX}
  1 -> 2 when r == 1: store [&x] := 2 {RLX}
  1 -> 2 when !(r == 1)
}
thread Q {
  0 -> 1: store [&x] := 1 {RLX}
}
"""


def test_symmetry_is_given_up_where_coherence_is_inverted() -> None:
    inverted = membar.parse(SourceFile("p.mbp", INVERTED))
    plain = explored(inverted, model="rc11", options=Options(reductions_off=OFF))
    tally = explored(inverted, model="rc11")
    assert tally.statistics.symmetric is None
    assert tally.statistics.executions == plain.statistics.executions
    assert tally.outcomes == plain.outcomes
