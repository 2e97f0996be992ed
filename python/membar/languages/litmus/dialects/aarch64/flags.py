"""The condition flags N, Z, C, V: how instructions set them and what conditions ask of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from membar.languages.litmus.dialects.aarch64.operands import Operands
from membar.languages.litmus.dialects.aarch64.registers import (
    CARRY,
    IS_ZERO,
    NEGATIVE,
    OVERFLOW,
    constant,
    low_bits,
)
from membar.program.expr import FALSE, TRUE, Binary, BinaryOp, Expr, Register, equals, negation
from membar.program.operations import Operation, Set

Rule: TypeAlias = Callable[[Expr, Expr, Expr, int], tuple[Operation, ...]]
"""How the flags follow from left source, right source, result and width."""

_N, _Z, _C, _V = Register(NEGATIVE), Register(IS_ZERO), Register(CARRY), Register(OVERFLOW)
_SAME_SIGN = equals(_N, _V)

CONDITIONS: dict[str, Expr] = {
    "EQ": _Z,
    "NE": negation(_Z),
    "CS": _C,
    "HS": _C,
    "CC": negation(_C),
    "LO": negation(_C),
    "MI": _N,
    "PL": negation(_N),
    "VS": _V,
    "VC": negation(_V),
    "HI": Binary(BinaryOp.AND, _C, negation(_Z)),
    "LS": Binary(BinaryOp.OR, negation(_C), _Z),
    "GE": _SAME_SIGN,
    "LT": negation(_SAME_SIGN),
    "GT": Binary(BinaryOp.AND, negation(_Z), _SAME_SIGN),
    "LE": Binary(BinaryOp.OR, _Z, negation(_SAME_SIGN)),
    "AL": TRUE,
}
"""Condition code → 1 if it holds."""


def condition(operands: Operands) -> Expr:
    """The next operand, a condition code."""
    operand = operands.take("a condition such as `EQ`")
    found = CONDITIONS.get(operand.text.upper())
    if found is None:
        raise operands.problem(
            f"`{operand.text}` is not a condition", "expected `EQ`, `NE`, `GT`, …", at=operand
        )
    return found


def sign(expr: Expr, width: int) -> Expr:
    """The topmost of `width` bits."""
    return Binary(BinaryOp.AND, Binary(BinaryOp.SHR, expr, constant(width - 1)), constant(1))


def _set(result: Expr, width: int, carry: Expr, overflow: Expr) -> tuple[Operation, ...]:
    return (
        Set(NEGATIVE, sign(result, width)),
        Set(IS_ZERO, equals(result, constant(0))),
        Set(CARRY, carry),
        Set(OVERFLOW, overflow),
    )


def after_addition(left: Expr, right: Expr, result: Expr, width: int) -> tuple[Operation, ...]:
    """The flags of `left + right`; `result` is the sum, already cut to `width` bits."""
    carry = Binary(BinaryOp.LT, result, low_bits(left, width))
    changed = Binary(BinaryOp.AND, Binary(BinaryOp.XOR, left, result), Binary(BinaryOp.XOR, right, result))
    return _set(result, width, carry, sign(changed, width))


def after_subtraction(left: Expr, right: Expr, result: Expr, width: int) -> tuple[Operation, ...]:
    """The flags of `left - right`; the carry says that nothing was borrowed."""
    carry = Binary(BinaryOp.LE, low_bits(right, width), low_bits(left, width))
    changed = Binary(BinaryOp.AND, Binary(BinaryOp.XOR, left, right), Binary(BinaryOp.XOR, left, result))
    return _set(result, width, carry, sign(changed, width))


def after_logic(_left: Expr, _right: Expr, result: Expr, width: int) -> tuple[Operation, ...]:
    """The flags of a bitwise operation."""
    return _set(result, width, FALSE, FALSE)
