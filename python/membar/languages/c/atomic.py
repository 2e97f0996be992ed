"""Atomic blocks: every way through one becomes a single step.

Such a step is done at once by state-based engines. Axioms speak of single accesses: there a block is exact if
it makes one access, or reads and writes one variable. Engines that rest on axioms refuse all others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from membar.languages.c import codes
from membar.languages.c.machine import Block, Machine
from membar.languages.c.values import conjunction
from membar.program.expr import TRUE, Expr
from membar.program.merge_to_rmw import as_exchange
from membar.program.operations import Assert, Assume, Operation
from membar.program.program import Edge
from membar.source import Span

_MOST_WAYS: Final = 256


def begin(m: Machine, span: Span) -> None:
    """Opens a block."""
    if m.flow.is_dead:
        return
    if m.block is not None:
        m.world.refuse(span, "an atomic block inside an atomic block", codes.ATOMIC_BLOCK)
    m.flow.cut()
    assert m.flow.state is not None
    m.block = Block(m.flow.state.source, len(m.flow.edges), span)


def end(m: Machine, span: Span) -> None:
    """Closes the block; its steps become one."""
    block = m.block
    if block is None:
        if m.flow.is_dead:
            return
        m.world.refuse(span, "the end of an atomic block that was not opened", codes.ATOMIC_BLOCK)
    m.block = None
    flow = m.flow
    flow.cut()
    inner = flow.edges[block.edges :]
    if any(edge.target == block.point for edge in inner) or flow.leads_out({edge.target for edge in inner}):
        m.world.refuse(block.span, "an atomic block with a loop, or left by a jump", codes.ATOMIC_BLOCK)
    last = None if flow.state is None else flow.state.source
    del flow.edges[block.edges :]
    flow.edges += _ways(m, inner, block, last, span)


def _ways(m: Machine, inner: list[Edge], block: Block, last: int | None, span: Span) -> Iterator[Edge]:
    leaving: dict[int, list[Edge]] = {}
    for edge in inner:
        leaving.setdefault(edge.source, []).append(edge)
    todo: list[tuple[tuple[Edge, ...], int]] = [((), block.point)]
    count = 0
    while todo:
        way, point = todo.pop()
        count += 1
        if count > _MOST_WAYS or len(way) > _MOST_WAYS:
            m.world.refuse(
                block.span, f"an atomic block with a loop or {_MOST_WAYS} ways", codes.ATOMIC_BLOCK
            )
        following = leaving.get(point, [])
        if point == last or not following:
            if way:
                yield _contracted(way, block, span)
            continue
        todo += (((*way, edge), edge.target) for edge in reversed(following))


def _contracted(way: tuple[Edge, ...], block: Block, span: Span) -> Edge:
    guard: Expr = TRUE
    operations: list[Operation] = []
    for edge in way:
        if edge.guard != TRUE and operations:
            operations.append(Assume(edge.guard))
        else:
            guard = conjunction(guard, edge.guard)
        operations += edge.operations
    has_checks = any(isinstance(operation, Assert) for operation in operations)
    exchange = None if has_checks else as_exchange(operations)
    return Edge(
        source=block.point,
        target=way[-1].target,
        operations=tuple(operations if exchange is None else exchange),
        guard=guard,
        span=block.span.to(span) if block.span.source is span.source else block.span,
    )
