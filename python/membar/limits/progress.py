"""Progress of a long search, reported briefly from time to time."""

from __future__ import annotations

import time
from collections.abc import Callable

FIRST_AFTER = 1.0  # seconds before the first word
TELL_EVERY = 0.5  # seconds between two words
_WORTH_SAYING = 1e-6  # a smaller part says nothing about the whole


class Progress:
    """Takes counts as they come and tells the user in words."""

    def __init__(
        self,
        tell: Callable[[str], None],
        *,
        unit: str = "executions",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tell = tell
        self._unit = unit
        self._clock = clock
        self._started = clock()
        self._told = self._started + FIRST_AFTER - TELL_EVERY

    def __call__(self, executions: int, blocked: int, done: float) -> None:
        """The counts so far, and the estimated part that is done (0: unknown)."""
        now = self._clock()
        if now - self._told >= TELL_EVERY:
            self._told = now
            self._tell(in_words(executions, blocked, done, now - self._started, unit=self._unit))


def in_words(executions: int, blocked: int, done: float, seconds: float, *, unit: str = "executions") -> str:
    """One line: what was found, how fast, and a guess at the total.

    The guess takes all alternatives of a choice for the same amount of work; it gets better with time.
    """
    parts = [f"{executions:,} {unit}"]
    if blocked:
        parts.append(f"{blocked:,} blocked")
    if seconds > 0:
        parts.append(f"{(executions + blocked) / seconds:,.0f} per second")
    if done > _WORTH_SAYING:
        total = round(executions / min(done, 1.0))
        parts.append(f"perhaps {100 * min(done, 1.0):.0f} % of {_round(total):,}")
    return ", ".join(parts)


def _round(number: int) -> int:
    """Two digits of it: more would be a lie."""
    return int(float(f"{number:.1e}"))
