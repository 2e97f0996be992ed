"""No access goes through a pointer that points to no location, or to something that was never set."""

from __future__ import annotations

from membar.program.access import ASTRAY
from membar.program.expr import Address
from membar.program.operations import Assert, Load, Lock, Rmw, Store, StoreConditional, Unlock
from membar.program.program import Program
from membar.properties.property import Property

NAME = "memory"


def _has_pointers(program: Program) -> bool:
    return any(
        isinstance(operation, Load | Store | StoreConditional | Rmw | Lock | Unlock)
        and not isinstance(operation.address, Address)
        for thread in program.threads
        for edge in thread.edges
        for operation in edge.operations
    )


def _has_checks(program: Program) -> bool:
    return any(
        isinstance(operation, Assert) and operation.property == NAME
        for thread in program.threads
        for edge in thread.edges
        for operation in edge.operations
    )


def property_of(program: Program, message: str) -> str:
    """The property that is broken where an assertion with this message fails, or an access goes astray."""
    for thread in program.threads:
        for edge in thread.edges:
            for operation in edge.operations:
                if isinstance(operation, Assert) and operation.message == message:
                    return operation.property
    return NAME if message.startswith(ASTRAY) else "assertions"


PROPERTY = Property(
    name=NAME,
    title="every access goes to a location that exists, and no variable is used before it was set",
    # A litmus test asks its own question; a stray pointer in it is bad input.
    applies=lambda program, _: program.condition is None and (_has_pointers(program) or _has_checks(program)),
)
