"""Conditions under which an operator has a result in C; each is None where it always has one."""

from __future__ import annotations

from membar.languages.c import types as t
from membar.languages.c.values import (
    ARITHMETIC,
    B,
    Value,
    binary,
    common,
    constant,
    converted,
    extended,
    integer,
    known,
    promoted,
    select,
    unary,
)
from membar.program import expr as e
from membar.program.expr import FALSE, TRUE, Constant, Expr, UnaryOp


def fits(op: str, left: Value, right: Value) -> Expr | None:
    """Whether a sum, difference, product or left shift of a signed type is exact."""
    if op == "<<":
        return _shifts_exactly(left, right)
    kind = _signed_kind(left, right)
    if op not in {"+", "-", "*"} or kind is None:
        return None
    x, y = converted(promoted(left), kind).expr, converted(promoted(right), kind).expr
    if not _is_number(x) and not _is_number(y) and not (known(x) is not None and known(y) is not None):
        return None
    exact = binary(ARITHMETIC[op][1], x, y)
    if kind.size < 8:
        return binary(B.EQ, extended(exact, kind), exact)
    if op == "*":
        return _is_exact_product(x, y, exact)
    # The sign of the result differs from what both operands (for a difference: the second one negated) have.
    other = y if op == "+" else unary(UnaryOp.INVERT, y)
    wrong = binary(B.AND, binary(B.XOR, x, exact), binary(B.XOR, other, exact))
    return binary(B.SLE, FALSE, wrong)


def _shifts_exactly(left: Value, right: Value) -> Expr | None:
    """Whether a left shift loses no bit; one may come into the sign. By too many bits is another mistake."""
    kind, within = integer(promoted(left).type), shifts_within(left, right)
    if kind is None or within is None or not kind.signed:
        return None
    x, y = promoted(left).expr, right.expr
    if not _is_number(x) and not _is_number(y) and not (known(x) is not None and known(y) is not None):
        return None
    shifted, unsigned = binary(B.SHL, x, y), t.UINT if kind.size < 8 else t.ULONG
    is_same = binary(B.EQ, binary(B.SAR, extended(shifted, kind), y), x)
    is_same_into_sign = binary(B.EQ, binary(B.SHR, extended(shifted, unsigned), y), x)
    return binary(B.OR, binary(B.OR, is_same, is_same_into_sign), binary(B.EQ, within, FALSE))


def _is_exact_product(x: Expr, y: Expr, product: Expr) -> Expr:
    """Whether a product of 64 bits divided by one factor is the other; the lowest number times -1 is not."""
    by_minus_one = binary(B.NE, y, _lowest(t.LONG))
    divided = select(binary(B.EQ, x, FALSE), TRUE, binary(B.EQ, binary(B.SDIV, product, x), y))
    return select(binary(B.EQ, x, constant(-1, t.LONG).expr), by_minus_one, divided)


def negates(value: Value) -> Expr | None:
    """Whether a value of a signed type can be negated: the lowest one cannot."""
    kind = integer(promoted(value).type)
    own = integer(value.type)
    if kind is None or own is None or not kind.signed or own.size < kind.size:
        return None
    return binary(B.NE, value.expr, _lowest(kind))


def divides(left: Value, right: Value) -> Expr | None:
    """Whether a quotient of a signed type fits it: not that of the lowest number and -1."""
    kind = _signed_kind(left, right)
    lefts, rights = integer(left.type), integer(right.type)
    if kind is None or lefts is None or rights is None or lefts.size < kind.size or not rights.signed:
        return None
    x, y = converted(promoted(left), kind).expr, converted(promoted(right), kind).expr
    higher, other = binary(B.NE, x, _lowest(kind)), binary(B.NE, y, constant(-1, t.LONG).expr)
    if TRUE in (higher, other):
        return None
    return other if higher == FALSE else binary(B.OR, higher, other)


def shifts_within(left: Value, right: Value) -> Expr | None:
    """Whether a shift is by less than the width of what is shifted, and not by a negative number."""
    kind, amount = integer(promoted(left).type), integer(right.type)
    if kind is None or amount is None:
        return None
    # Words of signed types are sign-extended: a negative one is large without its sign.
    return binary(B.LT, right.expr, Constant(kind.width))


def _lowest(kind: t.Integer) -> Expr:
    return constant(-(1 << (kind.width - 1)), kind).expr


def _signed_kind(left: Value, right: Value) -> t.Integer | None:
    """The type of an arithmetic operator, if it is signed."""
    kind_a, kind_b = integer(promoted(left).type), integer(promoted(right).type)
    if kind_a is None or kind_b is None:
        return None
    kind = common(kind_a, kind_b)
    return kind if kind.signed else None


def _is_number(expr: Expr) -> bool:
    """Whether a value is only known when the program runs."""
    return next(iter(e.registers_of(expr)), None) is not None
