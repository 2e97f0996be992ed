"""Replaces lock operations by reads and writes, so that engines need not support locks."""

from __future__ import annotations

from collections.abc import Iterator

from membar.program.dependencies import expressions_of, registers_written
from membar.program.expr import FALSE, TRUE, Register, equals, registers_of
from membar.program.operations import Assume, Lock, Operation, Rmw, Store, Unlock
from membar.program.program import Edge, Program, Thread
from membar.records import replace


def expand(program: Program) -> Program:
    """`program` without `Lock` and `Unlock`; the very same object if it has none.

    A lock becomes an atomic exchange with 1 followed, in the same step, by the assumption that the old
    value was 0: executions that find the lock taken stop there, as waiting does. An unlock becomes a
    store of 0.
    """
    if program.operation_kinds.isdisjoint({Lock, Unlock}):
        return program
    return replace(program, threads=tuple(_expanded_thread(thread) for thread in program.threads))


def _has_locks(thread: Thread) -> bool:
    return any(isinstance(op, Lock | Unlock) for edge in thread.edges for op in edge.operations)


def _expanded_thread(thread: Thread) -> Thread:
    if not _has_locks(thread):
        return thread
    old = _fresh_register(thread)
    edges = tuple(replace(edge, operations=tuple(_expanded(edge, old))) for edge in thread.edges)
    return replace(thread, edges=edges)


def _expanded(edge: Edge, old: str) -> Iterator[Operation]:
    for op in edge.operations:
        match op:
            case Lock(address=address, size=size, tags=tags):
                yield Rmw(
                    register=old, address=address, value=TRUE, size=size, read_tags=tags, write_tags=tags
                )
                yield Assume(equals(Register(old), FALSE), waits=True)
            case Unlock(address=address, size=size, tags=tags):
                yield Store(address=address, value=FALSE, size=size, tags=tags)
            case _:
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
