"""DVE expressions as expressions of a Program, with the range of their values and what can go wrong in them.

Values are computed in 64 bits, so that nothing a sensible model writes overflows. `and`, `or` and `imply`
look at their right side only if they need it: what would go wrong there does not, if they do not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn

from membar.diagnostics import error
from membar.languages.dve import syntax as x
from membar.program import expr as e
from membar.program.operations import MEMORY
from membar.records import record, replace

if TYPE_CHECKING:
    from membar.languages.dve.scope import Variable

WIDEST = (-(1 << 63), (1 << 63) - 1)
_OVERFLOWING = (e.BinaryOp.ADD, e.BinaryOp.SUB, e.BinaryOp.MUL)


@record(frozen=True, slots=True)
class Failure:
    """A run-time error, which violates `property`, if `condition` is not 0."""

    condition: e.Expr
    message: str
    property: str = MEMORY


@record(frozen=True, slots=True)
class Value:
    """An expression, the smallest and the largest value it can have, and what can go wrong in it."""

    expr: e.Expr
    range: tuple[int, int] = WIDEST
    failures: tuple[Failure, ...] = ()

    @property
    def constant(self) -> int | None:
        """Its value, if it is a literal."""
        return e.signed(self.expr.value) if isinstance(self.expr, e.Constant) else None

    @property
    def truth(self) -> e.Expr:
        """1 if it is not 0, else 0."""
        if self.range[0] >= 0 and self.range[1] <= 1:
            return self.expr
        return e.Binary(e.BinaryOp.NE, self.expr, e.FALSE)

    def fits(self, low: int, high: int) -> bool:
        """Whether it is always from `low` to `high`."""
        return low <= self.range[0] and self.range[1] <= high


def literal(value: int) -> Value:
    """A number."""
    return Value(e.Constant(value & e.MASK), (value, value))


class Arithmetic(ABC):
    """Turns trees into values; what a variable or a state is, subclasses say."""

    @abstractmethod
    def read(self, tree: x.Variable) -> Value:
        """The value of a variable."""

    @abstractmethod
    def in_state(self, tree: x.InState) -> Value:
        """Whether a process is in a state."""

    @abstractmethod
    def foreign(self, tree: x.ProcessVariableReference) -> Value:
        """The value of a variable of another process."""

    def value(self, tree: x.Expr) -> Value:
        """The value of an expression."""
        match tree:
            case x.Number(value=value):
                return literal(value)
            case x.Variable():
                return self.read(tree)
            case x.InState():
                return self.in_state(tree)
            case x.ProcessVariableReference():
                return self.foreign(tree)
            case x.Unary(op=op, operand=operand):
                return _unary(op, self.value(operand))
            case x.Binary(op=op, left=left, right=right):
                return _binary(tree, op, self.value(left), self.value(right))


def _unary(op: str, operand: Value) -> Value:
    low, high = operand.range
    known = operand.constant
    if known is not None:
        return literal({"-": -known, "~": ~known, "not": int(not known)}[op])
    if op == "not":
        return Value(e.negation(operand.truth), (0, 1), operand.failures)
    if op == "~":
        return Value(e.Unary(e.UnaryOp.INVERT, operand.expr), (~high, ~low), operand.failures)
    return _narrow(e.Unary(e.UnaryOp.NEGATE, operand.expr), (-high, -low), operand.failures)


def _narrow(expr: e.Expr, found: tuple[int, int], failures: tuple[Failure, ...]) -> Value:
    """A value with the range found, unless arithmetic could have overflowed."""
    is_exact = WIDEST[0] < found[0] and found[1] < WIDEST[1]
    return Value(expr, found if is_exact else WIDEST, failures)


def _binary(tree: x.Binary, op: str, left: Value, right: Value) -> Value:
    if op in ("and", "or", "imply"):
        return _logical(op, left, right)
    if op in ("<->", "xnor", "xor"):  # of formulas
        op, left, right = ("!=" if op == "xor" else "=="), _truth(left), _truth(right)
    failures = left.failures + right.failures
    if op in ("/", "%") and right.range[0] <= 0 <= right.range[1]:
        zero = e.Binary(e.BinaryOp.EQ, right.expr, e.FALSE)
        failures += (Failure(zero, f"division by zero in `{tree.span.flat_text}`"),)
    expr = e.infix(op, left.expr, right.expr)
    if op in e.COMPARISON_SIGNS:
        found = Value(expr, (0, 1), failures)
    else:
        found = _narrow(expr, _range(op, left, right), failures)
    is_divided = op in ("/", "%") and right.constant == 0
    return found if is_divided else _fold(found, left, right)


def _truth(value: Value) -> Value:
    return _fold(Value(value.truth, (0, 1), value.failures), value)


def _logical(op: str, left: Value, right: Value) -> Value:
    is_needed = e.negation(left.truth) if op == "or" else left.truth
    failures = left.failures + tuple(
        replace(failure, condition=e.Binary(e.BinaryOp.AND, is_needed, failure.condition))
        for failure in right.failures
    )
    first = e.negation(left.truth) if op == "imply" else left.truth
    name = e.BinaryOp.AND if op == "and" else e.BinaryOp.OR
    return _fold(Value(e.Binary(name, first, right.truth), (0, 1), failures), left, right)


def _fold(value: Value, *operands: Value) -> Value:
    """The value, a literal if it is made of some; its range is not exact where arithmetic overflowed."""
    if any(operand.constant is None for operand in operands):
        return value
    number = e.signed(e.evaluate(value.expr, {}, {}))
    overflows = value.range == WIDEST and isinstance(value.expr, e.Binary) and value.expr.op in _OVERFLOWING
    return Value(e.Constant(number), WIDEST if overflows else (number, number), value.failures)


def _range(op: str, left: Value, right: Value) -> tuple[int, int]:
    (a, b), (c, d) = left.range, right.range
    match op:
        case "+":
            return a + c, b + d
        case "-":
            return a - d, b - c
        case "*":
            corners = [p * q for p in (a, b) for q in (c, d)]
            return min(corners), max(corners)
        case "/":
            largest = max(abs(a), abs(b))
            return (0, b) if a >= 0 and c >= 0 else (-largest, largest)
        case "%":
            largest = max(abs(c), abs(d), 1) - 1
            return (0 if a >= 0 else -min(largest, -a)), (0 if b <= 0 else min(largest, b))
        case "&" if a >= 0 and c >= 0:
            return 0, min(b, d)
        case "|" | "^" if a >= 0 and c >= 0:
            return 0, (1 << max(b.bit_length(), d.bit_length())) - 1
        case "<<" if a >= 0 and c >= 0 and d < 40:
            return 0, b << d
        case ">>" if a >= 0 and c >= 0:
            return 0, b
    return WIDEST


def select_element(index: e.Expr, values: Sequence[e.Expr], first: int = 0) -> e.Expr:
    """The element that an index from `first` on picks; a tree of choices, as high as it must be."""
    if len(values) == 1:
        return values[0]
    half = len(values) // 2
    is_low = e.Binary(e.BinaryOp.SLT, index, e.Constant(first + half))
    return e.Select(
        is_low,
        select_element(index, values[:half], first),
        select_element(index, values[half:], first + half),
    )


def is_inside(index: e.Expr, count: int) -> e.Expr:
    """Whether an index is one of `count` elements: as an unsigned number, negative ones are large."""
    return e.Binary(e.BinaryOp.LT, index, e.Constant(count))


def out_of_bounds(index: Value, variable: Variable, text: str) -> tuple[Failure, ...]:
    """What can go wrong with an index."""
    count = variable.count or 1
    if index.fits(0, count - 1):
        return ()
    message = f"`{text}` is out of bounds: `{variable.name}` has {count} elements"
    return (Failure(e.negation(is_inside(index.expr, count)), message),)


def constant_value(tree: x.Expr, constants: Mapping[str, int]) -> int:
    """The value of an expression of numbers and constants.

    Raises:
        InputError: it uses something else, or divides by zero.
    """
    found = _Constants(constants).value(tree)
    if any(e.evaluate(failure.condition, {}, {}) for failure in found.failures):
        raise error("W1006", "a division by zero", tree.span, "in a constant")
    return e.signed(e.evaluate(found.expr, {}, {})) if found.constant is None else found.range[0]


class _Constants(Arithmetic):
    def __init__(self, constants: Mapping[str, int]) -> None:
        self._constants = constants

    def read(self, tree: x.Variable) -> Value:
        if tree.index is None and tree.name in self._constants:
            return literal(self._constants[tree.name])
        return self.in_state(tree)

    def in_state(self, tree: x.Expr) -> NoReturn:
        raise error("W1006", "not a constant", tree.span, "only numbers and constants are allowed here")

    def foreign(self, tree: x.Expr) -> NoReturn:
        self.in_state(tree)
