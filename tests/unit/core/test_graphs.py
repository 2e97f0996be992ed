"""The engine `graphs`: answers, limits, and what it says when it cannot answer."""

from __future__ import annotations

import sys
import threading
import time

import pytest

import membar
from membar.diagnostics import EngineLimitError, InputError
from membar.engines import graphs
from membar.languages.mbp import FRONTEND
from membar.program.operations import Send
from membar.program.program import Channel, Edge, Program, Thread
from membar.questions import engine_answer
from membar.questions.outcome import Explored, Holds, HoldsWithin, Outcome, Unknown, Violated
from membar.questions.task import Limits, Options, Task, Unrolling
from membar.source import SourceFile

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

STORE_BUFFERING = """program sb
memory x : i32
memory y : i32
thread P0 { 0 -> 1: store [&x] := 1  1 -> 2: r0 := load [&y] }
thread P1 { 0 -> 1: store [&y] := 1  1 -> 2: r0 := load [&x] }
exists 0:r0 = 0 /\\ 1:r0 = 0
observe 0:r0, 1:r0
"""
WAITING = """program waiting
memory x : i32
thread P0 { 0 -> 1: store [&x] := 1 }
thread P1 { 0 -> 1: r0 := load [&x]  1 -> 0 when r0 == 0  1 -> 2 when r0 == 1  2 -> 3: assert r0 == 1 }
"""


def parse(text: str) -> Program:
    return FRONTEND.parse(SourceFile("test.mbp", text))


def run(
    text: str,
    model: str,
    *,
    properties: tuple[str, ...] = ("condition", "assertions"),
    limits: Limits | None = None,
    options: Options | None = None,
) -> Outcome:
    task = Task(
        program=parse(text),
        model=membar.load_model(model),
        properties=properties,
        limits=limits or Limits(),
        options=options or Options(),
    )
    return engine_answer.answer(task, graphs.ENGINE)


def test_store_buffering_is_allowed_under_tso_only() -> None:
    weak = run(STORE_BUFFERING, "x86-tso")
    assert isinstance(weak, Holds)
    assert weak.witness is not None
    assert weak.witness.final == (("0:r0", 0), ("1:r0", 0))
    assert [event.span is None for event in weak.witness.execution.events] == [True] * 2 + [False] * 4
    assert weak.run.statistics.executions == 4
    assert weak.run.algorithm == "exactly-once search"
    strong = run(STORE_BUFFERING, "sc")
    assert isinstance(strong, Violated)
    assert strong.witness is None
    assert strong.run.positive == 0
    assert strong.run.negative == 3


def test_loops_are_deepened_until_the_bound() -> None:
    off = frozenset({"await"})
    assert isinstance(run(WAITING, "sc"), Holds)
    outcome = run(WAITING, "sc", options=Options(unrolling=Unrolling(deepest=3), reductions_off=off))
    assert isinstance(outcome, HoldsWithin)
    assert outcome.bound == "loops unrolled 3 times"
    unrolling = Unrolling(exact=1, chosen_by_user=True)
    exact = run(WAITING, "sc", options=Options(unrolling=unrolling, reductions_off=off))
    assert isinstance(exact, HoldsWithin)
    assert exact.chosen_by_user


def test_a_failed_assertion_is_shown_with_its_message() -> None:
    text = WAITING.replace("assert r0 == 1", 'assert r0 == 0, "never set"')
    outcome = run(text, "sc")
    assert isinstance(outcome, Violated)
    assert outcome.property == "assertions"
    assert outcome.witness is not None
    assert outcome.witness.message == "never set"


STRAY = """program stray
memory x : i32
thread P0 { 0 -> 1: r0 := load [&x]  1 -> 2: r1 := load [r0] }
"""


def test_a_stray_pointer_is_a_violation() -> None:
    outcome = run(STRAY, "sc", properties=("memory",))
    assert isinstance(outcome, Violated)
    assert outcome.property == "memory"
    assert outcome.witness is not None
    assert "at address 0, a null pointer" in outcome.witness.message


def test_a_stray_pointer_in_a_program_with_a_question_is_bad_input() -> None:
    text = STRAY + "exists 0:r1 = 0\n"
    with pytest.raises(InputError) as refusal:
        run(text, "sc")
    (diagnostic,) = refusal.value.diagnostics
    assert diagnostic.code == "W0322"
    assert diagnostic.help == "the pointer is null here"


def test_a_limit_gives_unknown() -> None:
    text = STORE_BUFFERING.replace("exists", "~exists")
    for limits, reason in (
        (Limits(executions=1), "the limit of 1 execution was reached"),
        (Limits(seconds=0.0), "the time limit of 0 s was reached"),
        (Limits(memory=10), "the memory limit of 10 bytes was reached"),
    ):
        outcome = run(text, "sc", limits=limits)
        assert isinstance(outcome, Unknown)
        assert outcome.reason == reason


def test_without_a_question_it_explores() -> None:
    outcome = run(STORE_BUFFERING, "sc", properties=())
    assert isinstance(outcome, Explored)
    assert outcome.complete


def test_what_the_engine_cannot_hold_is_said() -> None:
    with pytest.raises(EngineLimitError, match="the model cam has no axioms"):
        graphs.explore(Task(program=parse(STORE_BUFFERING), model=membar.load_model("cam"), properties=()))
    edge = Edge(source=0, target=1, operations=(Send("c", ()),))
    program = Program(
        name="channel",
        language="Program",
        objects=(),
        threads=(Thread(name="P0", entry=0, edges=(edge,)),),
        channels=(Channel("c", 1, 0),),
    )
    with pytest.raises(EngineLimitError, match="axiomatic models cannot express channels"):
        graphs.explore(Task(program=program, model=membar.load_model("sc"), properties=()))


def test_without_the_core_it_says_so_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "membar._core", None)
    monkeypatch.delattr("membar._core", raising=False)
    with pytest.raises(EngineLimitError, match="needs membar's Rust core"):
        graphs.core()


def contention(threads: int, writes: int) -> str:
    bodies = [
        " ".join(f"{n} -> {n + 1}: store [&x] := {thread * writes + n + 1}" for n in range(writes))
        for thread in range(threads)
    ]
    lines = [f"thread P{number} {{ {body} }}" for number, body in enumerate(bodies)]
    return "\n".join(["program contention", "memory x : i32", *lines])


def test_a_time_limit_stops_a_long_search() -> None:
    outcome = run(contention(6, 4), "sc", properties=(), limits=Limits(seconds=0.2))
    assert isinstance(outcome, Explored)
    assert not outcome.complete
    assert outcome.run.statistics.seconds < 5


def test_other_python_threads_run_during_a_search() -> None:
    ticks: list[float] = []
    ended = threading.Event()

    def tick() -> None:
        while not ended.wait(0.01):
            ticks.append(time.monotonic())

    clock = threading.Thread(target=tick)
    clock.start()
    run(contention(6, 4), "sc", properties=(), limits=Limits(seconds=0.4))
    ended.set()
    clock.join()
    assert len(ticks) >= 5
