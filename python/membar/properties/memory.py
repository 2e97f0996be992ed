"""Every access goes to valid, initialised memory."""

from __future__ import annotations

from membar.program.access import ASTRAY
from membar.program.expr import Address
from membar.program.operations import Assert, Load, Lock, Rmw, Store, StoreConditional, Unlock
from membar.program.program import Program
from membar.properties.property import Property, has_assertion_of

NAME = "memory"
# In messages about values that were never set, and about arithmetic without a result.
_NO_ACCESS = (
    "before it was set",
    "division by zero",
    "shift by ",
    "does not fit its type",
    "has no result",
    "no elements",
)
# Languages that check indices themselves, and have no pointers.
_CHECK_INDICES = frozenset({"Promela", "DVE"})


def _has_pointers(program: Program) -> bool:
    return any(
        isinstance(operation, Load | Store | StoreConditional | Rmw | Lock | Unlock)
        and not isinstance(operation.address, Address)
        for operation in program.operations
    )


def is_about_value(message: str) -> bool:
    """Whether an assertion about memory is about a value, uninitialised or undefined, and not an access."""
    return any(words in message for words in _NO_ACCESS)


def property_of(program: Program, message: str) -> str:
    """The property that is violated where an assertion with this message fails, or an access is invalid."""
    for operation in program.operations:
        if isinstance(operation, Assert) and operation.message == message:
            return operation.property
    return NAME if message.startswith(ASTRAY) else "assertions"


PROPERTY = Property(
    name=NAME,
    title="every access goes to memory that exists and was initialised",
    covers="null and wild pointers, indices out of bounds, use after free or after the end of a scope, double"
    " free, uninitialised values, allocation that is not ordered before the access; also arithmetic with"
    " undefined behaviour: division by zero, shifts by more bits than the value has, a reached"
    " `__builtin_unreachable`",
    # A litmus test asks its own question; a stray pointer in it is bad input.
    applies=lambda program, _: (
        program.condition is None
        and (
            (program.language not in _CHECK_INDICES and _has_pointers(program))
            or has_assertion_of(program, NAME)
            or any(name == NAME for name, _ in program.partly_checked)
        )
    ),
    is_asserted=True,
    advice="The related locations show where the memory was freed or its lifetime ended, if known.",
)
