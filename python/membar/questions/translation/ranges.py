"""The values that variables and expressions can have: translations with narrow integers must keep them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from membar.program.expr import (
    COMPARISONS,
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
    signed,
)
from membar.questions.translation.model import Interval, place_of

WIDEST: Interval = (-(1 << 63), (1 << 63) - 1)


def hull(one: Interval, other: Interval) -> Interval:
    """The smallest interval around both."""
    return min(one[0], other[0]), max(one[1], other[1])


def intersection(one: Interval, other: Interval) -> Interval:
    """What is in both; the first where nothing is (that state cannot be)."""
    low, high = max(one[0], other[0]), min(one[1], other[1])
    return (low, high) if low <= high else one


def type_range(width: int, *, is_signed: bool) -> Interval:
    """The values of a number of `width` bits."""
    return (-(1 << width - 1), (1 << width - 1) - 1) if is_signed else (0, (1 << width) - 1)


def fits(one: Interval, other: Interval) -> bool:
    """Whether `one` lies in `other`."""
    return other[0] <= one[0] and one[1] <= other[1]


class Ranges:
    """Ranges of expressions over variables of known ranges, in states where some guards hold."""

    def __init__(self, variables: Mapping[str, Interval], guards: Iterable[Expr] = ()) -> None:
        self.variables = variables
        self.facts: dict[Expr, Interval] = {}
        for guard in guards:
            self._learn(guard)

    def _learn(self, guard: Expr) -> None:
        """Remembers what a guard says of an expression."""
        match guard:
            case Binary(op=BinaryOp.AND, left=left, right=right) if (
                self.of(left)[1] <= 1 and self.of(right)[1] <= 1
            ):
                self._learn(left)
                self._learn(right)
            case Binary(op=BinaryOp.EQ, left=left, right=Constant(value=value)):
                self._fact(left, (signed(value), signed(value)))
            case Binary(op=BinaryOp.LT, left=left, right=Constant(value=value)) if signed(value) > 0:
                self._fact(left, (0, value - 1))
            case Binary(op=BinaryOp.SLT, left=left, right=Constant(value=value)):
                self._fact(left, (WIDEST[0], signed(value) - 1))
            case Binary(op=BinaryOp.SLT, left=Constant(value=value), right=right):
                self._fact(right, (signed(value) + 1, WIDEST[1]))
            case Binary(op=BinaryOp.SLE, left=left, right=Constant(value=value)):
                self._fact(left, (WIDEST[0], signed(value)))
            case Binary(op=BinaryOp.SLE, left=Constant(value=value), right=right):
                self._fact(right, (signed(value), WIDEST[1]))
            case Unary(op=UnaryOp.NOT, operand=Binary(op=op, left=left, right=right)):
                self._learn_not(op, left, right)
            case _:
                pass

    def _learn_not(self, op: BinaryOp, left: Expr, right: Expr) -> None:
        match op, left, right:
            case BinaryOp.LT, Constant(value=value), _ if signed(value) >= 0:
                self._fact(right, (0, value))
            case BinaryOp.SLT, _, _:
                self._learn(Binary(BinaryOp.SLE, right, left))
            case BinaryOp.SLE, _, _:
                self._learn(Binary(BinaryOp.SLT, right, left))
            case _:
                pass

    def _fact(self, expr: Expr, found: Interval) -> None:
        self.facts[expr] = intersection(self.of(expr), found)
        match expr:
            case Binary(op=BinaryOp.SUB, left=left, right=Constant(value=value)):
                low, high = self.facts[expr]
                self._fact(left, (low + signed(value), high + signed(value)))
            case _:
                pass

    def of(self, expr: Expr) -> Interval:
        """The range of an expression, read as a signed number; `WIDEST` where it could overflow."""
        found = self._of(expr)
        if expr in self.facts:
            found = intersection(found, self.facts[expr])
        return found

    def _of(self, expr: Expr) -> Interval:
        match expr:
            case Constant(value=value):
                return signed(value), signed(value)
            case Register(name=name):
                return self.variables.get(name) or _default_range(name)
            case Address():
                return WIDEST
            case Unary(op=op, operand=operand):
                return self._unary(op, self.of(operand))
            case Extend(operand=operand, width=width, signed=is_signed):
                inner, whole = self.of(operand), type_range(width, is_signed=is_signed)
                return inner if fits(inner, whole) else intersection(whole, WIDEST)
            case Select(condition=condition, then=then, otherwise=otherwise):
                inside = Ranges(self.variables)
                inside.facts = dict(self.facts)
                inside._learn(condition)
                return hull(inside.of(then), self.of(otherwise))
            case Binary(op=op, left=left, right=right):
                return self._binary(op, self.of(left), self.of(right))

    def _unary(self, op: UnaryOp, operand: Interval) -> Interval:
        low, high = operand
        if op is UnaryOp.NOT:
            return 0, 1
        return _limit((~high, ~low) if op is UnaryOp.INVERT else (-high, -low))

    def _binary(self, op: BinaryOp, left: Interval, right: Interval) -> Interval:
        (a, b), (c, d) = left, right
        if op in COMPARISONS:
            return 0, 1
        found = WIDEST
        match op:
            case BinaryOp.ADD:
                found = a + c, b + d
            case BinaryOp.SUB:
                found = a - d, b - c
            case BinaryOp.MUL:
                corners = [p * q for p in left for q in right]
                found = min(corners), max(corners)
            case BinaryOp.SDIV | BinaryOp.DIV if op is BinaryOp.SDIV or (a >= 0 and c >= 0):
                most = max(abs(a), abs(b))
                found = (0, b) if a >= 0 and c >= 0 else (-most, most)
            case BinaryOp.SREM | BinaryOp.REM if op is BinaryOp.SREM or (a >= 0 and c >= 0):
                found = (0 if a >= 0 else a), (0 if b <= 0 else b)
                if c > 0 or d < 0:
                    most = max(abs(c), abs(d)) - 1
                    found = intersection(found, (-most, most))
            case BinaryOp.AND if a >= 0 or c >= 0:
                found = 0, min(b if a >= 0 else d, d if c >= 0 else b)
            case BinaryOp.AND | BinaryOp.OR | BinaryOp.XOR:
                bits = max((abs(value) + 1).bit_length() for value in (a, b, c, d))
                found = (0 if a >= 0 and c >= 0 else -(1 << bits)), (1 << bits) - 1
            case BinaryOp.SHL if c >= 0 and d < 40 and a >= 0:
                found = a << c, b << d
            case BinaryOp.SHR | BinaryOp.SAR if c >= 0 and a >= 0:
                found = 0, b
            case BinaryOp.SAR if c >= 0:
                found = a, max(b, 0)
            case _:
                pass
        return _limit(found)


def _default_range(name: str) -> Interval:
    """Where a thread is, is 1 or 0; a register that nobody writes is 0."""
    return (0, 1) if place_of(name) is not None else (0, 0)


def _limit(found: Interval) -> Interval:
    return found if fits(found, WIDEST) else WIDEST
