"""`Property`: a name, a description, and the programs that it applies to."""

from __future__ import annotations

from collections.abc import Callable

from membar.models.model import Model
from membar.program.condition import FinalCondition, Quantifier
from membar.program.expr import TRUE
from membar.program.operations import ERRORS, Assert, Assume, Lock, Operation
from membar.program.program import Program
from membar.records import record


@record(frozen=True, slots=True, kw_only=True)
class Property:
    """Something that can be checked.

    Attributes:
        name: what `--property` calls it.
        title: what it demands, in one sentence.
        covers: what violates it, for the reference documentation.
        applies: whether something in a program could violate it under a model; then it is asked by default.
        is_asserted: assertions of programs belong to it (`Assert.property`), so that every engine that finds
            failing assertions checks it.
        advice: what to do about a violation, for reports that show it beside the code.
    """

    name: str
    title: str
    covers: str
    applies: Callable[[Program, Model], bool]
    is_asserted: bool = False
    advice: str = ""


def has_assertion_of(program: Program, name: str) -> bool:
    """Whether some assertion belongs to the property `name`."""
    return Assert in program.operation_kinds and any(
        isinstance(operation, Assert) and operation.property == name for operation in program.operations
    )


def has_error_state_of(program: Program, name: str) -> bool:
    """Whether the program has an error state that belongs to the property `name`."""
    return bool(program.errors) and any(predicate.property == name for predicate in program.errors)


def is_asked_as(program: Program, name: str) -> bool:
    """Whether the program's condition on its final states belongs to the property `name`."""
    return program.condition is not None and property_of_condition(program.condition) == name


def property_of_condition(condition: FinalCondition) -> str:
    """The property that a condition on final states belongs to."""
    return ERRORS if condition.quantifier is Quantifier.ERROR else "condition"


def property_of_error(program: Program, message: str) -> str:
    """The property that a run into an error state violates, by the message of its witness."""
    found = (predicate.property for predicate in program.errors if predicate.arrival() == message)
    return next(found, "errors")


def has_waiting_assumption(program: Program) -> bool:
    """Whether some thread waits for a condition."""
    if Assume not in program.operation_kinds:
        return False
    return any(isinstance(item, Assume) and item.waits for item in program.operations)


def has_waiting_guard(program: Program) -> bool:
    """Whether all guards of some control point may be false, so that its thread waits."""
    return program.guards_wait and any(edge.guard != TRUE for item in program.threads for edge in item.edges)


def has_operation(program: Program, *kinds: type[Operation]) -> bool:
    """Whether some edge has an operation of one of these kinds."""
    return not program.operation_kinds.isdisjoint(kinds)


def waits_outside_loops(program: Program) -> bool:
    """Whether threads wait other than by loops that read memory: by locks, conditions, guards."""
    return has_operation(program, Lock) or has_waiting_assumption(program) or has_waiting_guard(program)
