"""z3 within the limits of the surrounding question: every query goes through `ask_within_limits`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Protocol, TypeVar

from membar.limits.budget import LimitError, current, is_supervised, memory_reason, resident_bytes

Answer = TypeVar("Answer")

_MEGABYTE: Final = 1 << 20
# What part of the memory may be held before z3 gives up by itself. It looks at its memory now and then only,
# and where it does not look, the process is ended from outside.
_MOST: Final = 0.85
_WATERMARK: Final = "memory_high_watermark_mb"
# What z3 says about a question that it did not answer because of Ctrl-C, or of memory. "Canceled" may mean
# that the time is over, too.
_INTERRUPTED: Final = ("interrupted", "canceled")
_NEARLY: Final = 0.95
_NO_MEMORY: Final = ("out of memory", "memout", "max. memory exceeded")


class Settings(Protocol):
    """What can be set for all questions to z3, by the way in which it was loaded."""

    def set(self, name: str, value: int) -> None:
        """Sets one of z3's global parameters."""

    def allocated_bytes(self) -> int:
        """Bytes that z3 has allocated, as it counts them itself."""

    @property
    def memory_limits(self) -> tuple[str, ...]:
        """Parameters, in megabytes, at which z3 gives up; 0 is no limit."""


SOFT_LIMIT: Final = (_WATERMARK,)
# The hard one is checked wherever memory is allocated.
ALL_LIMITS: Final = (_WATERMARK, "memory_max_size")


def ask_within_limits(
    question: Callable[[], tuple[Answer, str]],
    *,
    settings: Settings,
    set_timeout: Callable[[int], object],
    milliseconds: int | None = None,
) -> Answer:
    """What z3 answers, within the limits of time and memory of the question around it.

    Args:
        question: asks z3; the answer, and why z3 does not know, if so.
        settings: where limits of memory are set.
        set_timeout: sets the time for the question, in milliseconds.
        milliseconds: the longest time for this question alone; then the answer is that z3 does not know.

    Raises:
        LimitError: a limit was reached.
        KeyboardInterrupt: Ctrl-C, which z3 catches and takes for a reason not to know.
    """
    budget = current()
    left = None if budget.remaining_seconds is None else max(int(1000 * budget.remaining_seconds), 1)
    times = [limit for limit in (left, milliseconds) if limit is not None]
    start = time.monotonic()
    if times:
        set_timeout(min(times))
    if budget.memory is None or not is_supervised():
        # z3 exits when it runs out of memory while it reads SMT-LIB, whichever limit it was given.
        answer, why = question()
    else:
        answer, why = _ask_within_memory(question, settings, budget.memory)
    if why:
        is_late = bool(times) and 1000 * (time.monotonic() - start) >= _NEARLY * min(times)
        if any(word in why for word in _INTERRUPTED) and not is_late:
            raise KeyboardInterrupt
        budget.look()
        if budget.memory is not None and any(word in why for word in _NO_MEMORY):
            raise LimitError(f"{memory_reason(budget.memory)} inside z3")
    return answer


def _ask_within_memory(
    question: Callable[[], tuple[Answer, str]], settings: Settings, memory: int
) -> tuple[Answer, str]:
    most = settings.allocated_bytes() + int(_MOST * memory) - resident_bytes()
    for name in settings.memory_limits:
        settings.set(name, max(most // _MEGABYTE, 1))
    try:
        return question()
    finally:  # formulas are built without: an exception there would be one in the middle of Python's z3
        for name in settings.memory_limits:
            settings.set(name, 0)
