"""Assertions that only warn: a program with and without them."""

from __future__ import annotations

from dataclasses import replace

from membar.program.operations import WARNING, Assert, Operation
from membar.program.program import Edge, Program


def has_warnings(program: Program) -> bool:
    """Whether some assertion only warns."""
    return Assert in program.operation_kinds and any(
        _only_warns(operation)
        for thread in program.threads
        for edge in thread.edges
        for operation in edge.operations
    )


def without_warnings(program: Program) -> Program:
    """The same steps, but nothing warns."""
    if not has_warnings(program):
        return program
    threads = tuple(
        replace(thread, edges=tuple(_silent(edge) for edge in thread.edges)) for thread in program.threads
    )
    return replace(program, threads=threads)


def _silent(edge: Edge) -> Edge:
    if not any(_only_warns(operation) for operation in edge.operations):
        return edge
    return replace(
        edge, operations=tuple(operation for operation in edge.operations if not _only_warns(operation))
    )


def _only_warns(operation: Operation) -> bool:
    return isinstance(operation, Assert) and operation.property == WARNING
