"""How much reading a text, and replaying a witness, may cost: the limits of a check count there, too."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Final

from membar.records import record

_PAGES: Final = Path("/proc/self/statm")
_PAGE: Final = 4096
_EVERY: Final = 256
_LEAST: Final = 1.0


class EffortError(Exception):
    """A limit was reached; `reason` says which."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@record(eq=False, slots=True)
class Effort:
    """What was done so far, and what may be done: until when, and with how many bytes more than at first."""

    seconds: float | None
    memory: int | None
    deadline: float
    held: int
    steps: int = 0

    def spend(self) -> None:
        """One step more.

        Raises:
            EffortError: the time is over, or there is no more memory.
        """
        self.steps += 1
        if self.steps % _EVERY:
            return
        if self.seconds is not None and time.monotonic() > self.deadline:
            raise EffortError(f"the time limit of {self.seconds:g} s was reached")
        if self.memory is not None and _held() - self.held > self.memory:
            raise EffortError("the memory limit was reached")


_CURRENT: Final[ContextVar[Effort | None]] = ContextVar("effort", default=None)


@contextmanager
def limited(*, seconds: float | None, memory: int | None, spent: float = 0.0) -> Iterator[None]:
    """What is done inside may cost so much time and memory; of the time, all but a little may be spent."""
    left = seconds or 0.0
    deadline = time.monotonic() + (max(left - spent, min(left, _LEAST)) if spent else left)
    held = 0 if memory is None else _held()
    token = _CURRENT.set(Effort(seconds, memory, deadline, held))
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current() -> Effort:
    """What may be done here; without limits, anything."""
    return _CURRENT.get() or Effort(None, None, 0.0, 0)


def _held() -> int:
    """Bytes of memory that the process has now; 0 where the system does not say."""
    try:
        return int(_PAGES.read_text().split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return 0
