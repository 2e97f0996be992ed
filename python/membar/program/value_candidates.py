"""Values that a read might return before any write is known to produce them.

Under a model that lets values justify themselves, a write that happens only because its value was read may
be the one that was read. To find such executions the value must be guessed first. The constants that a
program stores are tried; a value that is only ever copied could be anything, and is not.
"""

from __future__ import annotations

from collections.abc import Iterator

from membar.program.expr import Expr, evaluate, registers_of
from membar.program.operations import Operation, Rmw, Store, StoreConditional
from membar.program.program import Program

THIN_AIR = "values that justify themselves (out of thin air) are considered only if the program stores them"


def passes_on_reads(program: Program) -> bool:
    """Whether something is stored that was computed from registers, and so perhaps from what was read."""
    return any(
        isinstance(operation, Store | StoreConditional | Rmw) and any(registers_of(operation.value))
        for thread in program.threads
        for edge in thread.edges
        for operation in edge.operations
    )


def guesses(program: Program) -> tuple[tuple[int, int], ...]:
    """Cells with the constants that some operation may store there, sorted."""
    operations = (item for thread in program.threads for edge in thread.edges for item in edge.operations)
    return tuple(sorted({pair for operation in operations for pair in _stored_constants(program, operation)}))


def _stored_constants(program: Program, operation: Operation) -> Iterator[tuple[int, int]]:
    if not isinstance(operation, Store | StoreConditional | Rmw):
        return
    value = _constant(program, operation.value)
    if value is None:
        return
    address = _constant(program, operation.address)
    for cell in program.cells:
        if cell.object.size == operation.size and address in (None, cell.address):
            yield cell.id, value & ((1 << 8 * operation.size) - 1)


def _constant(program: Program, expr: Expr) -> int | None:
    return None if any(registers_of(expr)) else evaluate(expr, {}, program.bases)
