"""Values of C, with its conversions and wrap-around, as expressions over words of 64 bits.

A value of a signed type is kept sign-extended, one of an unsigned type zero-extended; so a conversion to a
type that has all values of the old one does nothing. What is known is folded; nothing else is simplified,
because dependencies are what they are in the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from membar.languages.c import types as t
from membar.program import expr as e
from membar.program.expr import (
    FALSE,
    TRUE,
    Address,
    Binary,
    BinaryOp,
    Constant,
    Expr,
    Extend,
    Select,
    Unary,
    UnaryOp,
    is_truth,
)

B: TypeAlias = BinaryOp

_MOST_NODES: Final = 12


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a scalar type."""

    expr: Expr
    type: t.CType


@dataclass(frozen=True, slots=True)
class Slot:
    """What a variable holds: a value, and whether it was ever set."""

    expr: Expr
    defined: Expr = TRUE


UNSET: Final = Slot(FALSE, FALSE)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A structure as a value: its scalars by offset."""

    type: t.CType
    parts: tuple[tuple[int, Slot], ...]


NOTHING: Final = Value(FALSE, t.VOID)


class OperandError(Exception):
    """Operands that an operator does not take."""


def constant(number: int, kind: t.Integer = t.INT) -> Value:
    """A number."""
    return Value(extended(Constant(number), kind), kind)


def known(expr: Expr) -> int | None:
    """The number that an expression is, if it is one."""
    return expr.value if isinstance(expr, Constant) else None


def is_constant(expr: Expr) -> bool:
    """Whether an expression is a number or an address, known now."""
    return isinstance(expr, Constant | Address)


def is_small(expr: Expr) -> bool:
    """Whether an expression may be repeated wherever its value is used."""
    return _nodes(expr, _MOST_NODES) > 0


def _nodes(expr: Expr, left: int) -> int:
    """`left` minus the number of parts, or 0."""
    if left <= 0:
        return 0
    match expr:
        case Binary(left=a, right=b):
            return _nodes(b, _nodes(a, left - 1))
        case Unary(operand=a) | Extend(operand=a):
            return _nodes(a, left - 1)
        case Select(condition=c, then=a, otherwise=b):
            return _nodes(b, _nodes(a, _nodes(c, left - 1)))
        case _:
            return left - 1


# Folding


def binary(op: BinaryOp, left: Expr, right: Expr) -> Expr:
    """`left op right`, folded if both are known."""
    if isinstance(left, Constant) and isinstance(right, Constant):
        return Constant(e.evaluate(Binary(op, left, right), {}, {}))
    if isinstance(left, Address) or isinstance(right, Address):
        folded = _with_address(op, left, right)
        if folded is not None:
            return folded
    if op in {B.ADD, B.SUB} and right == FALSE:
        return left
    if op is B.ADD and left == FALSE:
        return right
    if op is B.MUL and right == TRUE:
        return left
    return Binary(op, left, right)


def _with_address(op: BinaryOp, left: Expr, right: Expr) -> Expr | None:
    match op, left, right:
        case B.ADD, Address(name, offset), Constant(number):
            return Address(name, offset + e.signed(number))
        case B.ADD, Constant(number), Address(name, offset):
            return Address(name, offset + e.signed(number))
        case B.SUB, Address(name, offset), Constant(number):
            return Address(name, offset - e.signed(number))
        case B.SUB, Address(name, offset), Address(other, less) if name == other:
            return Constant(offset - less)
        case ((B.EQ | B.NE), Address(name, offset), Address(other, less)):
            is_same = name == other and offset == less
            return Constant(int(is_same == (op is B.EQ)))
        case ((B.EQ | B.NE), Address(), Constant(number)) if number < 1 << 16:
            return Constant(int(op is B.NE))
        case ((B.EQ | B.NE), Constant(number), Address()) if number < 1 << 16:
            return Constant(int(op is B.NE))
        case ((B.LT | B.LE), Address(name, offset), Address(other, less)) if name == other:
            return Constant(int(offset < less or (op is B.LE and offset == less)))
        case _:
            return None


def unary(op: UnaryOp, operand: Expr) -> Expr:
    """`op operand`, folded if it is known."""
    if isinstance(operand, Constant):
        return Constant(e.evaluate(Unary(op, operand), {}, {}))
    if op is UnaryOp.NOT and isinstance(operand, Address):
        return FALSE
    return Unary(op, operand)


def extended(operand: Expr, kind: t.Integer) -> Expr:
    """The low bits of a word as a value of an integer type."""
    if kind.size == 8:
        return operand
    if isinstance(operand, Constant):
        return Constant(e.evaluate(Extend(operand, kind.width, kind.signed), {}, {}))
    return Extend(operand, kind.width, kind.signed)


def narrowed(operand: Expr, width: int, kind: t.Integer) -> Expr:
    """The low bits of a word as a value, with the sign that a type has."""
    if width == 64:
        return operand
    cut = Extend(operand, width, kind.signed)
    return Constant(e.evaluate(cut, {}, {})) if isinstance(operand, Constant) else cut


def select(condition: Expr, then: Expr, otherwise: Expr) -> Expr:
    """`then` or `otherwise`."""
    number = known(condition)
    if number is not None:
        return then if number else otherwise
    return then if then == otherwise else Select(condition, then, otherwise)


def conjunction(left: Expr, right: Expr) -> Expr:
    """Whether both words, each 0 or 1, are 1."""
    if left == TRUE:
        return right
    if right == TRUE:
        return left
    return FALSE if FALSE in (left, right) else Binary(B.AND, left, right)


def negated(condition: Expr) -> Expr:
    """Whether a word is 0."""
    match condition:
        case Binary(B.EQ, left, right):
            return Binary(B.NE, left, right)
        case Binary(B.NE, left, right):
            return Binary(B.EQ, left, right)
        case Unary(UnaryOp.NOT, operand) if is_truth(operand):
            return operand
        case _:
            return unary(UnaryOp.NOT, condition)


def truth(value: Value) -> Expr:
    """Whether a value is not 0, as 0 or 1."""
    if is_truth(value.expr):
        return value.expr
    if isinstance(value.expr, Address):
        return TRUE
    if isinstance(value.type, t.Floating):  # 0 has two signs
        return binary(B.NE, binary(B.SHL, value.expr, Constant(65 - 8 * value.type.size)), FALSE)
    return binary(B.NE, value.expr, FALSE)


# Conversions

_NO_NUMBERS: Final = (t.Void, t.Structure, t.Function, t.Array, t.Floating)


def integer(kind: t.CType) -> t.Integer | None:
    """The integer type that a scalar is for arithmetic; pointers and library objects are none."""
    match t.unqualified(kind):
        case t.Integer() as found:
            return found
        case t.Opaque(size=size):
            return t.ULONG if size == 8 else t.INT
        case t.Whole(size=size):
            return {1: t.UCHAR, 2: t.USHORT, 4: t.UINT, 8: t.ULONG}[size]
        case t.BitField() as bits:
            return bits.value
        case _:
            return None


def converted(value: Value, kind: t.CType) -> Value:
    """The value as one of another scalar type.

    Raises:
        OperandError: there is no such conversion.
    """
    target = t.unqualified(kind)
    if isinstance(target, t.Void):
        return NOTHING
    if isinstance(target, t.Pointer):
        if isinstance(value.type, t.Pointer | t.Integer | t.Opaque):
            return Value(value.expr, target)
        raise OperandError
    number = integer(target)
    if number is None or isinstance(value.type, _NO_NUMBERS):
        raise OperandError
    if number.is_bool:
        return Value(truth(value), target)
    if isinstance(target, t.BitField):
        held = truth(value) if target.integer.is_bool else narrowed(value.expr, target.width, target.integer)
        return Value(held, number)
    source = integer(value.type) or t.ULONG
    return Value(value.expr if _has_all(number, source) else extended(value.expr, number), target)


def _has_all(wide: t.Integer, narrow: t.Integer) -> bool:
    """Whether words of the narrow type are words of the wide one."""
    if wide.size == 8 or (wide.size == narrow.size and wide.signed == narrow.signed):
        return True
    return wide.size > narrow.size and (wide.signed or not narrow.signed)


def promoted(value: Value) -> Value:
    """The value after integer promotion."""
    kind = integer(value.type)
    if kind is None:
        return value
    return Value(value.expr, t.INT) if kind.rank < t.INT.rank else Value(value.expr, kind)


def common(left: t.Integer, right: t.Integer) -> t.Integer:
    """The type of an arithmetic operator (C 6.3.1.8), both operands promoted."""
    if left.signed == right.signed:
        return left if left.rank >= right.rank else right
    unsigned, signed = (right, left) if left.signed else (left, right)
    if unsigned.rank >= signed.rank:
        return unsigned
    if signed.size > unsigned.size:
        return signed
    return {t.LONG: t.ULONG, t.LLONG: t.ULLONG, t.INT: t.UINT}[signed]


# Operators

ARITHMETIC: Final = {
    "+": (B.ADD, B.ADD),
    "-": (B.SUB, B.SUB),
    "*": (B.MUL, B.MUL),
    "/": (B.DIV, B.SDIV),
    "%": (B.REM, B.SREM),
    "&": (B.AND, B.AND),
    "|": (B.OR, B.OR),
    "^": (B.XOR, B.XOR),
}
COMPARISONS: Final = {
    "==": (B.EQ, B.EQ, False),
    "!=": (B.NE, B.NE, False),
    "<": (B.LT, B.SLT, False),
    "<=": (B.LE, B.SLE, False),
    ">": (B.LT, B.SLT, True),
    ">=": (B.LE, B.SLE, True),
}
# Of extended operands these give extended results.
_CLOSED: Final = frozenset({"&", "|", "^"})


def infix(op: str, left: Value, right: Value) -> Value:
    """`left op right` with C's conversions.

    Raises:
        OperandError: the operator does not take them.
    """
    if isinstance(left.type, t.Pointer) or isinstance(right.type, t.Pointer):
        return _with_pointer(op, left, right)
    a, b = promoted(left), promoted(right)
    kind_a, kind_b = integer(a.type), integer(b.type)
    if kind_a is None or kind_b is None:
        raise OperandError
    if op in {"<<", ">>"}:
        shift = B.SHL if op == "<<" else B.SAR if kind_a.signed else B.SHR
        return Value(extended(binary(shift, a.expr, b.expr), kind_a), kind_a)
    kind = common(kind_a, kind_b)
    x, y = converted(a, kind).expr, converted(b, kind).expr
    if op in COMPARISONS:
        unsigned_op, signed_op, is_swapped = COMPARISONS[op]
        x, y = (y, x) if is_swapped else (x, y)
        return Value(binary(signed_op if kind.signed else unsigned_op, x, y), t.INT)
    if op not in ARITHMETIC:
        raise OperandError
    result = binary(ARITHMETIC[op][kind.signed], x, y)
    return Value(result if op in _CLOSED else extended(result, kind), kind)


def _with_pointer(op: str, left: Value, right: Value) -> Value:
    if op in COMPARISONS:
        unsigned_op, _, is_swapped = COMPARISONS[op]
        x, y = (right.expr, left.expr) if is_swapped else (left.expr, right.expr)
        return Value(binary(unsigned_op, x, y), t.INT)
    match op, left.type, right.type:
        case "+", t.Pointer(), t.Integer():
            return _moved(left, right, B.ADD)
        case "+", t.Integer(), t.Pointer():
            return _moved(right, left, B.ADD)
        case "-", t.Pointer(), t.Integer():
            return _moved(left, right, B.SUB)
        case "-", t.Pointer(), t.Pointer():
            size = _step(left.type)
            difference = binary(B.SUB, left.expr, right.expr)
            return Value(binary(B.SDIV, difference, Constant(size)), t.LONG)
        case _:
            raise OperandError


def _step(kind: t.Pointer) -> int:
    size = 1 if isinstance(kind.target, t.Void | t.Function) else t.size_of(kind.target)
    if size is None:
        raise OperandError
    return size


def _moved(pointer: Value, number: Value, op: BinaryOp) -> Value:
    assert isinstance(pointer.type, t.Pointer)
    distance = binary(B.MUL, number.expr, Constant(_step(pointer.type)))
    return Value(binary(op, pointer.expr, distance), pointer.type)


def prefix(op: str, value: Value) -> Value:
    """`op value`.

    Raises:
        OperandError: the operator does not take it.
    """
    if op == "!":
        return Value(negated(truth(value)), t.INT)
    operand = promoted(value)
    kind = integer(operand.type)
    if kind is None:
        raise OperandError
    if op == "+":
        return operand
    if op == "-":
        return Value(extended(unary(UnaryOp.NEGATE, operand.expr), kind), kind)
    return Value(extended(unary(UnaryOp.INVERT, operand.expr), kind), kind)
