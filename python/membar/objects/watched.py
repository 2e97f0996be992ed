"""Runs code of a user's specification: it must come to an end, and read no clock and no random numbers.

Steps are counted, not seconds: the same specification gets the same answer everywhere. Counted are the
instructions of the user's own file, and every call; what a library does without calling back is not seen.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Final, TypeVar

MOST_STEPS: Final = 1_000_000
_CLOCKS: Final = frozenset({"now", "today", "utcnow", "urandom", "getrandom"})
Found = TypeVar("Found")


class EndlessError(BaseException):
    """A specification that goes on and on: no `except Exception` of its own may catch that."""


class ChangingError(Exception):
    """A specification that asks for something that differs from call to call."""


def watched(job: Callable[[], Found], path: str) -> Found:
    """What `job` gives, which runs code of the file `path`.

    Raises:
        EndlessError: it takes more than `MOST_STEPS` steps.
        ChangingError: it reads a clock or random numbers.
    """
    watch = _Watch(path)
    traced, profiled = sys.gettrace(), sys.getprofile()
    sys.settrace(watch.called)
    sys.setprofile(watch.profiled)
    try:
        found = job()
    finally:
        sys.setprofile(profiled)
        sys.settrace(traced)
    if watch.asked:
        raise ChangingError(watch.asked)
    return found


class _Watch:
    """Counts steps, and remembers what was asked for."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._steps = 0
        self.asked = ""

    def called(self, frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        """A call, of the file or of a library; only the file is followed inside."""
        del event, argument
        self._count(frame)
        if frame.f_code.co_filename != self._path:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False  # `while True: pass` is one line, once
        return self._step

    def _step(self, frame: FrameType, event: str, argument: object) -> Callable[..., Any]:
        del event, argument
        self._count(frame)
        return self._step

    def _count(self, frame: FrameType) -> None:
        self._steps += 1
        if self._steps > MOST_STEPS:
            line = self._own(frame)
            raise EndlessError(f"it does not come to an end: {MOST_STEPS:,} steps, the last in line {line}")

    def _own(self, frame: FrameType) -> int:
        """The line of the user's file that is being done."""
        own: FrameType | None = frame
        while own is not None and own.f_code.co_filename != self._path:
            own = own.f_back
        return (own or frame).f_lineno

    def profiled(self, frame: FrameType, event: str, argument: object) -> None:
        """A call of something that is not written in Python."""
        if event == "c_call" and not self.asked and _is_asking(argument):
            name = getattr(argument, "__qualname__", "?")
            self.asked = f"it asks for `{name}` (line {self._own(frame)}), which differs from call to call"


def _is_asking(function: object) -> bool:
    """Whether a function of a library gives something else each time."""
    name, module = getattr(function, "__name__", ""), getattr(function, "__module__", "")
    if module == "time" and name != "sleep":
        return True
    owner = getattr(function, "__self__", None)
    shared = getattr(sys.modules.get("random"), "_inst", None)
    return name in _CLOCKS or (owner is not None and owner is shared)
