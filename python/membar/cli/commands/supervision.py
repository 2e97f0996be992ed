"""Runs the work of a command in a child process that can be killed, and passes on what it printed.

A child takes time to start. Work gets one if it has limits, or if it uses z3, which cannot be interrupted
everywhere by Ctrl-C or by a timer of Python. Python and the core react to Ctrl-C by themselves.

Only the program `membar` does so (`cli.command`): a caller of `cli.main` from Python gets the same answers in
its own process, where a limit cannot end what Python cannot interrupt.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO, TypeVar

from membar.cli.command import INTERRUPTED as BROKEN_OFF
from membar.cli.command import UNKNOWN
from membar.diagnostics import EngineLimitError, InputError
from membar.limits import budget, process
from membar.limits.budget import Ended
from membar.questions.outcome import INTERRUPTED
from membar.questions.task import Limits
from membar.reports import streams

Item = TypeVar("Item")
Result = TypeVar("Result")


def each(
    items: Sequence[Item], work: Callable[[Item], Result], *, limits: Limits, asks_z3: bool
) -> Iterator[Result | Ended]:
    """The result of the work on each item, in order; `Ended` for work that was killed."""
    if not needs_child(limits, asks_z3=asks_z3):
        return map(work, items)
    from membar.limits.workers import WorkerPool  # noqa: PLC0415 - slow to load, and often not needed

    return WorkerPool(items, work, seconds=limits.seconds, memory=limits.memory).results()


def needs_child(limits: Limits, *, asks_z3: bool = False) -> bool:
    """Whether work must be done in a child process."""
    return process.is_command() and (asks_z3 or limits.seconds is not None or limits.memory is not None)


def alone(work: Callable[[], int], *, limits: Limits, asks_z3: bool, give_up: Callable[[str], None]) -> int:
    """The exit code of a command that is one piece of work, and prints its own report.

    Where it is broken off before it has printed anything, `give_up` prints the reason.

    Raises:
        InputError, OSError: what the work raised, once everything is printed.
        KeyboardInterrupt: Ctrl-C, then too.
    """

    def do(_: None) -> tuple[str, int, Exception | None]:
        code, problem = UNKNOWN, None
        with capture_output() as printed:
            try:
                code = _code_of(work, limits, lambda reason: None if printed.getvalue() else give_up(reason))
            except (InputError, OSError, RecursionError) as found:
                problem = found
        return printed.getvalue(), code, problem

    try:
        found = next(each([None], do, limits=limits, asks_z3=asks_z3))
    except KeyboardInterrupt:
        give_up(INTERRUPTED)
        raise
    if isinstance(found, Ended):
        give_up(found.reason)
        return UNKNOWN
    text, code, problem = found
    streams.write(text)
    if problem is not None:  # after the report: what was asked for besides could not be done
        raise problem
    if code == BROKEN_OFF:
        raise KeyboardInterrupt
    return code


def _code_of(work: Callable[[], int], limits: Limits, give_up: Callable[[str], None]) -> int:
    try:
        with budget.limit_resources(seconds=limits.seconds, memory=limits.memory):
            return work()
    except (budget.LimitError, EngineLimitError) as reached:
        streams.write_message(f"error[W0440]: {reached.reason}\n")
        give_up(reached.reason)
        return UNKNOWN
    except MemoryError:
        give_up("memory ran out")
        return UNKNOWN
    except KeyboardInterrupt:
        give_up(INTERRUPTED)
        return BROKEN_OFF


class _Captured(io.StringIO):
    """Captured output; the stream that it will go to determines whether it is for a terminal."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream

    def isatty(self) -> bool:
        return self._stream.isatty()

    @property
    def encoding(self) -> str:  # type: ignore[override]  # StringIO has none
        return self._stream.encoding


@contextmanager
def capture_output() -> Iterator[io.StringIO]:
    """Captures standard output."""
    before = sys.stdout
    sys.stdout = kept = _Captured(before)
    try:
        yield kept
    finally:
        sys.stdout = before
