"""What a property is: a name, a sentence, and the programs it says something about."""

from __future__ import annotations

from collections.abc import Callable

from membar.models.model import Model
from membar.program.expr import TRUE
from membar.program.operations import Assume, Operation
from membar.program.program import Program
from membar.records import record


@record(frozen=True, slots=True, kw_only=True)
class Property:
    """Something that can be checked.

    Attributes:
        name: what `--property` calls it.
        title: what it demands, in one sentence.
        applies: whether it says anything about a program under a model; others hold trivially.
    """

    name: str
    title: str
    applies: Callable[[Program, Model], bool]


def has_waiting_assumption(program: Program) -> bool:
    """Whether some thread waits for a condition."""
    if Assume not in program.operation_kinds:
        return False
    operations = (item for thread in program.threads for edge in thread.edges for item in edge.operations)
    return any(isinstance(item, Assume) and item.waits for item in operations)


def has_waiting_guard(program: Program) -> bool:
    """Whether some thread may find all guards closed, and waits then."""
    return program.guards_wait and any(edge.guard != TRUE for item in program.threads for edge in item.edges)


def has_operation(program: Program, *kinds: type[Operation]) -> bool:
    """Whether some edge has an operation of one of these kinds."""
    return not program.operation_kinds.isdisjoint(kinds)
