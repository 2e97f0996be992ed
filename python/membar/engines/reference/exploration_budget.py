"""Limits of one search, checked between candidates or states, never inside one."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from membar.limits.budget import count_reason, current, memory_reason, resident_bytes, time_reason
from membar.questions.task import Limits

_LOOK_EVERY = 64  # steps between two looks at the clock and at memory
_TELL_EVERY = 0.5  # seconds between two words about progress


class LimitHitError(Exception):
    """A limit was hit; results so far are valid, the rest is unknown."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Budget:
    """Time, memory and counts that may still be spent."""

    def __init__(self, limits: Limits, progress: Callable[[str], None] | None = None) -> None:
        self.limits = limits
        self.started = time.monotonic()
        self.found = ""  # shown as progress
        self._progress = progress
        self._told = 0.0
        self._steps = 0

    @property
    def seconds(self) -> float:
        """Wall time since the run began."""
        return time.monotonic() - self.started

    def step(self) -> None:
        """To be called once per unit of work.

        Raises:
            LimitHitError: time or memory is used up.
        """
        self._steps += 1
        if self._steps % _LOOK_EVERY == 1:
            self.look()

    def look(self) -> None:
        """Compares time and memory with their limits, and tells about progress, now."""
        if self._progress is not None and self.seconds - self._told > _TELL_EVERY:
            self._told = self.seconds
            self._progress(self.found or "starting")
        seconds, memory = self.limits.seconds, current().memory or self.limits.memory
        if seconds is not None and self.seconds > seconds:
            raise LimitHitError(time_reason(seconds))
        if memory is not None and resident_bytes() > memory:
            raise LimitHitError(memory_reason(memory))

    def count_execution(self, executions: int) -> None:
        """Compares a number of executions with its limit."""
        self.found = f"{executions} executions"
        if self.limits.executions is not None and executions > self.limits.executions:
            raise LimitHitError(count_reason(self.limits.executions, "execution"))

    def count_state(self, states: int) -> None:
        """Compares a number of states with its limit."""
        self.found = f"{states} states"
        if self.limits.states is not None and states > self.limits.states:
            raise LimitHitError(count_reason(self.limits.states, "state"))


def peak_bytes() -> int:
    """The most memory this process ever held."""
    import resource  # of whole searches only

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
