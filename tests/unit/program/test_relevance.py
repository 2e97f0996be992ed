"""Registers that do not affect the value of an expression."""

from __future__ import annotations

import pytest

from membar.program.expr import (
    FALSE,
    TRUE,
    Address,
    Binary,
    BinaryOp,
    Constant,
    Expr,
    Extend,
    Register,
    Select,
    Unary,
    UnaryOp,
    registers_of,
)
from membar.program.relevance import without_irrelevant_registers

A, B = Register("a"), Register("b")


def of(left: Expr, op: BinaryOp, right: Expr | int) -> Expr:
    return Binary(op, left, Constant(right) if isinstance(right, int) else right)


def number(expr: Expr, *, is_signed: bool = True) -> Expr:
    return Extend(expr, 32, is_signed)


CONSTANT = [
    (of(A, BinaryOp.XOR, A), 0),
    (of(A, BinaryOp.SUB, A), 0),
    (of(A, BinaryOp.MUL, 0), 0),
    (of(A, BinaryOp.SDIV, A), 1),
    (of(of(A, BinaryOp.AND, 1), BinaryOp.SHR, 1), 0),
    (of(of(A, BinaryOp.AND, 1), BinaryOp.LT, 2), 1),
    (of(number(A), BinaryOp.SLT, number(of(A, BinaryOp.ADD, 1))), 1),
    (of(number(of(A, BinaryOp.MUL, 2)), BinaryOp.SREM, 2), 0),
    (of(Constant(0), BinaryOp.LE, number(A, is_signed=False)), 1),
    (of(Extend(A, 8, signed=False), BinaryOp.LT, 256), 1),
    (of(of(A, BinaryOp.ADD, B), BinaryOp.SUB, of(B, BinaryOp.ADD, A)), 0),
]
KEPT = [
    of(A, BinaryOp.AND, 1),
    of(Constant(100_000), BinaryOp.SLT, number(A)),
    of(number(A), BinaryOp.EQ, (1 << 31) - 1),
    of(number(A), BinaryOp.EQ, -(1 << 31)),
    of(of(number(A), BinaryOp.SDIV, 1000), BinaryOp.EQ, 7),
    of(of(number(A, is_signed=False), BinaryOp.SHR, 20), BinaryOp.EQ, 5),
    of(of(A, BinaryOp.XOR, 0x5555), BinaryOp.EQ, 0x1234),
    of(number(of(A, BinaryOp.MUL, 2654435761), is_signed=False), BinaryOp.EQ, 17),
    of(A, BinaryOp.EQ, Address("x", 8)),
    of(Address("x"), BinaryOp.ADD, of(A, BinaryOp.MUL, 4)),
    of(A, BinaryOp.EQ, of(B, BinaryOp.ADD, 8)),
    of(of(A, BinaryOp.EQ, 77), BinaryOp.AND, of(of(B, BinaryOp.EQ, 99), BinaryOp.AND, Register("c"))),
    of(of(A, BinaryOp.FADD, 0x3FF0000000000000), BinaryOp.FEQ, 0x4010000000000000),
    Select(A, Address("x"), Address("y")),
    Unary(UnaryOp.NOT, A),
]


@pytest.mark.parametrize(("expr", "value"), CONSTANT)
def test_what_is_always_the_same_is_a_constant(expr: Expr, value: int) -> None:
    assert without_irrelevant_registers(expr) == Constant(value)


@pytest.mark.parametrize("expr", KEPT)
def test_what_changes_with_its_registers_keeps_them(expr: Expr) -> None:
    assert set(registers_of(without_irrelevant_registers(expr))) == set(registers_of(expr))


def test_a_part_that_is_always_the_same_is_folded() -> None:
    one = of(of(A, BinaryOp.OR, 1), BinaryOp.AND, 1)
    assert without_irrelevant_registers(of(B, BinaryOp.ADD, one)) == of(B, BinaryOp.ADD, 1)
    assert without_irrelevant_registers(Select(one, B, A)) == B
    assert without_irrelevant_registers(Select(A, TRUE, TRUE)) == TRUE
    assert without_irrelevant_registers(of(of(A, BinaryOp.SUB, A), BinaryOp.MUL, B)) == FALSE
