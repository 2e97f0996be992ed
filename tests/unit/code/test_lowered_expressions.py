"""What an operation of code IR becomes computes the same, whatever is known of its operands."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from membar.code.lowering.expressions import expression
from membar.program.expr import Binary, BinaryOp, Constant, Expr, Register, evaluate

_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda one, other: one == other,
    "ne": lambda one, other: one != other,
    "ult": lambda one, other: one < other,
    "ule": lambda one, other: one <= other,
    "ugt": lambda one, other: one > other,
    "uge": lambda one, other: one >= other,
    "slt": lambda one, other: _signed(one) < _signed(other),
    "sle": lambda one, other: _signed(one) <= _signed(other),
    "sgt": lambda one, other: _signed(one) > _signed(other),
    "sge": lambda one, other: _signed(one) >= _signed(other),
}
_BITS = 8


def _signed(word: int) -> int:
    return word - (1 << _BITS) if word >> (_BITS - 1) else word


def _operands() -> list[tuple[Expr, int]]:
    """Constants, a register, and conditions with either value; each with what it is in one state."""
    same, other = (Binary(BinaryOp.EQ, Register("a"), Constant(number)) for number in (5, 6))
    known: list[tuple[Expr, int]] = [(Constant(number), number) for number in (0, 1, 2, 0x80, 0xFF)]
    return [*known, (Register("a"), 5), (same, 1), (other, 0)]


@pytest.mark.parametrize("operation", _COMPARISONS)
def test_a_comparison_is_what_it_says(operation: str) -> None:
    for (left, one), (right, other) in product(_operands(), repeat=2):
        found = evaluate(expression(operation, (left, right), _BITS, 1), {"a": 5}, {})
        assert found == _COMPARISONS[operation](one, other), (operation, left, right)
