"""An atomic block with branches as one step without them.

Both arms of every branch are done, and what they set is taken only where the branch leads there. A load from
a known address is harmless even if the program would not do it: a step with several accesses is answered only
by engines that execute programs, for which a load leaves nothing behind. Where the program would not load
through a pointer, such an address takes its place. Everything else must lie where all ways pass: a store that
is not done cannot be told from one that writes what was there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from membar.code.lowering.automaton import Automaton, ends_execution, is_visible
from membar.program.expr import (
    FALSE,
    TRUE,
    Address,
    Binary,
    BinaryOp,
    Constant,
    Expr,
    Register,
    Select,
    is_truth,
    negation,
)
from membar.program.operations import Assert, Assume, Choose, Load, Operation, Set
from membar.program.program import Edge
from membar.records import record, replace
from membar.source import Span


class _CannotFlattenError(Exception):
    """The block has something that cannot be done where the program would not do it."""


@record(frozen=True, slots=True)
class FlatBlock:
    """One step for all ways through a block but those that are not followed to the end.

    Attributes:
        replaced: the steps that it stands for.
        left_out: a step to each point from which nothing is followed.
    """

    step: Edge
    replaced: list[Edge]
    left_out: list[Edge]


def flatten_block(
    begin: int,
    leaving: Mapping[int, Sequence[Edge]],
    ends: frozenset[int],
    flow: Automaton,
    span: Span | None,
) -> FlatBlock | None:
    """One step for all ways through a block; None if that is not possible."""
    try:
        return _Block(begin, leaving, ends, flow).flatten(span)
    except _CannotFlattenError:
        return None


class _Block:
    def __init__(
        self, begin: int, leaving: Mapping[int, Sequence[Edge]], ends: frozenset[int], flow: Automaton
    ) -> None:
        self.begin, self.leaving, self.flow = begin, leaving, flow
        self.ends = ends - {begin}  # where another block may end
        self.order = self._sorted_points()
        reached = self.ends.intersection(self.order)
        if len(reached) != 1:
            raise _CannotFlattenError
        (self.end,) = reached
        self.live = self._live_points()
        self.certain = {point for point in self.order if self._is_passed_by_all(point)}
        self.operations: list[Operation] = []
        self.taken: dict[int, list[Expr]] = {begin: [TRUE]}  # when a point is reached: one of these holds

    def flatten(self, span: Span | None) -> FlatBlock:
        """The step, and what it replaces."""
        replaced: list[Edge] = []
        left_out: list[Edge] = []
        for point in self.order:
            if point == self.end:
                continue
            here = TRUE if point in self.certain else self._named(_any_of(self.taken[point]))
            edges = sorted(self._following(point), key=lambda edge: edge.target in self.live)
            self._check_branch(edges)
            # Before an arm changes a register:
            ways = [self._named(_both(here, edge.guard)) for edge in edges]
            if point in self.certain and not any(edge.target in self.live for edge in edges[:-1]):
                ways[-1] = TRUE  # the others end the execution
            for edge, way in zip(edges, ways, strict=True):
                for operation in edge.operations:
                    self._do(operation, way)
                if self._is_left_out(edge.target):
                    there = replace(edge, source=self.begin, guard=TRUE, span=span)
                    left_out.append(replace(there, operations=(*self.operations, Assume(way))))
                    self.operations.append(Assume(negation(way)))
                self.taken.setdefault(edge.target, []).append(way)
            replaced += edges
        if sum(map(is_visible, self.operations)) < 2:
            raise _CannotFlattenError
        step = Edge(source=self.begin, target=self.end, operations=tuple(self.operations), span=span)
        return FlatBlock(step, replaced, left_out)

    def _following(self, point: int) -> Sequence[Edge]:
        return () if point in self.ends or self._is_left_out(point) else self.leaving.get(point, ())

    def _is_left_out(self, point: int) -> bool:
        """Whether what follows is not followed."""
        return any(edge.unexplored for edge in self.leaving.get(point, ()))

    def _sorted_points(self) -> list[int]:
        """The points of the block, each one before those that follow it."""
        done: list[int] = []
        seen: dict[int, bool] = {}  # False while the points behind it are visited

        todo = [(self.begin, False)]
        while todo:
            point, is_left = todo.pop()
            if is_left:
                seen[point] = True
                done.append(point)
                continue
            if point in seen:
                if not seen[point]:
                    raise _CannotFlattenError  # a loop
                continue
            seen[point] = False
            todo.append((point, True))
            todo += [(edge.target, False) for edge in self._following(point)]
        return done[::-1]

    def _live_points(self) -> set[int]:
        """The points from which the end can be reached."""
        found = {self.end}
        for point in reversed(self.order):
            if any(edge.target in found for edge in self._following(point)):
                found.add(point)
        return found

    def _is_passed_by_all(self, point: int) -> bool:
        """Whether every way to the end passes a point."""
        seen, todo = {point}, [self.begin]
        while todo:
            each = todo.pop()
            if each == self.end and each != point:
                return False
            if each not in seen:
                seen.add(each)
                todo += [edge.target for edge in self._following(each)]
        return True

    def _check_branch(self, edges: Sequence[Edge]) -> None:
        """Makes sure that exactly one of the steps from a point can be taken, and where nothing follows."""
        match [edge.guard for edge in edges]:
            case [] | [Constant(value=1)]:
                pass
            case [one, other] if one == negation(other) or other == negation(one):
                pass
            case _:
                raise _CannotFlattenError
        for edge in edges:
            goes_on = edge.target == self.end or self._following(edge.target)
            is_end = self._is_left_out(edge.target) or any(map(ends_execution, edge.operations))
            if not goes_on and not is_end:
                raise _CannotFlattenError

    def _named(self, condition: Expr) -> Expr:
        if condition in (TRUE, FALSE) or isinstance(condition, Register):
            return condition
        name = self.flow.register()
        self.operations.append(Set(name, condition))
        return Register(name)

    def _known_address(self, size: int) -> Address:
        """Where some other load of this size in the block is made: a load there is harmless."""
        for point in self.order:
            for edge in self._following(point):
                for item in edge.operations:
                    if isinstance(item, Load) and isinstance(item.address, Address) and item.size == size:
                        return item.address
        raise _CannotFlattenError

    def _do(self, operation: Operation, way: Expr) -> None:
        """Does an operation where `way` holds."""
        if way == TRUE:
            self.operations.append(operation)
            return
        match operation:
            case Set(register=register, value=value):
                self.operations.append(Set(register, Select(way, value, Register(register))))
            case (
                Load(register=register, exclusive=False)
                | Choose(register=register, low=Constant(), high=Constant(), retries=False)
            ):
                name = self.flow.register()
                if isinstance(operation, Load) and not isinstance(operation.address, Address):
                    address = Select(way, operation.address, self._known_address(operation.size))
                    operation = replace(operation, address=address)
                self.operations.append(replace(operation, register=name))
                self.operations.append(Set(register, Select(way, Register(name), Register(register))))
            case Assert(condition=condition) | Assume(condition=condition, waits=False):
                self.operations.append(replace(operation, condition=_implies(way, condition)))
            case _:
                raise _CannotFlattenError


def _truth(expr: Expr) -> Expr:
    return expr if is_truth(expr) else Binary(BinaryOp.NE, expr, FALSE)


def _both(left: Expr, right: Expr) -> Expr:
    if left == TRUE:
        return _truth(right)
    return left if right == TRUE else Binary(BinaryOp.AND, left, _truth(right))


def _any_of(conditions: Sequence[Expr]) -> Expr:
    first, *others = conditions
    for other in others:
        first = Binary(BinaryOp.OR, first, other)
    return first


def _implies(way: Expr, condition: Expr) -> Expr:
    return negation(way) if condition == FALSE else Binary(BinaryOp.OR, negation(way), _truth(condition))
