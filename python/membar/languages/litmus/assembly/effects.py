"""What one instruction does, before it becomes edges of a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from membar.program.expr import TRUE, Expr
from membar.program.operations import Operation
from membar.records import record

if TYPE_CHECKING:
    from membar.languages.litmus.assembly.operands import Operand


@record(frozen=True, slots=True)
class InstructionStep:
    """Operations that are done in order, as one step with at most one access, unless `unordered`."""

    operations: tuple[Operation, ...] = ()
    unordered: bool = False


@record(frozen=True, slots=True)
class Steps:
    """The instruction does these one after another; other threads may act between them."""

    steps: tuple[InstructionStep, ...]


@record(frozen=True, slots=True)
class Choice:
    """The instruction may be done in any of these ways."""

    steps: tuple[InstructionStep, ...]


@record(frozen=True, slots=True, kw_only=True)
class Jump:
    """To `target` if `condition` is not 0; the address of the next instruction goes to register `link`."""

    target: Operand
    condition: Expr = TRUE
    link: str | None = None


@record(frozen=True, slots=True)
class Return:
    """To the code address in a register."""

    register: str


Effect: TypeAlias = InstructionStep | Steps | Choice | Jump | Return
