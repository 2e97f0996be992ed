"""Workers that are ended, die, or go wrong; limits of time and memory inside one process."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import threading
import time

import pytest

import membar
from membar.limits import budget
from membar.limits.budget import Ended, size_text
from membar.limits.workers import WorkerError, WorkerPool
from membar.questions.outcome import Unknown
from membar.questions.task import Limits
from membar.source import SourceFile
from unit.core.test_graphs import contention


def _work(item: str) -> str:
    match item:
        case "slow":  # nothing that Python could interrupt
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM, signal.SIGUSR1})
            with budget.stage("while nothing was done"):
                time.sleep(60)
        case "large":
            # More than files that are mapped into this process, but not into a worker, can take.
            kept = [b"x" * (50 << 20) for _ in range(16)]
            time.sleep(60)
            return str(len(kept))
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "crash":
            os.kill(os.getpid(), signal.SIGUSR2)
        case "wrong":
            nothing: dict[str, str] = {}
            return nothing["nothing"]
        case _:
            pass
    return item.upper()


def test_a_worker_that_passes_the_time_limit_is_ended_and_the_others_go_on() -> None:
    started = time.monotonic()
    found = list(WorkerPool(["a", "slow", "b"], _work, seconds=0.3).results())
    assert found[0] == "A"
    assert found[2] == "B"
    assert isinstance(found[1], Ended)
    assert found[1].reason == "the time limit of 0.3 s was reached while nothing was done"
    assert time.monotonic() - started < 30


def test_a_worker_that_passes_the_memory_limit_is_ended() -> None:
    most = budget.resident_bytes() + (80 << 20)
    found = list(WorkerPool(["large", "a"], _work, memory=most).results())
    assert isinstance(found[0], Ended)
    assert found[0].reason == f"the memory limit of {size_text(most)} was reached"
    assert found[1] == "A"


@pytest.mark.parametrize(
    ("item", "reason"),
    [("killed", "most likely because memory ran out"), ("crash", "internal error.*SIGUSR2")],
)
def test_the_death_of_a_worker_is_no_answer(item: str, reason: str) -> None:
    found = list(WorkerPool([item, "a"], _work).results())
    assert isinstance(found[0], Ended)
    assert re.search(reason, found[0].reason)
    assert found[1] == "A"


def test_a_mistake_inside_a_worker_is_one() -> None:
    with pytest.raises(WorkerError, match=r"KeyError: 'nothing'.*test_workers\.py"):
        list(WorkerPool(["wrong"], _work).results())


def test_several_workers_answer_in_order() -> None:
    items = [str(number) for number in range(50)]
    assert list(WorkerPool(items, _work, jobs=3).results()) == items


def test_ctrl_c_ends_a_worker_that_does_not_listen() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    started = time.monotonic()
    try:
        results = WorkerPool(["a", "slow"], _work).results()
        assert next(results) == "A"
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            next(results)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - started < 30


def _run_in_circles() -> None:
    with budget.limit_resources(seconds=0.2, memory=None), budget.stage("while it ran in circles"):
        while True:
            with contextlib.suppress(Exception):  # as libraries do
                continue


def test_a_loop_of_python_ends_at_the_deadline() -> None:
    started = time.monotonic()
    with pytest.raises(budget.LimitError, match=r"0\.2 s was reached while it ran in circles"):
        _run_in_circles()
    assert time.monotonic() - started < 20
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL


def test_no_budget_is_larger_than_the_one_around_it() -> None:
    with (
        budget.limit_resources(seconds=50.0, memory=1 << 40),
        budget.limit_resources(seconds=100.0, memory=None),
    ):
        now = budget.current()
        assert now.seconds == 50.0
        assert now.memory == 1 << 40
        left = Limits(seconds=1000.0, executions=7).remaining()
        assert left.seconds is not None
        assert left.seconds <= 50.0
        assert left.executions == 7


def test_without_signals_limits_are_looked_at_now_and_then() -> None:
    found: list[object] = []

    def ask() -> None:
        source = SourceFile("a.mbp", contention(6, 4))
        found.append(membar.check(source, model="sc", limits=Limits(seconds=0.3)).outcome)

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join(60)
    assert isinstance(found[0], Unknown)
    assert "the time limit of 0.3 s was reached" in found[0].reason


def test_an_interrupted_check_spoils_nothing_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    source = SourceFile(
        "sb.litmus",
        "X86 sb\n{ x=0; y=0; }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n"
        "exists (0:EAX=0 /\\ 1:EAX=0)\n",
    )
    expected = membar.check(source).outcome.run
    monkeypatch.setattr(budget, "GRACE", 0.0)  # it rings at once
    for number in range(60):
        broken_off = membar.check(source, limits=Limits(seconds=0.0002 * (number + 1)))
        assert broken_off.verdict in ("unknown", "holds")
        again = membar.check(source).outcome.run
        assert (again.outcomes, again.positive, again.negative) == (
            expected.outcomes,
            expected.positive,
            expected.negative,
        )
