"""C's arithmetic on 64-bit words: promotions, conversions, wrap-around, pointer arithmetic.

The word behind a value of type T is always T's own reading of it: sign-extended if T is signed,
zero-extended if not. Signed overflow wraps; C leaves it undefined.
"""

from __future__ import annotations

from types import MappingProxyType

from membar.diagnostics import InputError, error
from membar.languages.litmus import codes
from membar.languages.litmus.dialects.c.types import INT, LONG, CType, IntType, PointerType, type_text
from membar.program import expr as e
from membar.records import record
from membar.source import Span


@record(frozen=True, slots=True)
class Value:
    """An expression over the thread's registers and its C type."""

    expr: e.Expr
    type: CType


ZERO = Value(e.Constant(0), INT)
ONE = Value(e.Constant(1), INT)

_ARITHMETIC = MappingProxyType(
    {
        "+": e.BinaryOp.ADD,
        "-": e.BinaryOp.SUB,
        "*": e.BinaryOp.MUL,
        "&": e.BinaryOp.AND,
        "|": e.BinaryOp.OR,
        "^": e.BinaryOp.XOR,
    }
)
_DIVISION = MappingProxyType({"/": (e.BinaryOp.SDIV, e.BinaryOp.DIV), "%": (e.BinaryOp.SREM, e.BinaryOp.REM)})
_ORDER = MappingProxyType({"<": (e.BinaryOp.SLT, e.BinaryOp.LT), "<=": (e.BinaryOp.SLE, e.BinaryOp.LE)})
_MIRRORED = MappingProxyType({">": "<", ">=": "<="})
_EQUALITY = MappingProxyType({"==": e.BinaryOp.EQ, "!=": e.BinaryOp.NE})


def fold(expr: e.Expr) -> e.Expr:
    """`expr`, as a constant if it depends on nothing."""
    if isinstance(expr, e.Constant) or any(e.registers_of(expr)) or any(e.addresses_of(expr)):
        return expr
    return e.Constant(e.evaluate(expr, {}, {}))


def convert(value: Value, target: CType) -> Value:
    """`value` as C converts it to `target`."""
    source = value.type
    if isinstance(target, IntType) and target.is_bool:
        return Value(truth(value).expr, target)
    if fits(source, target):
        return Value(value.expr, target)
    return Value(fold(e.Extend(value.expr, target.width, target.signed)), target)


def fits(source: CType, target: CType) -> bool:
    """Whether a word that is right for `source` is right for `target` as it stands."""
    if isinstance(target, IntType) and target.is_bool:
        return isinstance(source, IntType) and source.is_bool
    if target.width == 64:
        return True
    if source.signed == target.signed:
        return source.width <= target.width
    return not source.signed and source.width < target.width


def truth(value: Value) -> Value:
    """1 if `value` is not 0, else 0."""
    if e.is_truth(value.expr):
        return Value(value.expr, INT)
    if isinstance(value.expr, e.Address):
        return ONE
    return Value(fold(e.Binary(e.BinaryOp.NE, value.expr, e.Constant(0))), INT)


def promote(kind: CType) -> CType:
    """The integer promotions."""
    return INT if isinstance(kind, IntType) and kind.width < INT.width else kind


def common(left: CType, right: CType) -> CType:
    """The usual arithmetic conversions of two integer types."""
    left, right = promote(left), promote(right)
    if left.width != right.width:
        return left if left.width > right.width else right
    return left if not left.signed else right


def prefix(op: str, operand: Value, span: Span) -> Value:
    """`op operand` for `+ - ~ !`."""
    if op == "!":
        inner = truth(operand).expr
        return Value(fold(e.Unary(e.UnaryOp.NOT, inner)), INT)
    if isinstance(operand.type, PointerType):
        raise _unfit(op, operand.type, span)
    kind = promote(operand.type)
    if op == "+":
        return convert(operand, kind)
    sign = e.UnaryOp.NEGATE if op == "-" else e.UnaryOp.INVERT
    return _wrap(e.Unary(sign, convert(operand, kind).expr), kind)


def infix(op: str, left: Value, right: Value, span: Span) -> Value:
    """`left op right` for arithmetic, shifts and comparisons."""
    if op in _MIRRORED:
        return infix(_MIRRORED[op], right, left, span)
    if isinstance(left.type, PointerType) or isinstance(right.type, PointerType):
        return _pointers(op, left, right, span)
    if op in {"<<", ">>"}:
        return _shift(op, left, right)
    kind = common(left.type, right.type)
    a, b = convert(left, kind).expr, convert(right, kind).expr
    if op in _EQUALITY:
        return Value(fold(e.Binary(_EQUALITY[op], a, b)), INT)
    if op in _ORDER:
        return Value(fold(e.Binary(_ORDER[op][not kind.signed], a, b)), INT)
    if op in _DIVISION:
        if b == e.Constant(0):
            raise error(codes.OPERAND, "division by zero", span, "the right operand is 0")
        return _wrap(e.Binary(_DIVISION[op][not kind.signed], a, b), kind)
    return _wrap(e.Binary(_ARITHMETIC[op], a, b), kind)


def _wrap(expr: e.Expr, kind: CType) -> Value:
    """A 64-bit result cut down to `kind`."""
    return Value(fold(expr if kind.width == 64 else e.Extend(expr, kind.width, kind.signed)), kind)


def _shift(op: str, left: Value, right: Value) -> Value:
    kind = promote(left.type)
    a, count = convert(left, kind).expr, right.expr
    if op == "<<":
        return _wrap(e.Binary(e.BinaryOp.SHL, a, count), kind)
    return _wrap(e.Binary(e.BinaryOp.SAR if kind.signed else e.BinaryOp.SHR, a, count), kind)


def _pointers(op: str, left: Value, right: Value, span: Span) -> Value:
    """Comparison of addresses, pointer ± integer, pointer - pointer."""
    if op in _EQUALITY:
        return Value(e.Binary(_EQUALITY[op], left.expr, right.expr), INT)
    if op in _ORDER:
        return Value(e.Binary(_ORDER[op][1], left.expr, right.expr), INT)
    if op == "+" and isinstance(right.type, PointerType):
        left, right = right, left
    if isinstance(left.type, PointerType):
        size = left.type.target.size
        if isinstance(right.type, IntType) and op in {"+", "-"}:
            return Value(_advance(left.expr, op, right.expr, size), left.type)
        if isinstance(right.type, PointerType) and op == "-":
            distance = e.Binary(e.BinaryOp.SUB, left.expr, right.expr)
            return Value(e.Binary(e.BinaryOp.SDIV, distance, e.Constant(size)), LONG)
    raise _unfit(op, left.type if isinstance(left.type, PointerType) else right.type, span)


def _advance(base: e.Expr, op: str, count: e.Expr, size: int) -> e.Expr:
    """`base ± count * size`; the address of an element if everything is known."""
    scaled = fold(e.Binary(e.BinaryOp.MUL, count, e.Constant(size)))
    if isinstance(base, e.Address) and isinstance(scaled, e.Constant):
        distance = scaled.value if scaled.value < 1 << 63 else scaled.value - (1 << 64)
        return e.Address(base.name, base.offset + (distance if op == "+" else -distance))
    return e.Binary(_ARITHMETIC[op], base, scaled)


def select(condition: Value, then: Value, otherwise: Value) -> Value:
    """`condition ? then : otherwise` where all three are known."""
    kind = then.type if isinstance(then.type, PointerType) else otherwise.type
    if not isinstance(kind, PointerType):
        kind = common(then.type, otherwise.type)
    a, b = convert(then, kind).expr, convert(otherwise, kind).expr
    return Value(fold(e.Select(truth(condition).expr, a, b)), kind)


def _unfit(op: str, kind: CType, span: Span) -> InputError:
    return error(
        codes.OPERAND, f"`{op}` cannot be applied to a `{type_text(kind)}`", span, "expected integers"
    )
