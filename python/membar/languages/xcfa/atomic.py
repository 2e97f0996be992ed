"""Atomic blocks: every path through one becomes a single edge.

Such an edge is one step of the state-based engines. Axioms speak of single accesses: there a block is exact
if it makes at most one access, or reads and writes one variable, which is a read-modify-write. Engines that
rest on axioms refuse all others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from membar.diagnostics import error
from membar.languages.xcfa.expressions import conjunction
from membar.languages.xcfa.steps import Mark, MarkedEdge
from membar.program import operations as ops
from membar.program.expr import TRUE, Expr
from membar.program.merge_to_rmw import as_exchange
from membar.program.program import Edge
from membar.source import Span

_MOST_WAYS = 256
FULL_FENCE = ops.Fence(frozenset({"MFENCE"}))


def edges(steps: Sequence[MarkedEdge], entry: int) -> tuple[Edge, ...]:
    """The edges of a thread.

    Raises:
        InputError: an atomic block that is not closed, entered from its side, or has a loop.
    """
    if all(step.mark is None for step in steps):
        return tuple(_edge(step) for step in steps)
    leaving: dict[int, list[MarkedEdge]] = {}
    for step in steps:
        leaving.setdefault(step.source, []).append(step)
    inside = _inside(leaving, entry)
    found: list[Edge] = []
    for step in steps:
        if inside.get(step.source) is not False:
            continue
        if step.mark is Mark.BEGIN:
            found += _block(step, leaving)
        else:
            found.append(_edge(step))
    return tuple(found)


def _edge(step: MarkedEdge) -> Edge:
    return Edge(
        source=step.source, target=step.target, operations=step.operations, guard=step.guard, span=step.span
    )


def _inside(leaving: dict[int, list[MarkedEdge]], entry: int) -> dict[int, bool]:
    """For each point that can be reached, whether it lies in an atomic block."""
    status = {entry: False}
    todo = [entry]
    while todo:
        point = todo.pop()
        for step in leaving.get(point, ()):
            here = status[point]
            if step.mark is not None and here is (step.mark is Mark.BEGIN):
                raise error(
                    "W0610",
                    f"`{step.mark.value}` {'inside' if here else 'outside'} an atomic block",
                    step.span,
                    "atomic blocks do not nest" if here else "no `atomic_begin` comes before it",
                )
            after = here if step.mark is None else step.mark is Mark.BEGIN
            if step.target not in status:
                status[step.target] = after
                todo.append(step.target)
            elif status[step.target] is not after:
                raise error(
                    "W0610",
                    "a location that is reached inside and outside an atomic block",
                    step.span,
                    "every path to a location must agree",
                )
    return status


def _block(begin: MarkedEdge, leaving: dict[int, list[MarkedEdge]]) -> Iterator[Edge]:
    count = 0
    todo: list[tuple[tuple[MarkedEdge, ...], int]] = [((), begin.target)]
    while todo:
        way, point = todo.pop()
        following = leaving.get(point, [])
        if not following and not _fails(way):
            raise error("W0610", "an atomic block that never ends", begin.span, "no `atomic_end` follows")
        if not following:
            yield _contract(begin, way, point)
        for step in following:
            if step.mark is Mark.END:
                yield _contract(begin, way, step.target)
            elif any(step is earlier for earlier in way):
                raise error(
                    "W0610",
                    "a loop inside an atomic block",
                    step.span,
                    "an atomic block must end after finitely many steps",
                )
            else:
                todo.append(((*way, step), step.target))
        count += 1
        if count > _MOST_WAYS * 16 or len(todo) > _MOST_WAYS:
            raise error(
                "W0610", "too many paths through an atomic block", begin.span, f"at most {_MOST_WAYS}"
            )


def _fails(way: Sequence[MarkedEdge]) -> bool:
    """Whether the way ends at an error location."""
    return bool(way) and any(isinstance(operation, ops.Assert) for operation in way[-1].operations)


def _contract(begin: MarkedEdge, way: Sequence[MarkedEdge], target: int) -> Edge:
    guard: Expr = TRUE
    operations: list[ops.Operation] = []
    span: Span = begin.span
    for step in way:
        if step.guard != TRUE and operations:
            operations.append(ops.Assume(step.guard))
        else:
            guard = conjunction(guard, step.guard)
        operations += step.operations
        span = span.to(step.span)
    accesses = [
        op for op in operations if isinstance(op, ops.Load | ops.Store | ops.Rmw | ops.Lock | ops.Unlock)
    ]
    if len(accesses) > 1:
        exchange = as_exchange(operations)
        if exchange is None:
            operations = [FULL_FENCE, *operations, FULL_FENCE]
        return Edge(
            source=begin.source,
            target=target,
            operations=tuple(operations if exchange is None else exchange),
            guard=guard,
            span=span,
        )
    return Edge(source=begin.source, target=target, operations=tuple(operations), guard=guard, span=span)
