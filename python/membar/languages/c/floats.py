"""Floating-point numbers, as their bits.

They are stored, copied, negated and compared, as IEEE 754 says. Calculations and conversions are done only
where the numbers are known before the program runs; engines know no such numbers.
"""

from __future__ import annotations

import math
import struct
from typing import Final

from membar.languages.c import types as t
from membar.languages.c.values import (
    COMPARISONS,
    NOTHING,
    B,
    OperandError,
    Value,
    binary,
    conjunction,
    constant,
    integer,
    known,
    negated,
    select,
    truth,
    unary,
)
from membar.program.expr import Constant, Expr, UnaryOp, signed

_FORMATS: Final = {4: ("<f", "<I"), 8: ("<d", "<Q")}
_LARGEST_EXACT: Final = 1 << 53


class NotKnownError(Exception):
    """A calculation with a number that only the execution knows, or a result that its type does not have."""


def is_float(*kinds: t.CType) -> bool:
    """Whether one of the types is a floating-point one."""
    return any(isinstance(t.unqualified(kind), t.Floating) for kind in kinds)


def literal(text: str) -> Value | None:
    """The value of a literal; None if its type is not known."""
    digits = text.replace("'", "").lower()
    if digits.endswith("l"):
        return None
    is_hex = digits.startswith("0x")
    is_float_ = digits.endswith("f") and (not is_hex or "p" in digits)
    digits = digits.removesuffix("f") if is_float_ else digits
    try:
        number = float.fromhex(digits) if is_hex else float(digits)
    except (ValueError, OverflowError):
        return None
    return _made(number, t.FLOAT if is_float_ else t.DOUBLE)


def _made(number: float, kind: t.Floating) -> Value:
    """The number as a value, rounded to its type."""
    floating, plain = _FORMATS[kind.size]
    try:
        packed = struct.pack(floating, number)
    except OverflowError:
        packed = struct.pack(floating, math.copysign(math.inf, number))
    return Value(Constant(struct.unpack(plain, packed)[0]), kind)


def _number(value: Value) -> float | int | None:
    """The number that a value is, if that is known."""
    found = known(value.expr)
    kind = t.unqualified(value.type)
    if found is None:
        return None
    if isinstance(kind, t.Floating):
        floating, plain = _FORMATS[kind.size]
        return float(struct.unpack(floating, struct.pack(plain, found))[0])
    whole = integer(kind)
    if whole is None:
        raise OperandError
    return signed(found) if whole.signed else found


def converted(value: Value, kind: t.CType) -> Value:
    """The value as one of another type; one of both is a floating-point one.

    Raises:
        OperandError: there is no such conversion.
        NotKnownError: the value is not known.
    """
    target, source = t.unqualified(kind), t.unqualified(value.type)
    if isinstance(target, t.Void):
        return NOTHING
    if target == source:
        return Value(value.expr, target)
    if isinstance(target, t.Integer) and target.is_bool:
        return Value(truth(value), target)
    if not isinstance(target, t.Floating) and integer(target) is None:
        raise OperandError
    if not isinstance(source, t.Floating) and integer(source) is None:
        raise OperandError
    number = _number(value)
    if number is None:
        raise NotKnownError
    if isinstance(target, t.Floating):
        if isinstance(number, int) and abs(number) > _LARGEST_EXACT:
            raise NotKnownError
        return _made(float(number), target)
    whole = integer(target)
    assert whole is not None
    low, high = (-(1 << (whole.width - 1)), 1 << (whole.width - 1)) if whole.signed else (0, 1 << whole.width)
    if not math.isfinite(number) or not low <= math.trunc(number) < high:
        raise NotKnownError
    return Value(constant(math.trunc(number), whole).expr, target)


def infix(op: str, left: Value, right: Value) -> Value:
    """`left op right`, where one of both is a floating-point number.

    Raises:
        OperandError: the operator does not take them.
        NotKnownError: a calculation that cannot be done.
    """
    kinds = [t.unqualified(value.type) for value in (left, right)]
    if any(not isinstance(kind, t.Floating) and integer(kind) is None for kind in kinds):
        raise OperandError
    if op not in COMPARISONS and op not in {"+", "-", "*", "/"}:
        raise OperandError
    common: t.CType = t.DOUBLE if t.DOUBLE in kinds else t.FLOAT
    if op in COMPARISONS:
        narrow = _narrowed(left, right)
        x, y = narrow or (converted(left, common), converted(right, common))
        return Value(_compared(op, x, y), t.INT)
    x, y = converted(left, common), converted(right, common)
    a, b = _number(x), _number(y)
    if a is None or b is None:
        raise NotKnownError
    assert isinstance(common, t.Floating)
    return _made(_calculated(op, float(a), float(b)), common)


def _narrowed(left: Value, right: Value) -> tuple[Value, Value] | None:
    """Both as `float`, where a `double` is known that is one."""
    found = []
    for value in (left, right):
        if t.unqualified(value.type) == t.FLOAT:
            found.append(value)
            continue
        number = _number(value)
        narrow = None if number is None else _made(float(number), t.FLOAT)
        if narrow is None or _number(narrow) != number:
            return None
        found.append(narrow)
    return found[0], found[1]


def _calculated(op: str, a: float, b: float) -> float:
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case _ if b:
            return a / b
        case _:
            sign = math.copysign(1, a) * math.copysign(1, b)
            return math.nan if not a or math.isnan(a) else sign * math.inf


def _compared(op: str, x: Value, y: Value) -> Expr:
    """A comparison by the bits: 0 has two signs, and what is no number is unequal to all."""
    kind = t.unqualified(x.type)
    assert isinstance(kind, t.Floating)
    are_numbers = conjunction(_is_number(x.expr, kind), _is_number(y.expr, kind))
    a, b = _ordered(x.expr, kind), _ordered(y.expr, kind)
    match op:
        case "==":
            return conjunction(are_numbers, binary(B.EQ, a, b))
        case "!=":
            return negated(conjunction(are_numbers, binary(B.EQ, a, b)))
        case "<" | "<=":
            return conjunction(are_numbers, binary(B.SLT if op == "<" else B.SLE, a, b))
        case _:
            return conjunction(are_numbers, binary(B.SLT if op == ">" else B.SLE, b, a))


def _magnitude(kind: t.Floating) -> int:
    return (1 << (8 * kind.size - 1)) - 1


def _is_number(bits: Expr, kind: t.Floating) -> Expr:
    """Whether bits are a number, or infinite."""
    infinite = known(_made(math.inf, kind).expr) or 0
    return binary(B.LE, binary(B.AND, bits, Constant(_magnitude(kind))), Constant(infinite))


def _ordered(bits: Expr, kind: t.Floating) -> Expr:
    """A signed word that is ordered as the numbers are."""
    magnitude = binary(B.AND, bits, Constant(_magnitude(kind)))
    is_negative = binary(B.SHR, bits, Constant(8 * kind.size - 1))
    return select(is_negative, unary(UnaryOp.NEGATE, magnitude), magnitude)


def prefix(op: str, value: Value) -> Value:
    """`op value`.

    Raises:
        OperandError: the operator does not take it.
    """
    kind = t.unqualified(value.type)
    assert isinstance(kind, t.Floating)
    if op == "!":
        return Value(negated(truth(value)), t.INT)
    if op == "+":
        return value
    if op == "-":
        return Value(binary(B.XOR, value.expr, Constant(_magnitude(kind) + 1)), kind)
    raise OperandError
