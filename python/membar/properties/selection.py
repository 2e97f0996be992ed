"""The properties to check: which, selected by whom, and with which of the program's assertions."""

from __future__ import annotations

from collections.abc import Collection

from membar.program import operations as ops
from membar.program.expr import Constant
from membar.program.program import Edge, Program
from membar.properties import ASSERTED
from membar.properties.locks import NAME as LOCKS
from membar.properties.memory import NAME as MEMORY
from membar.properties.property import has_assertion_of, has_error_state_of, is_asked_as
from membar.records import record, replace

_REACHED = " is called"
UNDEFINED = frozenset({MEMORY, LOCKS})
"""What follows in an execution that violates one of these has no meaning."""


def is_about_whole_runs(program: Program, name: str) -> bool:
    """Whether a property is about whole executions, so that those which end early do not count."""
    if name == "claims":
        return bool(program.claims) or has_error_state_of(program, name)
    return is_asked_as(program, name)


@record(frozen=True, slots=True, kw_only=True)
class Asked:
    """The properties of a question.

    Attributes:
        names: properties of programs; empty to explore only.
        labels: properties of labels: `acceptance`, `progress`.
        by_name: whether the user named them; else they are all that apply.
        inapplicable: those that were named and say nothing about the program, beside others that do.
        functions: of the assertions only calls of these count (SV-COMP's `reach_error`); empty for all.
        memory_parts: SV-COMP's properties of memory that are asked about, of which a value that was never set
            violates none; empty for all of `memory`.
        allows_tracked: memory that is not freed violates `leaks` only if no pointer leads to it (SV-COMP's
            valid-memtrack), which nobody checks.
    """

    names: tuple[str, ...]
    labels: tuple[str, ...] = ()
    by_name: bool = False
    inapplicable: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    memory_parts: tuple[str, ...] = ()
    allows_tracked: bool = False

    @property
    def warnings(self) -> frozenset[str]:
        """The properties that only warn by default, but were selected by name."""
        return ops.WARNINGS & frozenset(self.names) if self.by_name else frozenset()


def asserting(
    program: Program, names: Collection[str], functions: Collection[str] = (), *, is_defined: bool = False
) -> Program:
    """The program with the assertions of some properties only; executions end where another fails.

    Where an access goes wrong or a lock is misused nothing is known of what follows, so that their assertions
    stay, unless only executions without that are asked about (`is_defined`); those that only warn stay too.
    If nothing is asked, or whole executions are, all of them stay. A process that ends with another status
    than 0 has ended as it would otherwise. Where executions go on after a failed assertion, those that nobody
    asks about have no effect.
    """
    if names and ops.ASSERTIONS not in names and has_error_state_of(program, ops.ASSERTIONS):
        errors = tuple(item for item in program.errors if item.property != ops.ASSERTIONS)
        program = replace(program, errors=errors)
    if not names or ops.Assert not in program.operation_kinds:
        return program
    kept = _kept_properties(program, names, is_defined=is_defined)

    def change_operation(operation: ops.Operation) -> ops.Operation:
        if not isinstance(operation, ops.Assert):
            return operation
        is_asked = operation.property in kept
        if ops.is_about_status(operation) and ops.EXITS not in names:
            return ops.Assume(Constant(1))
        if program.goes_on_after_assertions and operation.property == ops.ASSERTIONS not in names:
            return ops.Assume(Constant(1))
        if operation.property == ops.ASSERTIONS and functions:
            is_asked &= any(operation.message.startswith(f"{name}{_REACHED}") for name in functions)
        return operation if is_asked else ops.Assume(operation.condition)

    def edge_of(edge: Edge) -> Edge:
        operations = tuple(map(change_operation, edge.operations))
        return edge if operations == edge.operations else replace(edge, operations=operations)

    threads = tuple(replace(thread, edges=tuple(map(edge_of, thread.edges))) for thread in program.threads)
    return program if threads == program.threads else replace(program, threads=threads)


def _kept_properties(
    program: Program, names: Collection[str], *, is_defined: bool = False
) -> Collection[str]:
    """The properties whose assertions are kept if these are selected."""
    if not is_defined and any(is_about_whole_runs(program, name) for name in names):
        return ASSERTED
    return {ops.ERRORS, *names, *ops.WARNINGS} | (set() if is_defined else UNDEFINED)


def ends_at_assertions(program: Program, names: Collection[str]) -> bool:
    """Whether executions end at failing assertions that belong to none of these properties.

    A process that exits has ended: nothing is left out behind that.
    """
    is_silent = bool(names) and ops.ASSERTIONS not in _kept_properties(program, names)
    goes_on = program.goes_on_after_assertions
    return is_silent and not goes_on and has_assertion_of(program, ops.ASSERTIONS)
