"""The automaton of a process while it is built: points, and steps that do at most one shared access each."""

from __future__ import annotations

import enum

from membar.diagnostics import error
from membar.languages.xcfa.expressions import conjunction
from membar.program.expr import TRUE, Expr
from membar.program.operations import Fence, Load, Lock, Operation, Rmw, Store, Unlock
from membar.records import record
from membar.source import Span

_MOST_STEPS = 100_000


class Mark(enum.Enum):
    """Where an atomic block begins and ends."""

    BEGIN = "atomic_begin"
    END = "atomic_end"


@record(frozen=True, slots=True)
class MarkedEdge:
    """From one point to another."""

    source: int
    target: int
    guard: Expr
    operations: tuple[Operation, ...]
    span: Span
    mark: Mark | None = None


def is_shared(operation: Operation) -> bool:
    """Whether other threads can notice it, or it orders what they can notice."""
    return isinstance(operation, Load | Store | Rmw | Fence | Lock | Unlock)


class Steps:
    """All steps of a process; `at` is the point where the next statement begins."""

    def __init__(self) -> None:
        self.steps: list[MarkedEdge] = []
        self.at = 0
        self._points = 0
        self._guard: Expr = TRUE
        self._operations: list[Operation] = []
        self._span: Span | None = None

    def point(self) -> int:
        """A new point."""
        self._points += 1
        return self._points - 1

    def go_to(self, point: int) -> None:
        """Goes on at another point. What was collected must have been closed."""
        self.at = point

    def assume(self, condition: Expr, span: Span) -> None:
        """Goes on only if the condition holds."""
        if self._operations:
            self.close()
        self._guard = conjunction(self._guard, condition)
        self._span = self._span or span

    def do(self, operation: Operation, span: Span) -> None:
        """Does an operation; a shared one begins a new step if the current one has one already."""
        if is_shared(operation):
            if any(is_shared(other) for other in self._operations):
                self.close()
            self._span = span
        self._span = self._span or span
        self._operations.append(operation)

    def mark(self, mark: Mark, span: Span) -> None:
        """The border of an atomic block."""
        self.close()
        target = self.point()
        self._append(MarkedEdge(self.at, target, TRUE, (), span, mark))
        self.at = target

    def close(self, target: int | None = None, span: Span | None = None) -> None:
        """Ends the current step, at `target` if that is given."""
        if target is None and not self._operations and self._guard == TRUE:
            return
        end = self.point() if target is None else target
        place = self._span or span
        if place is None:
            raise AssertionError("a step without a place")
        self._append(MarkedEdge(self.at, end, self._guard, tuple(self._operations), place))
        self.at, self._guard, self._operations, self._span = end, TRUE, [], None

    def _append(self, step: MarkedEdge) -> None:
        self.steps.append(step)
        if len(self.steps) > _MOST_STEPS:
            raise error(
                "W0607",
                f"more than {_MOST_STEPS} steps after inlining",
                step.span,
                "every call is inlined",
            )
