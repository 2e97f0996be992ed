"""Branches, calls and returns."""

from __future__ import annotations

from functools import partial

from membar.languages.litmus.assembly.effects import Jump, Return
from membar.languages.litmus.dialects.aarch64.flags import CONDITIONS
from membar.languages.litmus.dialects.aarch64.operands import Handler, Operands
from membar.languages.litmus.dialects.aarch64.registers import LINK, constant, value, word
from membar.program.expr import TRUE, Binary, BinaryOp, Expr, equals, negation


def _branch(operands: Operands, *, condition: Expr = TRUE, link: str | None = None) -> Jump:
    return Jump(target=operands.label(), condition=condition, link=link)


def _compare_branch(operands: Operands, *, on_zero: bool) -> Jump:
    """`CBZ`, `CBNZ`."""
    is_zero = equals(value(operands.register()), constant(0))
    return Jump(target=operands.label(), condition=is_zero if on_zero else negation(is_zero))


def _test_branch(operands: Operands, *, on_zero: bool) -> Jump:
    """`TBZ`, `TBNZ`."""
    register = operands.register()
    bit = operands.number_below(register.width)
    is_set = Binary(BinaryOp.AND, Binary(BinaryOp.SHR, word(register), constant(bit)), constant(1))
    return Jump(target=operands.label(), condition=negation(is_set) if on_zero else is_set)


def _return(operands: Operands) -> Return:
    register = operands.register(width=64).name if operands.following is not None else LINK
    operands.end()
    return Return(register)


INSTRUCTIONS: dict[str, Handler] = {
    "B": _branch,
    **{f"B.{code}": partial(_branch, condition=holds) for code, holds in CONDITIONS.items()},
    "BL": partial(_branch, link=LINK),
    "RET": _return,
    "CBZ": partial(_compare_branch, on_zero=True),
    "CBNZ": partial(_compare_branch, on_zero=False),
    "TBZ": partial(_test_branch, on_zero=True),
    "TBNZ": partial(_test_branch, on_zero=False),
}
"""Mnemonic → where it goes."""
