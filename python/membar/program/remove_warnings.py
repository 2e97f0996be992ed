"""Removes assertions that only warn from a program."""

from __future__ import annotations

from collections.abc import Collection

from membar.program.expr import Address
from membar.program.operations import LEAKS, WARNINGS, Assert, Load, Operation, Store
from membar.program.program import Edge, Program
from membar.records import replace

CHECKED_LEAKS = (LEAKS, "leaks where `main` has joined all other threads")
"""The part of `leaks` that is checked, where the process may end before it has joined its threads."""
LOOK = "leak$"
"""How registers and cells begin that are there for such warnings only."""


def has_warnings(program: Program) -> bool:
    """Whether some assertion only warns."""
    return Assert in program.operation_kinds and any(
        _only_warns(operation) for operation in program.operations
    )


def without_warnings(program: Program, about: Collection[str] = WARNINGS) -> Program:
    """The same steps without the warnings about some properties."""
    if not has_warnings(program):
        return program
    threads = tuple(
        replace(thread, edges=tuple(_without_warnings_about(edge, about) for edge in thread.edges))
        for thread in program.threads
    )
    return replace(program, threads=threads)


def _without_warnings_about(edge: Edge, about: Collection[str]) -> Edge:
    kept = tuple(operation for operation in edge.operations if not _is_removed(operation, about))
    return edge if len(kept) == len(edge.operations) else replace(edge, operations=kept)


def _is_removed(operation: Operation, about: Collection[str]) -> bool:
    if isinstance(operation, Load):
        return operation.register.startswith(LOOK) and LEAKS in about
    if isinstance(operation, Store):
        is_left = isinstance(operation.address, Address) and operation.address.name.startswith(LOOK)
        return is_left and LEAKS in about
    return isinstance(operation, Assert) and operation.property in about


def _only_warns(operation: Operation) -> bool:
    return isinstance(operation, Assert) and operation.property in WARNINGS
