"""Limits and Ctrl-C were ignored for minutes in executions of thousands of events.

The core looked at the clock every 256 steps, and one step could be a closure of ten thousand events.
"""

from __future__ import annotations

import signal
import threading
import time

import pytest

import membar
import tiers
from limits.slow_inputs import contention
from membar import Limits, SourceFile, Unknown
from membar.questions.engine_answer import confirm_witness
from membar.questions.outcome import INTERRUPTED, InterruptedAnswerError
from membar.questions.task import Task

_STORE_BUFFERING = """X86 SB
{ }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
"""
_LATE = 30.0  # a busy machine; it took minutes


def _text(threads: int, writes: int) -> SourceFile:
    return SourceFile("large.mbp", contention(threads, writes))


@pytest.mark.parametrize(
    ("model", "threads", "writes"),
    tiers.rows(2, [("sc", 4000, 1), ("sc", 1, 3000), ("armv8", 1, 3000), ("imm", 1, 3000)]),
)
def test_the_time_limit_is_kept(model: str, threads: int, writes: int) -> None:
    text, started = _text(threads, writes), time.monotonic()
    answer = membar.check(text, model=model, coherence="all", limits=Limits(seconds=2.5))
    assert isinstance(answer.outcome, Unknown)
    assert "the time limit of 2.5 s was reached" in answer.outcome.reason
    assert time.monotonic() - started < _LATE


def test_control_c_is_heard() -> None:
    text, started = _text(4000, 1), time.monotonic()
    timer = threading.Timer(2.5, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        membar.check(text, model="sc", coherence="all")
    timer.join()
    assert time.monotonic() - started < _LATE


def test_control_c_is_heard_by_a_question_with_a_memory_limit() -> None:
    """It is answered in another process, and what is known by then comes back."""
    membar.check(_text(2, 1), model="sc")  # everything is imported before the signal comes
    timer = threading.Timer(1.0, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    with pytest.raises(InterruptedAnswerError) as interrupt:
        membar.check(_text(6, 4), model="sc", coherence="all", limits=Limits(memory=1 << 33))
    timer.join()
    assert interrupt.value.answer.outcome.run.statistics.executions


def test_after_control_c_a_witness_is_replayed_for_a_moment_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def replay(*_: object) -> None:
        while True:
            pass

    found = membar.check(SourceFile("sb.litmus", _STORE_BUFFERING), model="x86-tso")
    task = Task(program=found.program, model=found.model, properties=("condition",))
    monkeypatch.setattr("membar.engines.reference.witness_replay.replay", replay)
    started = time.monotonic()
    outcome = confirm_witness(found.outcome, task, is_interrupted=True)
    assert isinstance(outcome, Unknown)
    assert outcome.reason == INTERRUPTED
    assert time.monotonic() - started < _LATE
