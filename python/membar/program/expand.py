"""Expands operations that others express, above all locks, so that engines need not support them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from membar.program.dependencies import expressions_of, registers_written
from membar.program.expr import FALSE, TRUE, Register, equals, registers_of
from membar.program.operations import Assume, Lock, Operation, Rmw, Store, Unlock
from membar.program.program import Edge, Program, Thread
from membar.records import replace


def _lock(op: Lock, old: str) -> tuple[Operation, ...]:
    """An exchange with 1 and, in the same step, the assumption that the old value was 0.

    Executions that find the lock taken stop there, as waiting does.
    """
    exchange = Rmw(
        register=old, address=op.address, value=TRUE, size=op.size, read_tags=op.tags, write_tags=op.tags
    )
    return exchange, Assume(equals(Register(old), FALSE), waits=True)


def _unlock(op: Unlock, _: str) -> tuple[Operation, ...]:
    return (Store(address=op.address, value=FALSE, size=op.size, tags=op.tags),)


EXPANSIONS: dict[type, Callable[..., tuple[Operation, ...]]] = {Lock: _lock, Unlock: _unlock}
"""Operation → the operations that do the same; they may use one register that the thread does not have."""


def expand(program: Program) -> Program:
    """`program` without operations that others express; the very same object if it has none."""
    if program.operation_kinds.isdisjoint(EXPANSIONS):
        return program
    return replace(program, threads=tuple(_expand_thread(thread) for thread in program.threads))


def _expand_thread(thread: Thread) -> Thread:
    if not any(type(op) in EXPANSIONS for op in thread.operations):
        return thread
    old = _fresh_register(thread)
    edges = tuple(replace(edge, operations=tuple(_expand_edge(edge, old))) for edge in thread.edges)
    return replace(thread, edges=edges)


def _expand_edge(edge: Edge, old: str) -> Iterator[Operation]:
    for op in edge.operations:
        if type(op) in EXPANSIONS:
            yield from EXPANSIONS[type(op)](op, old)
        else:
            yield op


def _fresh_register(thread: Thread) -> str:
    """A register name that the thread does not use."""
    used = {name for name, _ in thread.registers}
    for edge in thread.edges:
        used.update(registers_of(edge.guard))
        for op in edge.operations:
            used.update(registers_written(op))
            used.update(name for expr in expressions_of(op) for name in registers_of(expr))
    name = "lock$old"
    while name in used:
        name += "$"
    return name
