"""Runs a user's specification: it must terminate, and must not read a clock or random numbers.

It must not end membar either: `sys.exit()` is a mistake of the specification, not an answer. What it prints
goes to standard error, since standard output is for answers.

Steps are counted, not seconds, so that the same specification gets the same answer everywhere. The
instructions of the user's own file and every call are counted; what a library does without calling back is
not.
"""

from __future__ import annotations

import contextlib
import dis
import gc
import sys
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Final, TypeVar

from membar.limits.budget import LimitError

MOST_STEPS: Final = 1_000_000
_CLOCKS: Final = frozenset({"now", "today", "utcnow", "urandom", "getrandom"})
_LEAVING: Final = frozenset({"_exit", "abort", "execv", "execve", "fork", "forkpty"})
Found = TypeVar("Found")


class SpecDoesNotTerminateError(BaseException):
    """A specification that does not terminate: no `except Exception` of its own may catch this."""


class SpecExitsError(Exception):
    """A specification that would end membar."""


class NondeterministicSpecError(Exception):
    """A specification that uses something that differs from call to call."""


def run_watched(job: Callable[[], Found], path: str) -> Found:
    """The result of `job`, which runs code of the file `path`.

    Raises:
        EndlessError: it takes more than `MOST_STEPS` steps.
        ChangingError: it reads a clock or random numbers.
        LeavingError: it raises what ends programs.
    """
    watch = _Watch(path)
    traced, profiled = sys.gettrace(), sys.getprofile()
    collects = gc.isenabled()
    gc.disable()  # what others do when garbage is collected is not the specification's business
    sys.settrace(watch.on_call)
    sys.setprofile(watch.on_c_call)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            found = job()
    except (Exception, SpecDoesNotTerminateError, LimitError):
        raise
    except BaseException as problem:
        if isinstance(problem, KeyboardInterrupt) and not _is_raised(problem.__traceback__):
            raise  # the user's own: from the keyboard
        where = f" (line {_line(problem.__traceback__, path)})"
        raise SpecExitsError(f"it raises {type(problem).__name__}{where}") from None
    finally:
        sys.setprofile(profiled)
        sys.settrace(traced)
        if collects:
            gc.enable()
    if watch.asked:
        raise NondeterministicSpecError(watch.asked)
    return found


def _is_raised(trace: TracebackType | None) -> bool:
    """Whether an exception comes from a `raise` of the text, not from outside."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_code.co_code[trace.tb_lasti] == dis.opmap["RAISE_VARARGS"]


def _line(trace: TracebackType | None, path: str) -> int:
    """The last line of the user's file on the way to an exception."""
    found = 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            found = trace.tb_lineno
        trace = trace.tb_next
    return found


class _Watch:
    """Counts steps, and records forbidden calls."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._steps = 0
        self.asked = ""

    def on_call(self, frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
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
            raise SpecDoesNotTerminateError(
                f"it does not terminate: {MOST_STEPS:,} steps, the last in line {line}"
            )

    def _own(self, frame: FrameType) -> int:
        """The current line of the user's file."""
        own: FrameType | None = frame
        while own is not None and own.f_code.co_filename != self._path:
            own = own.f_back
        return (own or frame).f_lineno

    def on_c_call(self, frame: FrameType, event: str, argument: object) -> None:
        """A call of something that is not written in Python."""
        if event == "c_call" and _is_leaving(argument):
            name = getattr(argument, "__name__", "?")
            raise SpecExitsError(f"it calls `os.{name}` (line {self._own(frame)})")
        if event == "c_call" and not self.asked and _is_asking(argument):
            name = getattr(argument, "__qualname__", "?")
            self.asked = f"it uses `{name}` (line {self._own(frame)}), which differs from call to call"


def _is_leaving(function: object) -> bool:
    """Whether a library function ends this process, or replaces it."""
    name, module = getattr(function, "__name__", ""), getattr(function, "__module__", "")
    return module in ("posix", "nt") and name in _LEAVING


def _is_asking(function: object) -> bool:
    """Whether a library function returns something different each time."""
    name, module = getattr(function, "__name__", ""), getattr(function, "__module__", "")
    if module == "time" and name != "sleep":
        return True
    owner = getattr(function, "__self__", None)
    shared = getattr(sys.modules.get("random"), "_inst", None)
    return name in _CLOCKS or (owner is not None and owner is shared)
