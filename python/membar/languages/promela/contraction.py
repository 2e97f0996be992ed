"""Leaves out control points inside atomic blocks where that does not add edges.

A point that every process passes without anybody else moving can be left out: each edge that leads there is
followed by each that leaves. Where one edge enters or one leaves there are no more edges than before; so the
program stays as large as its text, and many blocks become a single step.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from membar.languages.promela.channels import FULL_FENCE, at_once
from membar.program.expr import TRUE
from membar.program.operations import Assume, Operation, Receive, Send
from membar.program.program import Edge
from membar.records import replace
from membar.source import Span

_MOST_OPERATIONS = 200


def without_held_points(edges: Sequence[Edge], held: Collection[int]) -> list[Edge]:
    """The edges of a thread without the points of `held` that can be left out."""
    known = dict(enumerate(edges))
    entering: dict[int, list[int]] = {point: [] for point in held}
    leaving: dict[int, list[int]] = {point: [] for point in held}
    for number, edge in known.items():
        if edge.target in entering:
            entering[edge.target].append(number)
        if edge.source in leaving:
            leaving[edge.source].append(number)
    todo = sorted(held)
    count = len(edges)
    while todo:
        point = todo.pop(0)
        ins, outs = entering[point], leaving[point]
        if not _can_be_left_out([known[number] for number in ins], [known[number] for number in outs]):
            continue
        entering[point], leaving[point] = [], []
        for first in ins:
            for second in outs:
                edge = _joined(known[first], known[second])
                known[count] = edge
                if edge.target in entering:
                    entering[edge.target].append(count)
                    todo.append(edge.target)
                if edge.source in leaving:
                    leaving[edge.source].append(count)
                    todo.append(edge.source)
                count += 1
        for number in (*ins, *outs):
            edge = known.pop(number)
            if edge.source in leaving and edge.source != point:
                leaving[edge.source].remove(number)
            if edge.target in entering and edge.target != point:
                entering[edge.target].remove(number)
    return list(known.values())


def _can_be_left_out(entering: Sequence[Edge], leaving: Sequence[Edge]) -> bool:
    if not entering or not leaving or len(entering) * len(leaving) > len(entering) + len(leaving):
        return False
    longest = max(len(edge.operations) for edge in entering) + max(len(edge.operations) for edge in leaving)
    if longest > _MOST_OPERATIONS:
        return False
    for edge in leaving:
        if edge.source == edge.target or edge.rank or edge.idle:
            return False
        if any(isinstance(operation, Send | Receive) for operation in edge.operations):
            return False
    return True


def _joined(first: Edge, second: Edge) -> Edge:
    """Two edges as one step."""
    test: tuple[Operation, ...] = () if second.guard == TRUE else (Assume(second.guard, waits=True),)
    operations = (*first.operations, *test, *second.operations)
    if FULL_FENCE in operations:
        operations = tuple(at_once([item for item in operations if item != FULL_FENCE]))
    return replace(
        first,
        target=second.target,
        operations=operations,
        span=_joined_spans(first.span, second.span),
    )


def _joined_spans(first: Span | None, second: Span | None) -> Span | None:
    if first is None or second is None:
        return first or second
    is_behind = second.source is first.source and second.start >= first.start
    return first.to(second) if is_behind and second.end >= first.end else first
