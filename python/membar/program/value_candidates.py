"""Values that a read might return before any write is known to produce them.

Under a model with self-justifying values, a write that happens only because its value was read may be the
very write that was read from. To find such executions the value must be guessed first. The constants that a
program stores anywhere are tried, at every location to which it stores a value that it read; other values are
not.
"""

from __future__ import annotations

from membar.program.expr import Expr, evaluate, registers_of
from membar.program.operations import Rmw, Store, StoreConditional
from membar.program.program import Program

THIN_AIR = (
    "values that justify themselves (out of thin air) are considered only if the program stores them"
    " somewhere as a constant"
)


def passes_on_reads(program: Program) -> bool:
    """Whether something computed from registers, and so perhaps from a read, is stored."""
    return any(
        isinstance(operation, Store | StoreConditional | Rmw) and any(registers_of(operation.value))
        for operation in program.operations
    )


def guesses(program: Program) -> tuple[tuple[int, int], ...]:
    """Cells with the constants that they may come to hold, sorted.

    A cell to which something computed from registers may be stored can hold a constant stored anywhere.
    """
    stores = [
        operation for operation in program.operations if isinstance(operation, Store | StoreConditional | Rmw)
    ]
    values = [_constant(program, store.value) for store in stores]
    constants = {value for value in values if value is not None}
    return tuple(
        sorted(
            {
                (cell.id, constant & ((1 << 8 * store.size) - 1))
                for store, value in zip(stores, values, strict=True)
                for cell in program.cells
                if cell.object.size == store.size
                and _constant(program, store.address) in (None, cell.address)
                for constant in (constants if value is None else (value,))
            }
        )
    )


def _constant(program: Program, expr: Expr) -> int | None:
    return None if any(registers_of(expr)) else evaluate(expr, {}, program.bases)
