"""A limit ends what is done within it, and nothing afterwards: no alarm is left, whenever it rang."""

from __future__ import annotations

import gc
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import Any, Self
from weakref import WeakSet

import pytest

from membar.limits import budget
from membar.limits.budget import LimitError


class _Alarm:
    """Rings before one instruction, of those that are executed while it is armed, in whatever function."""

    def __init__(self, which: int) -> None:
        self.left, self.is_armed = which, False

    def __enter__(self) -> Self:
        sys.settrace(self._trace)
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _problem: BaseException | None, _trace: TracebackType | None
    ) -> None:
        sys.settrace(None)

    def _trace(self, frame: FrameType, event: str, _argument: object) -> Any:
        frame.f_trace_opcodes = True
        if self.is_armed and event in ("call", "opcode"):
            self.left -= 1
            if self.left == 0 and signal.getsignal(signal.SIGALRM) is not signal.SIG_DFL:
                signal.raise_signal(signal.SIGALRM)
        return self._trace


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    yield
    sys.settrace(None)
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)


def _state() -> tuple[object, ...]:
    doing = budget._STAGE.get()
    alarm = signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)
    return budget._CURRENT.get(), doing, *alarm


def _left_with_alarm_at(which: int) -> tuple[bool, bool]:
    """Leaves a block whose time is over with an alarm at one instruction: whether it rang, and was heard."""
    alarm, is_heard = _Alarm(which), False
    try:
        with (
            alarm,
            budget.limit_resources(seconds=1000.0, memory=None),
            budget.stage("while this was tested"),
        ):
            budget.current().deadline = -1000.0
            alarm.is_armed = True
        alarm.is_armed = False
    except LimitError:
        is_heard = True
    return alarm.left <= 0, is_heard


def test_an_alarm_while_a_block_is_left_leaves_nothing_behind() -> None:
    before, heard = _state(), 0
    for which in range(1, 2000):
        rang, is_heard = _left_with_alarm_at(which)
        assert _state() == before, which
        heard += is_heard
        if not rang:
            break
    else:
        pytest.fail("the block has no end")
    assert which > 50
    assert heard > 0  # before the last instruction of the block, it counts


def test_an_alarm_while_a_block_begins_leaves_nothing_behind() -> None:
    before = _state()
    for which in range(1, 2000):
        alarm = _Alarm(which)
        try:
            with alarm:
                context = budget.limit_resources(seconds=1000.0, memory=None)
                alarm.is_armed = True
                with context:
                    alarm.is_armed = False
        except LimitError:
            pytest.fail("the time was not over")
        assert _state() == before, which
        if alarm.left > 0:
            break
    else:
        pytest.fail("the block has no beginning")


_THREADS = """
import signal, threading, time
from membar.limits import budget

stop = False
def spin():
    while not stop:
        sum(range(50))
for _ in range(3):
    threading.Thread(target=spin, daemon=True).start()
budget.GRACE, budget._AGAIN = 0.0, 0.001
end = time.monotonic() + 2
while time.monotonic() < end:
    try:
        with budget.limit_resources(seconds=0.0003, memory=None):
            sum(range(20000))
    except budget.LimitError:
        pass
    assert budget._CURRENT.get() is None
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
stop = True
"""


def test_alarms_in_a_process_with_several_threads_do_not_end_it() -> None:
    done = subprocess.run([sys.executable, "-c", _THREADS], capture_output=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_limit_in_another_thread_leaves_the_alarm_of_the_first_alone() -> None:
    problems: list[BaseException] = []

    def other() -> None:
        try:
            with budget.limit_resources(seconds=1.0, memory=None):
                pass
        except BaseException as problem:
            problems.append(problem)

    with budget.limit_resources(seconds=1000.0, memory=None):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join(timeout=60)
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 900
    assert problems == []


def _waits_long(phase: str, _details: object) -> None:
    """A callback of the garbage collector, such as users and tools may have."""
    del phase
    time.sleep(0.02)


class _EndsSlowly:
    """What takes its time when it is thrown away."""

    def __del__(self) -> None:
        time.sleep(0.02)


def _end_slowly() -> None:
    _EndsSlowly()


class _SlowSet(set[object]):
    """A set that takes its time to forget."""

    def discard(self, element: object) -> None:
        time.sleep(0.02)
        super().discard(element)


def _leave_weak_set() -> None:
    class Member:
        pass

    members, member = WeakSet[Member](), Member()
    members.data = _SlowSet()  # type: ignore[attr-defined]  # an implementation detail
    members.add(member)
    del member


@pytest.mark.parametrize("collect", [gc.collect, _end_slowly, _leave_weak_set])
def test_an_alarm_is_not_lost_to_the_garbage_collector(
    collect: Callable[[], object], capsys: pytest.CaptureFixture[str]
) -> None:
    """Nearly all of the time is spent where what an alarm raises is printed and dropped."""
    gc.collect()  # what earlier tests left: an alarm in the finalizer of a generator is dropped, too
    start, traced = time.monotonic(), sys.gettrace()

    def work() -> None:
        with budget.limit_resources(seconds=0.2, memory=None):
            while time.monotonic() < start + 60.0:
                collect()

    gc.callbacks.append(_waits_long)
    try:
        with pytest.raises(LimitError, match="time limit"):
            work()
    finally:
        gc.callbacks.remove(_waits_long)
    assert time.monotonic() < start + 30.0
    assert sys.gettrace() is traced
    assert "ignored" not in capsys.readouterr().err
