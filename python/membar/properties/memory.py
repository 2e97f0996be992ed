"""Every access goes to valid, initialised memory."""

from __future__ import annotations

from membar.program.access import ASTRAY
from membar.program.expr import Address
from membar.program.operations import Assert, Load, Lock, Rmw, Store, StoreConditional, Unlock
from membar.program.program import Program
from membar.properties.property import Property, has_assertion_of

NAME = "memory"
# How messages about values end that were never set.
_UNSET = "before it was set"
# Languages whose run-time errors are assertions.
_CHECKED_BY_ASSERTIONS = frozenset({"Promela", "DVE"})


def _has_pointers(program: Program) -> bool:
    return any(
        isinstance(operation, Load | Store | StoreConditional | Rmw | Lock | Unlock)
        and not isinstance(operation.address, Address)
        for thread in program.threads
        for edge in thread.edges
        for operation in edge.operations
    )


def is_about_value(message: str) -> bool:
    """Whether an assertion about memory with this message is about a value that was never set."""
    return _UNSET in message


def property_of(program: Program, message: str) -> str:
    """The property that is broken where an assertion with this message fails, or an access is invalid."""
    for thread in program.threads:
        for edge in thread.edges:
            for operation in edge.operations:
                if isinstance(operation, Assert) and operation.message == message:
                    return operation.property
    return NAME if message.startswith(ASTRAY) else "assertions"


PROPERTY = Property(
    name=NAME,
    title="every access goes to memory that exists and was initialised",
    covers="null and wild pointers, indices out of bounds, use after free or after the end of a scope, double"
    " free, uninitialised values, allocation that is not ordered before the access",
    # A litmus test asks its own question; a stray pointer in it is bad input.
    applies=lambda program, _: (
        program.condition is None
        and program.language not in _CHECKED_BY_ASSERTIONS
        and (
            _has_pointers(program)
            or has_assertion_of(program, NAME)
            or any(name == NAME for name, _ in program.partly_checked)
        )
    ),
    is_asserted=True,
    advice="The related locations show where the memory was freed or its lifetime ended, if known.",
)
