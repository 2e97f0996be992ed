"""Limits count in other threads, and where the program uses the timer: what Python computed went on."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable

import pytest

from membar.limits.budget import LimitError, limit_resources


def _slow(depth: int) -> int:
    return 1 if depth < 2 else _slow(depth - 1) + _slow(depth - 2)


def _in_a_thread(action: Callable[[], None]) -> None:
    thread = threading.Thread(target=action)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()


def test_a_time_limit_ends_what_another_thread_computes() -> None:
    reasons = list[str]()

    def compute() -> None:
        try:
            with limit_resources(seconds=0.2, memory=None):
                _slow(60)
        except LimitError as limit:
            reasons.append(limit.reason)
        assert sys.getprofile() is None

    _in_a_thread(compute)
    assert reasons == ["the time limit of 0.2 s was reached"]


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals come to it")
def test_a_time_limit_counts_beside_a_timer_of_the_program() -> None:
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 600.0)
    try:
        with pytest.raises(LimitError), limit_resources(seconds=0.2, memory=None):
            _slow(60)
        assert sys.getprofile() is None
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 1.0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def test_an_inner_limit_leaves_the_outer_one_in_force() -> None:
    reasons = list[str]()

    def compute() -> None:
        try:
            with limit_resources(seconds=0.4, memory=None):
                with pytest.raises(LimitError), limit_resources(seconds=0.1, memory=None):
                    _slow(60)
                _slow(60)
        except LimitError as limit:
            reasons.append(limit.reason)

    _in_a_thread(compute)
    assert reasons == ["the time limit of 0.4 s was reached"]


def test_a_thread_that_is_profiled_keeps_its_profiler() -> None:
    calls = list[str]()

    def compute() -> None:
        sys.setprofile(lambda _frame, event, _argument: calls.append(event))
        with limit_resources(seconds=60, memory=None):
            _slow(3)
        assert sys.getprofile() is not None
        sys.setprofile(None)

    _in_a_thread(compute)
    assert "call" in calls
