"""The memory orders of C, and which programs use them; most programs do not, and never load the mappings."""

from __future__ import annotations

from typing import Final

from membar.program.operations import NO_TAGS, Fence, Load, Operation, Rmw, Store, Tags
from membar.program.program import Program

ORDERS: Final = ("RLX", "CON", "ACQ", "REL", "ACQ_REL", "SC")
PLAIN: Final = "NA"
C_TAGS: Final = frozenset({*ORDERS, PLAIN})
"""The ordering annotations of C, which a mapping replaces."""


def order_tags(operation: Operation) -> Tags:
    """The ordering annotations of an access or a fence."""
    match operation:
        case Load() | Store() | Fence():
            return operation.tags
        case Rmw():
            return operation.read_tags
        case _:
            return NO_TAGS


def uses_c_orders(program: Program) -> bool:
    """Whether some operation has a memory order of C."""
    return not program.tags.isdisjoint(C_TAGS) and any(
        order_tags(operation) & C_TAGS for operation in program.operations
    )


def has_plain_accesses(program: Program) -> bool:
    """Whether some access of C is not an atomic operation, so that it may race."""
    return (
        len(program.threads) > 1
        and PLAIN in program.tags
        and any(PLAIN in order_tags(operation) for operation in program.operations)
    )
