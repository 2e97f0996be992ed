"""What one instruction does, before it becomes edges of a thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from membar.frontends.litmus.dialects.aarch64.registers import View, assign
from membar.program.expr import TRUE, Expr
from membar.program.operations import Operation
from membar.records import record

if TYPE_CHECKING:
    from membar.frontends.litmus.dialects.aarch64.operands import Operand, Operands


@record(frozen=True, slots=True)
class Step:
    """Operations that are done in order, as one step with at most one access, unless `unordered`."""

    operations: tuple[Operation, ...] = ()
    unordered: bool = False


@record(frozen=True, slots=True)
class Steps:
    """The instruction does these one after another; other threads may act between them."""

    steps: tuple[Step, ...]


@record(frozen=True, slots=True)
class Choice:
    """The instruction may be done in any of these ways."""

    steps: tuple[Step, ...]


@record(frozen=True, slots=True, kw_only=True)
class Jump:
    """To `target` if `condition` is not 0; `link` keeps the address of the next instruction in X30."""

    target: Operand
    condition: Expr = TRUE
    link: bool = False


@record(frozen=True, slots=True)
class Return:
    """To the code address in a register."""

    register: str


Effect: TypeAlias = Step | Steps | Choice | Jump | Return
Handler: TypeAlias = "Callable[[Operands], Effect]"


def written(operands: Operands, target: View, result: Expr) -> Step:
    """The end of an instruction that only writes `result` to `target`."""
    operands.end()
    return Step(assign(target, result))
