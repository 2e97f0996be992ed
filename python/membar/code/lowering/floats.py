"""Comparisons and signs of floating-point numbers as expressions over their bits."""

from __future__ import annotations

from membar.code.floats import COMPARISONS
from membar.program.expr import FALSE, Binary, BinaryOp, Constant, Expr, blend, negation

_FRACTION = {32: 23, 64: 52}


def float_expression(operation: str, operands: list[Expr], bits: int) -> Expr | None:
    """A negation or comparison; None for what only constants can be calculated with."""
    sign = Constant(1 << (bits - 1))
    if operation == "fneg":
        return Binary(BinaryOp.XOR, operands[0], sign)
    if operation not in COMPARISONS:
        return None
    predicate = operation[1:]
    left, right = operands
    is_unordered = Binary(BinaryOp.OR, _is_nan(left, bits), _is_nan(right, bits))
    if predicate in ("ord", "uno"):
        return is_unordered if predicate == "uno" else negation(is_unordered)
    holds = _comparison(predicate[1:], left, right, bits)
    if predicate.startswith("o"):
        return Binary(BinaryOp.AND, holds, negation(is_unordered))
    return Binary(BinaryOp.OR, holds, is_unordered)


def _is_nan(value: Expr, bits: int) -> Expr:
    """Whether the exponent is all ones and the fraction is not 0."""
    without_sign = Binary(BinaryOp.AND, value, Constant((1 << (bits - 1)) - 1))
    infinity = (1 << (bits - 1)) - (1 << _FRACTION[bits])
    return Binary(BinaryOp.LT, Constant(infinity), without_sign)


def _comparison(word: str, left: Expr, right: Expr, bits: int) -> Expr:
    """A comparison of two numbers that are numbers; zeros of both signs are equal."""
    both = Binary(BinaryOp.AND, Binary(BinaryOp.OR, left, right), Constant((1 << (bits - 1)) - 1))
    are_equal = Binary(BinaryOp.OR, Binary(BinaryOp.EQ, left, right), Binary(BinaryOp.EQ, both, FALSE))
    if word in ("eq", "ne"):
        return are_equal if word == "eq" else negation(are_equal)
    if word in ("gt", "ge"):
        left, right = right, left
    is_less = Binary(BinaryOp.LT, _rank(left, bits), _rank(right, bits))
    if word in ("le", "ge"):
        return Binary(BinaryOp.OR, is_less, are_equal)
    return Binary(BinaryOp.AND, is_less, negation(are_equal))


def _rank(value: Expr, bits: int) -> Expr:
    """A number that is as large as others as the floating-point number is: negative ones are turned round."""
    sign = Constant(1 << (bits - 1))
    turned = Binary(BinaryOp.XOR, value, Constant((1 << bits) - 1))
    is_negative = Binary(BinaryOp.NE, Binary(BinaryOp.AND, value, sign), FALSE)
    return blend(is_negative, turned, Binary(BinaryOp.XOR, value, sign))
