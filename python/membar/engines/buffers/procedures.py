"""The procedures of the core, in turn: whichever ends first, or finds something first, answers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from membar.models.model import Operational
from membar.program.operations import Assert
from membar.properties.property import has_operation

if TYPE_CHECKING:
    from membar import _core
    from membar.engines.buffers.question import Lowered
    from membar.task import Task

ALGORITHMS = {
    "forward": "automata of buffer contents",
    "backward": "backwards from bad states",
    "bounded": "short buffers, which suffice",
}
# How far each procedure goes in the first round; every round goes further than the one before.
_FIRST_STATES = 200_000
_FIRST_SECONDS = 2.0
_GROWTH = 4
# Before the first round, buffers of 1, 2, … entries: most errors need no more, and their runs are short.
_EARLY_BOUNDS = (1, 2, 3)
_EARLY_STATES = 20_000
_EARLY_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What was found, and by which procedure."""

    algorithm: str
    findings: _core.BufferFindings

    @property
    def is_over(self) -> bool:
        """Whether looking further cannot change the verdict."""
        return self.findings.stopped is None or self.findings.stopped == "found"


class Procedures:
    """The searches of one question, within the limits of its task."""

    def __init__(self, task: Task, question: Lowered) -> None:
        self._task = task
        self._question = question
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        """Time spent since the beginning."""
        return time.monotonic() - self._started

    @property
    def left(self) -> float | None:
        """Time that may still be spent; None is no limit."""
        seconds = self._task.limits.seconds
        return None if seconds is None else max(seconds - self.seconds, 0.0)

    @property
    def only_first(self) -> bool:
        """Whether one failure or error state is enough."""
        return self._task.program.condition is None and not self._task.options.all_executions

    def answer(self) -> Found:
        """What the procedure that the user named found, or the first that ends.

        Raises:
            OverflowError: no procedure can have the program.
        """
        limits = self._task.limits
        match self._task.options.algorithm:
            case "forward":
                return self._forward(self.left, limits.states)
            case "backward":
                return self._backward(self.left, limits.states)
            case _:
                found = None
                for found in self._in_turn():
                    if found.is_over or self._is_last(found):
                        break
                if found is None:
                    raise AssertionError("there is always a first round")
                return found

    def _in_turn(self) -> Iterator[Found]:
        if self.only_first:
            for bound in _EARLY_BOUNDS:
                found = self._bounded(bound, _EARLY_SECONDS, _EARLY_STATES)
                if found is not None:
                    yield found
        seconds, states, bound = _FIRST_SECONDS, _FIRST_STATES, _EARLY_BOUNDS[-1]
        can_go_back = self._backward_can_answer()
        while True:
            yield self._forward(self._least(seconds), self._fewest(states))
            if can_go_back:
                try:
                    found = self._backward(self._least(seconds), self._fewest(states))
                except OverflowError:  # its data does not look finite when nothing but stores is looked at
                    can_go_back = False
                else:
                    if found.is_over or self._is_last(found):
                        yield found
            if self.only_first:
                bound += 1
                tried = self._bounded(bound, self._least(seconds), self._fewest(states))
                if tried is not None:
                    yield tried
            seconds, states = _GROWTH * seconds, _GROWTH * states

    def _is_last(self, found: Found) -> bool:
        """Whether a limit of the user's ended it, so that no further round may begin."""
        limits = self._task.limits
        match found.findings.stopped:
            case "states":
                return limits.states is not None and found.findings.stored >= limits.states
            case "time":
                return self.left == 0.0
            case "memory" | "request":
                return True
            case _:
                return False

    def _least(self, seconds: float) -> float:
        return seconds if self.left is None else min(seconds, self.left)

    def _fewest(self, states: int) -> int:
        most = self._task.limits.states
        return states if most is None else min(states, most)

    def _backward_can_answer(self) -> bool:
        """Whether all that is asked are assertions and control points, on one buffer per thread."""
        task = self._task
        asks = has_operation(task.program, Assert) or bool(task.program.errors)
        return (
            task.program.condition is None
            and task.model.operational is Operational.TSO
            and not self._question.looks_at_data
            and asks
        )

    def _forward(self, seconds: float | None, states: int | None) -> Found:
        off = self._task.options.reductions_off
        findings = self._question.core.forward(
            sleep="sleep" not in off,
            acceleration="acceleration" not in off,
            only_first=self.only_first,
            seconds=seconds,
            states=states,
            memory=self._task.limits.memory,
        )
        return Found(algorithm="forward", findings=findings)

    def _backward(self, seconds: float | None, states: int | None) -> Found:
        findings = self._question.core.backward(
            seconds=seconds, states=states, memory=self._task.limits.memory
        )
        return Found(algorithm="backward", findings=findings)

    def _bounded(self, bound: int, seconds: float, states: int) -> Found | None:
        """Exploration with short buffers, if it says something about longer ones."""
        findings = self._question.core.bounded(
            bound=bound,
            only_first=True,
            seconds=self._least(seconds),
            states=self._fewest(states),
            memory=self._task.limits.memory,
        )
        is_whole = findings.stopped is None and not findings.held
        if findings.stopped == "found" or is_whole:
            return Found(algorithm="bounded", findings=findings)
        return None
