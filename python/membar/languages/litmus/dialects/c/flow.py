"""Building the control-flow automaton of one thread, step by step."""

from __future__ import annotations

from typing import TypeAlias

from membar.languages.litmus.dialects.c.values import Value, truth
from membar.program.expr import FALSE, TRUE, Constant, Expr, negation
from membar.program.operations import Operation
from membar.program.program import Edge
from membar.source import Span

ENTRY = 0
# An edge between control points that may turn out to be others, with all that an `Edge` has.
_Step: TypeAlias = tuple[int, int, tuple[Operation, ...], Expr, bool, Span]


class Flow:
    """The edges so far and the control point `here` where the next step begins.

    Control points that turn out to be the same are joined; `edges` numbers what can be reached.

    Attributes:
        here: the control point.
        offset: by how much the spans of steps are moved.
    """

    def __init__(self) -> None:
        self.here = ENTRY
        self.offset = 0
        self._steps: list[_Step] = []
        self._points = 1
        self._same: dict[int, int] = {}

    def fresh(self) -> int:
        """A new control point."""
        self._points += 1
        return self._points - 1

    def emit(self, *operations: Operation, span: Span, guard: Expr = TRUE, unordered: bool = False) -> None:
        """One step from `here` to a new point, which becomes `here`."""
        source, self.here = self.here, self.fresh()
        place = Span(span.source, span.start + self.offset, span.end + self.offset)
        self._steps.append((source, self.here, operations, guard, unordered, place))

    def branch(self, condition: Value, span: Span) -> tuple[int, int]:
        """The points reached from `here` if `condition` holds and if not."""
        source, guard = self.here, truth(condition).expr
        points: list[int] = []
        for side in (guard, negation(guard)):
            self.here = source
            known = _fold_guard(guard, side)
            if known == FALSE:
                self.here = self.fresh()
            else:
                self.emit(span=span, guard=known)
            points.append(self.here)
        return points[0], points[1]

    def join(self, point: int) -> None:
        """From `here` the thread goes on at `point`; what is emitted next cannot be reached."""
        here, there = self._find(self.here), self._find(point)
        if here != there:
            self._same[here] = there
        self.here = self.fresh()

    def _find(self, point: int) -> int:
        while point in self._same:
            point = self._same[point]
        return point

    def edges(self) -> tuple[int, tuple[Edge, ...]]:
        """The entry and the reachable edges, in the order they were emitted, points numbered from 0."""
        edges = [(self._find(step[0]), self._find(step[1]), step) for step in self._steps]
        entry = self._find(ENTRY)
        reached, size = {entry}, 0
        while size != len(reached):
            size = len(reached)
            for source, target, _ in edges:  # most of them lead on
                if source in reached:
                    reached.add(target)
        kept = [edge for edge in edges if edge[0] in reached]
        number = {entry: 0}
        for source, target, _ in kept:
            number.setdefault(source, len(number))
            number.setdefault(target, len(number))
        return number[entry], tuple(
            Edge(
                source=number[source],
                target=number[target],
                operations=operations,
                guard=guard,
                unordered=unordered,
                span=span,
            )
            for source, target, (_, _, operations, guard, unordered, span) in kept
        )


def _fold_guard(guard: Expr, side: Expr) -> Expr:
    """`side`, which is `guard` or its negation, as a constant where `guard` is one."""
    if isinstance(guard, Constant):
        return TRUE if (guard.value != 0) == (side is guard) else FALSE
    return side
