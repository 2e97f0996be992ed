"""The budget of a question: its deadline and its memory limit.

`limit_resources` begins a budget. In the main thread of a process a timer enforces it: `LimitError` is raised
between two instructions of Python, at any point, so that no stage has to check. In other threads, where no
signal can be caught, and where the program that calls membar uses the timer itself, the budget is checked
when functions are called, and by `current().spend()`. The core has its own clocks and receives the remaining
time (`Limits.remaining`). Code that can neither be interrupted nor checks the budget is killed with its
process (`workers`).
"""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from types import FrameType, TracebackType
from typing import Any, Final

from membar.limits.signals import signal
from membar.records import record

_PAGES: Final = "/proc/self/statm"
_PAGE: Final = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_EVERY: Final = 256
# Engines end by themselves when the time is over, with what they have found; the timer gives them so long.
GRACE: Final = 0.4
# Once it has rung it rings again and again: where it cannot be heard, and in a callback of C, it is lost.
# In between there is time to say what was found.
_AGAIN: Final = 0.4
# After Ctrl-C there is so much time to say what was found.
AFTER_INTERRUPT: Final = 1.0
_SOON: Final = 0.005  # after an alarm that came when nothing could be raised
# How often memory is checked, and what part of it Python may hold before a process is ended from outside.
_LOOK: Final = 0.05
_MOST: Final = 0.95


class LimitError(BaseException):
    """A limit was reached; `reason` says which. No `except Exception` catches it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@record(frozen=True, slots=True)
class Ended:
    """There is no result: what was to find it was ended, or died. `reason` says why, for people.

    `is_accident`: it died without having passed a limit, so that another attempt may succeed.
    """

    reason: str
    seconds: float
    is_accident: bool = False


@record(eq=False, slots=True)
class Budget:
    """Limits of time and memory, and what is being done.

    Attributes:
        seconds: the limit of time, as it was given.
        memory: bytes that the process may hold.
        deadline: when the time is over, by `time.monotonic`.
        steps: how often it was checked.
    """

    seconds: float | None = None
    memory: int | None = None
    deadline: float = 0.0
    steps: int = 0

    @property
    def remaining_seconds(self) -> float | None:
        """Seconds that are left; None is no limit."""
        return None if self.seconds is None else max(self.deadline - time.monotonic(), 0.0)

    def spend(self) -> None:
        """One step more, of many.

        Raises:
            LimitError: the time is over, or there is no more memory.
        """
        self.steps += 1
        if not self.steps % _EVERY:
            self.look(grace=GRACE)

    def look(self, *, grace: float = 0.0) -> None:
        """Compares the clock and the memory with the limits.

        Raises:
            LimitError: the time has been over for longer than `grace`, or there is no more memory.
        """
        if self.seconds is not None and time.monotonic() > self.deadline + grace:
            raise LimitError(time_reason(self.seconds) + _stage_text())
        if self.memory is not None and resident_bytes() > _MOST * self.memory:
            raise LimitError(memory_reason(self.memory) + _stage_text())


def time_reason(seconds: float | None) -> str:
    """That the time is over: the limit as the user gave it, where a budget knows it."""
    known = current().seconds
    return f"the time limit of {seconds if known is None else known:g} s was reached"


def memory_reason(memory: int | None) -> str:
    """That there is no more memory: the limit as the user gave it, where a budget knows it."""
    known = current().memory
    return f"the memory limit of {size_text(memory if known is None else known)} was reached"


def size_text(size: int | None) -> str:
    """A number of bytes in the largest unit that is not larger: `60 MiB`."""
    for unit, name in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size is not None and size >= unit:
            return f"{size / unit:.4g} {name}"
    return f"{size} bytes"


def count_reason(limit: int | None, unit: str) -> str:
    """The limit that was reached: `the limit of 5 states was reached`; `unit` is the singular."""
    return f"the limit of {limit} {unit}{'' if limit == 1 else 's'} was reached"


_CURRENT: Final[ContextVar[Budget | None]] = ContextVar("budget", default=None)
_STAGE: Final[ContextVar[str]] = ContextVar("stage", default="")
_UNLIMITED: Final = Budget()


def current() -> Budget:
    """What may be done here; without limits, anything."""
    return _CURRENT.get() or _UNLIMITED


def limit_resources(
    *, seconds: float | None, memory: int | None, given: float | None = None
) -> AbstractContextManager[None]:
    """What is done inside may cost so much, and no more than is left of the budget around it.

    `given` is the limit of time that reasons name, where `seconds` are what is left of it.
    """
    if seconds is None and memory is None:
        return nullcontext()
    return _Limited(seconds, memory, given)


class _Limited(AbstractContextManager[None]):
    """The block in which a budget counts.

    No generator: while one begins or ends, the alarm could come between two of its instructions, and the
    block would stay open forever. `_ring` knows the two methods of this class and waits for them.
    """

    def __init__(self, seconds: float | None, memory: int | None, given: float | None) -> None:
        self._seconds, self._memory, self._given = seconds, memory, given
        self._outer: Budget | None = None
        self._stage = ""

    def __enter__(self) -> None:
        seconds, memory, outer = self._seconds, self._memory, _CURRENT.get()
        own = Budget(
            seconds if self._given is None else self._given, memory, time.monotonic() + (seconds or 0.0)
        )
        if outer is not None:
            if outer.seconds is not None:  # of which the time here is a part
                own.seconds = outer.seconds
                own.deadline = outer.deadline if seconds is None else min(own.deadline, outer.deadline)
            if outer.memory is not None and (memory is None or outer.memory < memory):
                own.memory = outer.memory
        self._outer, self._stage = outer, _STAGE.get()
        try:
            _CURRENT.set(own)
            own.look()  # the time may be over already
            _TIMER.watch(own)
        except BaseException:
            self._end()
            raise

    def __exit__(
        self, _kind: type[BaseException] | None, problem: BaseException | None, _trace: TracebackType | None
    ) -> None:
        try:
            self._end()
        except BaseException:  # Ctrl-C
            self._end()
            raise
        # Python wraps what is raised while it makes a class: the limit was reached during an import.
        cause = problem.__cause__ if isinstance(problem, RuntimeError) else None
        if isinstance(cause, LimitError | KeyboardInterrupt):
            raise cause from None

    def _end(self) -> None:
        _CURRENT.set(self._outer)
        _STAGE.set(self._stage)  # the alarm may have come where a stage ended
        _TIMER.watch(self._outer)


class stage:  # noqa: N801 - as a function; a generator would take a part of the time of a small test
    """Says when a limit is reached inside, for the reason: `while the text was read`."""

    __slots__ = ("_before", "_doing")

    def __init__(self, doing: str) -> None:
        self._doing = doing

    def __enter__(self) -> None:
        self._before = _STAGE.get()
        _STAGE.set(self._doing)
        _tell(self._doing)

    def __exit__(self, *_: object) -> None:
        _STAGE.set(self._before)
        _tell(self._before)


def _stage_text() -> str:
    doing = _STAGE.get()
    return f" {doing}" if doing else ""


# Who else wants to know the stage: the process that watches over this one.
_LISTENERS: Final[list[Callable[[str], None]]] = []


def tell_stages_to(listener: Callable[[str], None]) -> None:
    """Reports each stage to a listener, from now on."""
    _LISTENERS[:] = [listener]


def is_supervised() -> bool:
    """Whether another process watches over this one, and says that there is no answer if this one dies."""
    return bool(_LISTENERS)


def _tell(doing: str) -> None:
    for listener in _LISTENERS:
        listener(doing)


class _Timer:
    """The alarm clock of the process, unless it is in use."""

    def __init__(self) -> None:
        self._before: Any = None
        self._is_set = False

    def watch(self, budget: Budget | None) -> None:
        """Watches over a budget from now on; None: over none."""
        threading = sys.modules.get("threading")  # if it is not loaded, there is only one thread
        is_elsewhere = threading is not None and threading.current_thread() is not threading.main_thread()
        if is_elsewhere or not (self._is_set or _is_free()):
            _watch_calls(budget)
            return
        if not self._is_set and budget is None:
            return
        if budget is None:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            # Another thread may be about to take the last alarm, which by default ends the process: ignoring
            # the signal throws that alarm away.
            signal.signal(signal.SIGALRM, signal.SIG_IGN)
            signal.signal(signal.SIGALRM, self._before)
            self._is_set = False
            return
        if not self._is_set:
            self._before = signal.signal(signal.SIGALRM, _ring)
            self._is_set = True
        first, then = _LOOK, _LOOK
        if budget.memory is None:
            left = budget.deadline + GRACE - time.monotonic()
            first, then = left if left > 0.0 else _AGAIN, _AGAIN
        signal.setitimer(signal.ITIMER_REAL, first, then)


def _watch_calls(budget: Budget | None) -> None:
    """Checks the limits of this thread at calls of functions, unless it is profiled; None: no longer."""
    if budget is not None and sys.getprofile() is None:
        sys.setprofile(_at_call)
    elif budget is None and sys.getprofile() is _at_call:
        sys.setprofile(None)


def _at_call(frame: FrameType, _event: str, _argument: object) -> None:
    budget = _CURRENT.get()
    if budget is None:
        return
    budget.steps += 1
    if not budget.steps % _EVERY and _uninterruptible_call(frame) is None:
        budget.look(grace=GRACE)


def _is_free() -> bool:
    """Whether the timer can be set: programs may use it too."""
    if not hasattr(signal, "setitimer"):
        return False
    is_unused = signal.getsignal(signal.SIGALRM) in (signal.SIG_DFL, signal.SIG_IGN)
    return is_unused and signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def _ring(_signal: int, frame: FrameType | None) -> None:
    budget = _CURRENT.get()
    if budget is None:
        return
    uninterrupted = _uninterruptible_call(frame)
    if uninterrupted is None:
        budget.look(grace=GRACE)
        return
    signal.setitimer(signal.ITIMER_REAL, _SOON, _LOOK)
    if uninterrupted.f_back is not None and sys.gettrace() is None:
        _check_limits_before(uninterrupted.f_back)


def _uninterruptible_call(frame: FrameType | None) -> FrameType | None:
    """The outermost call in which nothing may be raised; None if there is none.

    A block with a budget is being entered or left, which nothing may interrupt; or the garbage collector, a
    weak set or a weak dictionary has called what runs, and Python prints and drops what that raises.
    """
    callbacks = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    found = None
    while frame is not None:
        code = frame.f_code
        is_of_ended_object = code.co_name == "__del__" or code.co_filename.endswith(_WEAK_CONTAINERS)
        if code in _UNINTERRUPTED or is_of_ended_object or code in callbacks:
            found = frame
        frame = frame.f_back
    return found


def _check_limits_before(caller: FrameType) -> None:
    """Looks at the limits before the next instruction of a function that has called something.

    All further alarms could come when nothing can be raised, if hardly any time passes in between. A trace
    function is called at an exact instruction; it is there only until then, and not where a debugger is.
    """

    def look(frame: FrameType, _event: str, _argument: object) -> None:
        sys.settrace(None)
        frame.f_trace, frame.f_trace_opcodes = None, False
        budget = _CURRENT.get()
        if budget is not None:
            budget.look(grace=GRACE)

    caller.f_trace_opcodes, caller.f_trace = True, look
    sys.settrace(lambda _frame, _event, _argument: None)


_WEAK_CONTAINERS: Final = ("/weakref.py", "/_weakrefset.py")
_UNINTERRUPTED: Final = frozenset({_Limited.__enter__.__code__, _Limited.__exit__.__code__})


_TIMER: Final = _Timer()


def resident_bytes() -> int:
    """Bytes of memory that the process holds now; 0 where the system does not say."""
    try:
        with open(_PAGES, encoding="ascii") as pages:  # noqa: PTH123 - without pathlib
            return int(pages.read().split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return 0
