"""Assertions that only warn: a program with and without them."""

from __future__ import annotations

from collections.abc import Iterable

from membar.program.expr import Address
from membar.program.operations import WARNING, Assert, Load, Operation, Store
from membar.program.program import Edge, Program
from membar.records import replace

LEAK = "leak: "
"""How the message of a warning about memory that is never freed begins."""
OVERFLOW = "signed overflow"
"""How the message of a warning about arithmetic begins."""
LOOK = "leak$"
"""How registers and cells begin that are there for such warnings only."""


def warnings_in(notes: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """The warnings among the notes of an answer, each with the name of its kind."""
    kinds = ((LEAK, "memory-leak"), (OVERFLOW, "signed-overflow"))
    return tuple((kind, note) for note in notes for start, kind in kinds if note.startswith(start))


def has_warnings(program: Program) -> bool:
    """Whether some assertion only warns."""
    return Assert in program.operation_kinds and any(
        _only_warns(operation)
        for thread in program.threads
        for edge in thread.edges
        for operation in edge.operations
    )


def without_warnings(program: Program, about: str = "") -> Program:
    """The same steps, but nothing warns; or nothing whose message begins with `about`."""
    if not has_warnings(program):
        return program
    threads = tuple(
        replace(thread, edges=tuple(_silent(edge, about) for edge in thread.edges))
        for thread in program.threads
    )
    return replace(program, threads=threads)


def _silent(edge: Edge, about: str) -> Edge:
    kept = tuple(operation for operation in edge.operations if not _goes(operation, about))
    return edge if len(kept) == len(edge.operations) else replace(edge, operations=kept)


def _goes(operation: Operation, about: str) -> bool:
    if isinstance(operation, Load):
        return operation.register.startswith(LOOK) and about in ("", LEAK)
    if isinstance(operation, Store):
        is_left = isinstance(operation.address, Address) and operation.address.name.startswith(LOOK)
        return is_left and about in ("", LEAK)
    return _only_warns(operation) and isinstance(operation, Assert) and operation.message.startswith(about)


def _only_warns(operation: Operation) -> bool:
    return isinstance(operation, Assert) and operation.property == WARNING
