"""What every search does alike: a join before its spawn waits forever, and limits are not overstepped."""

from __future__ import annotations

import pytest

import membar
from membar.engines import graphs
from membar.engines.reference import axiomatic
from membar.properties.judge import Tally
from membar.questions.task import Coherence, Limits, Options, Task
from membar.source import SourceFile

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

ONCE = Options()
GENERAL = Options(reductions_off=frozenset({"prune"}))
CLASSES = Options(coherence=Coherence.OBSERVED, coherence_chosen_by_user=True)

JOIN_FIRST = """program "p"
memory x : i32
thread main {
  0 -> 1: join child
  1 -> 2: spawn child
}
thread child spawned {
  0 -> 1: store [&x] := 1
}
"""
# Each of two threads waits for what the other starts only then.
CROSSED = """program "p"
memory x : i32
thread main {
  0 -> 1: join a
  1 -> 2: spawn b
}
thread other {
  0 -> 1: join b
  1 -> 2: spawn a
}
thread a spawned {
  0 -> 1: store [&x] := 1
}
thread b spawned {
  0 -> 1: store [&x] := 2
}
"""
RIGHT = JOIN_FIRST.replace("join", "JOIN").replace("spawn child", "join child").replace("JOIN", "spawn")

WRITERS = """program "p"
memory x : i32
thread A {
  0 -> 1: store [&x] := 1
}
thread B {
  0 -> 1: store [&x] := 2
}
thread C {
  0 -> 1: store [&x] := 3
}
thread D {
  0 -> 1: r := load [&x]
}
"""


def task(text: str, options: Options, limits: Limits | None = None) -> Task:
    """A question without properties under sc."""
    program = membar.parse(SourceFile("p.mbp", text))
    return Task(
        program=program,
        model=membar.load_model("sc"),
        properties=(),
        options=options,
        limits=limits or Limits(),
    )


def explored(text: str) -> list[Tally]:
    """By the exactly-once search, the general search and the reference."""
    return [
        graphs.explore(task(text, ONCE)),
        graphs.explore(task(text, GENERAL)),
        axiomatic.explore(task(text, ONCE)),
    ]


@pytest.mark.parametrize("text", [JOIN_FIRST, CROSSED])
def test_a_join_before_the_spawn_waits_for_ever(text: str) -> None:
    for tally in explored(text):
        assert (tally.statistics.executions, tally.statistics.blocked) == (0, 1)
        assert not tally.outcomes


def test_a_join_behind_the_spawn_passes() -> None:
    for tally in explored(RIGHT):
        assert (tally.statistics.executions, tally.statistics.blocked) == (1, 0)


@pytest.mark.parametrize("options", [ONCE, GENERAL, CLASSES])
@pytest.mark.parametrize("most", [1, 2, 5])
def test_a_limit_of_executions_is_not_overstepped(options: Options, most: int) -> None:
    tally = graphs.explore(task(WRITERS, options, Limits(executions=most)))
    counted = tally.statistics.executions or tally.statistics.classes
    assert counted == most
    assert tally.positive + tally.negative == most
    assert tally.limit is not None


@pytest.mark.parametrize("options", [ONCE, GENERAL, CLASSES])
def test_a_limit_that_suffices_stops_nothing(options: Options) -> None:
    whole = graphs.explore(task(WRITERS, options))
    number = whole.statistics.executions or whole.statistics.classes
    tally = graphs.explore(task(WRITERS, options, Limits(executions=number)))
    assert tally.limit is None
    assert tally.outcomes == whole.outcomes
