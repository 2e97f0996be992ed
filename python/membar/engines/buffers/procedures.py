"""Runs the procedures of the core in rounds: the first that finishes, or finds the answer, wins."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from membar.models.model import Operational
from membar.program.condition import Quantifier
from membar.program.operations import Assert
from membar.properties import PROPERTIES
from membar.properties.property import has_operation
from membar.records import record

if TYPE_CHECKING:
    from membar import _core
    from membar.engines.buffers.question import EncodedTask
    from membar.questions.task import Task

ALGORITHMS = {
    "forward": "automata of buffer contents",
    "backward": "backward search from error states",
    "bounded": "short buffers, which are sufficient",
}
# How far each procedure goes in the first round; every round goes further than the one before.
_FIRST_STATES = 200_000
_FIRST_SECONDS = 2.0
_GROWTH = 4
# Before the first round, buffers of 1, 2, … entries: most errors need no more, and their runs are short.
_EARLY_BOUNDS = (1, 2, 3)
_EARLY_STATES = 20_000
_EARLY_SECONDS = 1.0
# And a look backwards, where no deadlock is asked for: what it can answer it often answers at once.
_QUICK_SECONDS = 0.25
# If all errors are wanted, those found by then are returned when no procedure has ended.
_ROUNDS_FOR_ALL = 2


@record(frozen=True, slots=True, kw_only=True)
class Found:
    """What was found, and by which procedure."""

    algorithm: str
    findings: _core.BufferFindings

    @property
    def is_whole(self) -> bool:
        """Whether there is nothing else to find, with buffers of any length."""
        if self.findings.stopped is not None:
            return False
        match self.algorithm:
            case "bounded":
                return not self.findings.held
            case "backward":
                return self.findings.is_exact or not self.findings.goals
            case _:
                return True


class Procedures:
    """The searches of one question, within the limits of its task."""

    def __init__(self, task: Task, question: EncodedTask) -> None:
        self._task = task
        self._question = question
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        """Time spent since the beginning."""
        return time.monotonic() - self._started

    @property
    def remaining_seconds(self) -> float | None:
        """Time that may still be spent; None is no limit."""
        seconds = self._task.limits.seconds
        return None if seconds is None else max(seconds - self.seconds, 0.0)

    @property
    def stops_at_first(self) -> bool:
        """Whether one failure, error state or deadlock is enough."""
        return self._task.program.condition is None and not self._task.options.all_executions

    def answer(self) -> Found:
        """What the procedure that the user named found, or the first that ends or has the answer.

        Raises:
            OverflowError: no procedure can have the program.
        """
        limits = self._task.limits
        match self._task.options.algorithm:
            case "forward":
                return self._forward(self.remaining_seconds, limits.states)
            case "backward":
                return self._backward(self.remaining_seconds, limits.states)
            case _:
                return self._first_answer()

    def _first_answer(self) -> Found:
        best: Found | None = None
        found: Found | None = None
        rounds = 0
        for found in self._run_procedures_in_turn():
            rounds += found.algorithm == "forward"
            if self._is_over(found):
                return found
            if self.is_answer(found):
                if not self._task.options.all_executions:
                    return found
                best = found
            if self._is_last(found) or (best is not None and rounds > _ROUNDS_FOR_ALL):
                break
        if found is None:
            raise AssertionError("there is always a first round")
        return best or found

    def _is_over(self, found: Found) -> bool:
        """Whether looking further cannot change the verdict."""
        if not found.is_whole:
            return False
        # Deadlocks that were asked for by name are not answered by a search that does not look for them.
        is_by_name = set(self._task.properties) != set(PROPERTIES)
        is_blind = found.algorithm == "backward" and self._question.seeks_deadlocks and is_by_name
        return not is_blind or bool(found.findings.goals)

    def is_answer(self, found: Found) -> bool:
        """Whether what was found decides, whatever was not explored."""
        if found.algorithm == "backward" and not found.findings.is_exact:
            return False
        return any(map(self._shows, found.findings.goals))

    def _shows(self, goal: _core.Goal) -> bool:
        """Whether something that was reached answers the program's own condition, or comes before that."""
        condition = self._task.program.condition
        if goal.kind != "ending" or condition is None:
            return self._question.is_asked(goal)
        observer = self._question.observer
        ending = observer.ending_with(goal.values[: len(observer.terms)])
        if not ending.passes:
            return False
        match condition.quantifier:
            case Quantifier.FORALL:
                return not ending.satisfies
            case Quantifier.EXISTS:
                # A witness does not settle the assertions in the unexplored part.
                asserts = "assertions" in self._task.properties and has_operation(self._task.program, Assert)
                return ending.satisfies and not asserts
            case Quantifier.NOT_EXISTS | Quantifier.ERROR:
                return ending.satisfies

    def _run_procedures_in_turn(self) -> Iterator[Found]:
        bound = 0
        # The paper's count of errors is that of sets of contents: who wants them all gets that first.
        if not self._task.options.all_executions:
            for bound in _EARLY_BOUNDS:
                yield from self._explore_bounded(bound, _EARLY_SECONDS, _EARLY_STATES)
        seconds, states = _FIRST_SECONDS, _FIRST_STATES
        can_go_back = self._backward_can_answer()
        if can_go_back and not self._question.seeks_deadlocks and not self._task.options.all_executions:
            found = self._if_finite(_QUICK_SECONDS, _EARLY_STATES)
            if found is not None and found.findings.stopped is None:
                yield found
        while True:
            yield self._forward(self._least(seconds), self._fewest(states))
            if can_go_back:
                found = self._if_finite(seconds, states)
                # Once it has ended it would say the same again.
                can_go_back = found is not None and found.findings.stopped is not None
                if found is not None and (not can_go_back or self._is_last(found)):
                    yield found
            bound += 1
            yield from self._explore_bounded(bound, seconds, states)
            seconds, states = _GROWTH * seconds, _GROWTH * states

    def _is_last(self, found: Found) -> bool:
        """Whether a limit of the user's ended it, so that no further round may begin."""
        limits = self._task.limits
        match found.findings.stopped:
            case "states":
                return limits.states is not None and found.findings.stored >= limits.states
            case "time":
                return self.remaining_seconds == 0.0
            case "memory":
                return True
            case _:
                return False

    def _least(self, seconds: float) -> float:
        return seconds if self.remaining_seconds is None else min(seconds, self.remaining_seconds)

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
            only_first=self.stops_at_first,
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

    def _if_finite(self, seconds: float, states: int) -> Found | None:
        """Backwards; None if the data does not look finite when only stores are considered."""
        try:
            return self._backward(self._least(seconds), self._fewest(states))
        except OverflowError:
            return None

    def _explore_bounded(self, bound: int, seconds: float, states: int) -> Iterator[Found]:
        """Exploration with short buffers, if it says something about longer ones."""
        findings = self._question.core.bounded(
            bound=bound,
            only_first=self.stops_at_first,
            seconds=self._least(seconds),
            states=self._fewest(states),
            memory=self._task.limits.memory,
        )
        found = Found(algorithm="bounded", findings=findings)
        if found.is_whole or self.is_answer(found) or findings.stopped == "memory":
            yield found
