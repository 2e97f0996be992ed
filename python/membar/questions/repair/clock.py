"""The time limit of a repair, and how much of it each check may use."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_SHORTEST: Final = 0.1
# The share of the time for the search: its result is checked once more.
_FOR_SEARCH: Final = 0.8
_WHEN_SHORT: Final = 1.0


class Clock:
    """A clock that starts now and expires a little before `seconds` are over; never, if that is None."""

    def __init__(self, seconds: float | None) -> None:
        self.latest = None if seconds is None else seconds + _WHEN_SHORT
        """After so many seconds everything ends, also what is asked once more."""
        self.deadline = None if seconds is None else time.monotonic() + _FOR_SEARCH * seconds
        self._longest = 0.0

    @property
    def remaining_seconds(self) -> float | None:
        """The seconds that the next check may take, at least a moment; None: no limit."""
        return None if self.deadline is None else max(_SHORTEST, self.deadline - time.monotonic())

    @property
    def is_over(self) -> bool:
        """Whether no time is left."""
        return self.deadline is not None and time.monotonic() > self.deadline

    @property
    def brief_limit(self) -> float:
        """The time for a check that should not delay the answer: twice that of the longest one so far."""
        return _WHEN_SHORT + 2 * self._longest

    @property
    def last_check_limit(self) -> float | None:
        """The time for the last check, even if no time is left."""
        return None if self.remaining_seconds is None else max(self.remaining_seconds, self.brief_limit)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Measures how long a check takes."""
        start = time.monotonic()
        try:
            yield
        finally:
            self._longest = max(self._longest, time.monotonic() - start)
