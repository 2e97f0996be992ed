"""The values that variables and expressions can have: translations with narrow integers must keep them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from membar.program import expr as e
from membar.questions.export.model import Interval, place_of

WIDEST: Interval = (-(1 << 63), (1 << 63) - 1)


def hull(one: Interval, other: Interval) -> Interval:
    """The smallest interval around both."""
    return min(one[0], other[0]), max(one[1], other[1])


def intersection(one: Interval, other: Interval) -> Interval:
    """The intersection; the first interval if it is empty (that state is impossible)."""
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

    def __init__(self, variables: Mapping[str, Interval], guards: Iterable[e.Expr] = ()) -> None:
        self.variables = variables
        self.facts: dict[e.Expr, Interval] = {}
        for guard in guards:
            self._record_guard(guard)

    def _record_guard(self, guard: e.Expr) -> None:
        """Records what a guard implies about an expression."""
        match guard:
            case e.Binary(op=e.BinaryOp.AND, left=left, right=right) if (
                self.of(left)[1] <= 1 and self.of(right)[1] <= 1
            ):
                self._record_guard(left)
                self._record_guard(right)
            case e.Binary(op=e.BinaryOp.EQ, left=left, right=e.Constant(value=value)):
                self._record_fact(left, (e.signed(value), e.signed(value)))
            case e.Binary(op=e.BinaryOp.LT, left=left, right=e.Constant(value=value)) if e.signed(value) > 0:
                self._record_fact(left, (0, value - 1))
            case e.Binary(op=e.BinaryOp.SLT, left=left, right=e.Constant(value=value)):
                self._record_fact(left, (WIDEST[0], e.signed(value) - 1))
            case e.Binary(op=e.BinaryOp.SLT, left=e.Constant(value=value), right=right):
                self._record_fact(right, (e.signed(value) + 1, WIDEST[1]))
            case e.Binary(op=e.BinaryOp.SLE, left=left, right=e.Constant(value=value)):
                self._record_fact(left, (WIDEST[0], e.signed(value)))
            case e.Binary(op=e.BinaryOp.SLE, left=e.Constant(value=value), right=right):
                self._record_fact(right, (e.signed(value), WIDEST[1]))
            case e.Unary(op=e.UnaryOp.NOT, operand=e.Binary(op=op, left=left, right=right)):
                self._record_negated_guard(op, left, right)
            case _:
                pass

    def _record_negated_guard(self, op: e.BinaryOp, left: e.Expr, right: e.Expr) -> None:
        match op, left, right:
            case e.BinaryOp.LT, e.Constant(value=value), _ if e.signed(value) >= 0:
                self._record_fact(right, (0, value))
            case e.BinaryOp.SLT, _, _:
                self._record_guard(e.Binary(e.BinaryOp.SLE, right, left))
            case e.BinaryOp.SLE, _, _:
                self._record_guard(e.Binary(e.BinaryOp.SLT, right, left))
            case _:
                pass

    def _record_fact(self, expr: e.Expr, found: Interval) -> None:
        self.facts[expr] = intersection(self.of(expr), found)
        match expr:
            case e.Binary(op=e.BinaryOp.SUB, left=left, right=e.Constant(value=value)):
                low, high = self.facts[expr]
                self._record_fact(left, (low + e.signed(value), high + e.signed(value)))
            case _:
                pass

    def of(self, expr: e.Expr) -> Interval:
        """The range of an expression, read as a signed number; `WIDEST` where it could overflow."""
        found = self._of(expr)
        if expr in self.facts:
            found = intersection(found, self.facts[expr])
        return found

    def _of(self, expr: e.Expr) -> Interval:
        match expr:
            case e.Constant(value=value):
                return e.signed(value), e.signed(value)
            case e.Register(name=name):
                return self.variables.get(name) or _default_range(name)
            case e.Address():
                return WIDEST
            case e.Unary(op=op, operand=operand):
                return self._unary(op, self.of(operand))
            case e.Extend(operand=operand, width=width, signed=is_signed):
                inner, whole = self.of(operand), type_range(width, is_signed=is_signed)
                return inner if fits(inner, whole) else intersection(whole, WIDEST)
            case e.Select(condition=condition, then=then, otherwise=otherwise):
                inside = Ranges(self.variables)
                inside.facts = dict(self.facts)
                inside._record_guard(condition)
                return hull(inside.of(then), self.of(otherwise))
            case e.Binary(op=op, left=left, right=right):
                return self._binary(op, self.of(left), self.of(right))

    def _unary(self, op: e.UnaryOp, operand: Interval) -> Interval:
        low, high = operand
        match op:
            case e.UnaryOp.NOT:
                return 0, 1
            case e.UnaryOp.INVERT:
                return _limit((~high, ~low))
            case e.UnaryOp.NEGATE:
                return _limit((-high, -low))
            case _:
                return WIDEST

    def _binary(self, op: e.BinaryOp, left: Interval, right: Interval) -> Interval:
        (a, b), (c, d) = left, right
        if op in e.COMPARISONS:
            return 0, 1
        found = WIDEST
        match op:
            case e.BinaryOp.ADD:
                found = a + c, b + d
            case e.BinaryOp.SUB:
                found = a - d, b - c
            case e.BinaryOp.MUL:
                corners = [p * q for p in left for q in right]
                found = min(corners), max(corners)
            case e.BinaryOp.SDIV | e.BinaryOp.DIV if op is e.BinaryOp.SDIV or (a >= 0 and c >= 0):
                most = max(abs(a), abs(b))
                found = (0, b) if a >= 0 and c >= 0 else (-most, most)
            case e.BinaryOp.SREM | e.BinaryOp.REM if op is e.BinaryOp.SREM or (a >= 0 and c >= 0):
                found = (0 if a >= 0 else a), (0 if b <= 0 else b)
                if c > 0 or d < 0:
                    most = max(abs(c), abs(d)) - 1
                    found = intersection(found, (-most, most))
            case e.BinaryOp.AND if a >= 0 or c >= 0:
                found = 0, min(b if a >= 0 else d, d if c >= 0 else b)
            case e.BinaryOp.AND | e.BinaryOp.OR | e.BinaryOp.XOR:
                bits = max((abs(value) + 1).bit_length() for value in (a, b, c, d))
                found = (0 if a >= 0 and c >= 0 else -(1 << bits)), (1 << bits) - 1
            case e.BinaryOp.SHL if c >= 0 and d < 40 and a >= 0:
                found = a << c, b << d
            case e.BinaryOp.SHR | e.BinaryOp.SAR if c >= 0 and a >= 0:
                found = 0, b
            case e.BinaryOp.SAR if c >= 0:
                found = a, max(b, 0)
            case _:
                pass
        return _limit(found)


def _default_range(name: str) -> Interval:
    """A control point is 1 or 0; a register that is never written is 0."""
    return (0, 1) if place_of(name) is not None else (0, 0)


def _limit(found: Interval) -> Interval:
    return found if fits(found, WIDEST) else WIDEST
