"""Expressions and formulas in the syntax of a language, with names and numbers that it allows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from membar.program import expr as e
from membar.program import temporal as t
from membar.questions.export.model import INT32, Interval, place_of, untranslatable
from membar.questions.export.ranges import Ranges, fits, type_range
from membar.records import record

_SAME = {
    e.BinaryOp.ADD: "+",
    e.BinaryOp.SUB: "-",
    e.BinaryOp.MUL: "*",
    e.BinaryOp.EQ: "==",
    e.BinaryOp.NE: "!=",
    e.BinaryOp.SLT: "<",
    e.BinaryOp.SLE: "<=",
    e.BinaryOp.AND: "&",
    e.BinaryOp.OR: "|",
    e.BinaryOp.XOR: "^",
    e.BinaryOp.SHL: "<<",
    e.BinaryOp.SAR: ">>",
    e.BinaryOp.SHR: ">>",
}
_DIVIDING = {e.BinaryOp.DIV: "/", e.BinaryOp.SDIV: "/", e.BinaryOp.REM: "%", e.BinaryOp.SREM: "%"}
_WRAPPING = (e.BinaryOp.ADD, e.BinaryOp.SUB, e.BinaryOp.MUL)


@record(frozen=True, slots=True, kw_only=True)
class Words:
    """The syntax of a language.

    Attributes:
        land, lor, lnot: `and`, `or`, `not` of truth values.
        formulas: LTL.
        numbers: what its arithmetic can hold; it wraps around there.
    """

    land: str
    lor: str
    lnot: str
    formulas: t.Words
    numbers: Interval


class Speller:
    """Prints expressions over the variables of a model.

    Args:
        words: the language.
        names: what each key is called.
        places: how it is said that a thread is at a control point.
        ranges: the values of all variables.
    """

    def __init__(
        self,
        words: Words,
        names: Mapping[str, str],
        places: Callable[[int, int], str],
        ranges: Mapping[str, Interval],
    ) -> None:
        self.words = words
        self.names = names
        self.places = places
        self.ranges = ranges

    def value(self, expr: e.Expr, ranges: Ranges | None = None) -> str:
        """An expression, in parentheses where it has operators.

        Raises:
            InputError: a value on the way is too large for the language.
        """
        return self._text(expr, ranges or Ranges(self.ranges))

    def truth(self, expr: e.Expr, ranges: Ranges | None = None) -> str:
        """An expression as a condition."""
        return self._truth(expr, ranges or Ranges(self.ranges))

    def _truth(self, expr: e.Expr, ranges: Ranges) -> str:
        found = self._text(expr, ranges)
        return found if _is_condition(expr, ranges) else f"({found} != 0)"

    def _text(self, expr: e.Expr, ranges: Ranges) -> str:
        if not fits(ranges.of(expr), self.words.numbers):
            raise untranslatable("an expression whose values are too large for the language")
        match expr:
            case e.Constant(value=value):
                number = e.signed(value)
                if not fits((number, number), INT32):
                    raise untranslatable(f"the number {number}: at most 32 bits are written")
                return str(number) if number >= 0 else f"({number})"
            case e.Register(name=name):
                return self._variable(name)
            case e.Address():
                raise untranslatable("an address as a value")
            case e.Unary(op=e.UnaryOp.NOT, operand=operand):
                return f"({self.words.lnot} {self._truth(operand, ranges)})"
            case e.Unary(op=op, operand=operand):
                if op.value in e.NAMED_OPERATORS:
                    raise untranslatable("floating-point arithmetic")
                return f"({op.value}{self._text(operand, ranges)})"
            case e.Extend():
                return self._extension(expr, ranges)
            case e.Select(condition=condition, then=then, otherwise=otherwise):
                return self._select(condition, then, otherwise, ranges)
            case e.Binary():
                return self._binary(expr, ranges)

    def _variable(self, name: str) -> str:
        place = place_of(name)
        if place is not None:
            return self.places(*place)
        if name in self.names:
            return self.names[name]
        low, _ = self.ranges.get(name, (0, 0))  # a register that never changes
        return str(low) if low >= 0 else f"({low})"

    def _extension(self, expr: e.Extend, ranges: Ranges) -> str:
        inner = expr.operand
        limits = type_range(expr.width, is_signed=expr.signed)
        if fits(ranges.of(inner), limits):
            return self._text(inner, ranges)
        if limits == self.words.numbers and isinstance(inner, e.Binary) and inner.op in _WRAPPING:
            left, right = self._text(inner.left, ranges), self._text(inner.right, ranges)
            return f"({left} {_SAME[inner.op]} {right})"
        mask = e.Constant((1 << expr.width) - 1)
        low = e.Binary(e.BinaryOp.AND, inner, mask)
        if not expr.signed:
            return self._text(low, ranges)
        sign = e.Constant(1 << (expr.width - 1))
        return self._text(e.Binary(e.BinaryOp.SUB, e.Binary(e.BinaryOp.XOR, low, sign), sign), ranges)

    def _select(self, condition: e.Expr, then: e.Expr, otherwise: e.Expr, ranges: Ranges) -> str:
        asked = self._truth(condition, ranges)
        a, b = self._text(then, ranges), self._text(otherwise, ranges)
        words = self.words
        if e.is_truth(then) and e.is_truth(otherwise):
            return f"(({asked} {words.land} {a}) {words.lor} (({words.lnot} {asked}) {words.land} {b}))"
        return f"({asked} * {a} + ({words.lnot} {asked}) * {b})"

    def _binary(self, expr: e.Binary, ranges: Ranges) -> str:
        op, left, right = expr.op, expr.left, expr.right
        a, b = self._text(left, ranges), self._text(right, ranges)
        words = self.words
        if (
            op in (e.BinaryOp.AND, e.BinaryOp.OR)
            and _is_condition(left, ranges)
            and _is_condition(right, ranges)
        ):
            return f"({a} {words.land if op is e.BinaryOp.AND else words.lor} {b})"
        if op is e.BinaryOp.LT and isinstance(left, e.Constant) and e.signed(left.value) >= 0:
            return self._outside(e.signed(left.value), right, ranges)
        if op in (e.BinaryOp.LT, e.BinaryOp.LE):
            return self._unsigned(
                "<" if op is e.BinaryOp.LT else "<=", (a, b), ranges.of(left), ranges.of(right)
            )
        if op in _DIVIDING:
            if op in (e.BinaryOp.DIV, e.BinaryOp.REM) and (ranges.of(left)[0] < 0 or ranges.of(right)[0] < 0):
                raise untranslatable("an unsigned division")
            return _division(_DIVIDING[op], a, b, may_be_zero=ranges.of(right)[0] <= 0 <= ranges.of(right)[1])
        if op is e.BinaryOp.SHR and ranges.of(left)[0] < 0:
            raise untranslatable("an unsigned shift")
        shifts = op in (e.BinaryOp.SHL, e.BinaryOp.SAR, e.BinaryOp.SHR)
        if shifts and not fits(ranges.of(right), (0, words.numbers[1].bit_length() - 1)):
            raise untranslatable("a shift by more bits than a number has")
        if op not in _SAME:
            raise untranslatable("floating-point arithmetic")
        return f"({a} {_SAME[op]} {b})"

    def _unsigned(self, sign: str, texts: tuple[str, str], left: Interval, right: Interval) -> str:
        """A comparison of numbers without sign: those with the highest bit are larger than all others."""
        a, b = texts
        if left[0] >= 0 and right[0] >= 0:
            return f"({a} {sign} {b})"
        words = self.words
        if right[0] >= 0:
            return f"(({a} >= 0) {words.land} ({a} {sign} {b}))"
        if left[0] >= 0:
            return f"(({b} < 0) {words.lor} ({a} {sign} {b}))"
        return f"(({a} {sign} {b}) == (({a} >= 0) == ({b} >= 0)))"

    def _outside(self, most: int, value: e.Expr, ranges: Ranges) -> str:
        """`most < value` without sign, as front ends check ranges: `value` is not from 0 to `most`."""
        low = 0
        if isinstance(value, e.Binary) and value.op is e.BinaryOp.SUB and isinstance(value.right, e.Constant):
            low, value = e.signed(value.right.value), value.left
        inner = self._text(value, ranges)
        first, last = self._text(e.Constant(low), ranges), self._text(e.Constant(low + most), ranges)
        if low <= ranges.of(value)[0]:
            return f"({last} < {inner})"
        return f"(({inner} < {first}) {self.words.lor} ({last} < {inner}))"

    def formula(self, formula: t.Formula, atom: Callable[[t.Atom], e.Expr]) -> str:
        """A formula of linear temporal logic."""
        return t.formula_text(formula, self.words.formulas, lambda found: self.truth(atom(found)))


def _is_condition(expr: e.Expr, ranges: Ranges) -> bool:
    return e.is_truth(expr) or fits(ranges.of(expr), (0, 1))


def _division(sign: str, a: str, b: str, *, may_be_zero: bool) -> str:
    """A quotient or remainder; by 0 it is 0, or the dividend."""
    if not may_be_zero:
        return f"({a} {sign} {b})"
    inner = f"({a} {sign} ({b} + ({b} == 0)))"
    if sign == "/":
        return f"({inner} * ({b} != 0))"
    return f"({inner} * ({b} != 0) + {a} * ({b} == 0))"


def sequence_writes(
    writes: tuple[tuple[str, e.Expr], ...], scratch: Callable[[str], str]
) -> list[tuple[str, e.Expr]]:
    """Simultaneous writes as a sequence of assignments.

    Who reads a variable comes before who writes it. Where that goes round in a circle, one value is kept in
    a scratch variable for the key, which is 0 again at the end.
    """
    waiting = dict(writes)
    result: list[tuple[str, e.Expr]] = []
    later: list[tuple[str, e.Expr]] = []
    while waiting:
        ready = [
            key
            for key in waiting
            if not any(_reads(value, key) for other, value in waiting.items() if other != key)
        ]
        if ready:
            result.append((ready[0], waiting.pop(ready[0])))
            continue
        key = next(iter(waiting))
        kept = scratch(key)
        result.append((kept, waiting.pop(key)))
        later += [(key, e.Register(kept)), (kept, e.FALSE)]
    return result + later


def _reads(expr: e.Expr, key: str) -> bool:
    return key in e.registers_of(expr)
