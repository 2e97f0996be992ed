"""Expressions: text → syntax, and syntax → expressions over registers with their types checked."""

from __future__ import annotations

from collections.abc import Callable

from membar.diagnostics import error
from membar.languages.xcfa import syntax as x
from membar.languages.xcfa.tokens import Cursor
from membar.program import expr as e

# From loose to tight; several spellings of one operator stand together.
_LEVELS: tuple[dict[str, str], ...] = (
    {"or": "or", "||": "or"},
    {"and": "and", "&&": "and"},
    {"=": "=", "==": "=", "/=": "!=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="},
    {"+": "+", "-": "-"},
    {"*": "*"},
)
_COMPARISONS = frozenset({"=", "!=", "<", "<=", ">", ">="})
_DEEPEST = 100


def expression(cursor: Cursor, level: int = 0, depth: int = 0) -> x.Expr:
    """Reads an expression; comparisons do not chain."""
    if depth > _DEEPEST:
        raise error("W0602", "the expression is nested too deeply", cursor.next.span, "too deep")
    if level == len(_LEVELS):
        return _operand(cursor, depth)
    left = expression(cursor, level + 1, depth)
    while cursor.sees(*_LEVELS[level]):
        sign = _LEVELS[level][cursor.take().text]
        right = expression(cursor, level + 1, depth)
        if sign in _COMPARISONS and cursor.sees(*_LEVELS[level]):
            raise cursor.wrong("comparisons do not chain: use parentheses and `and`")
        left = x.Infix(sign, left, right, left.span.to(right.span))
    return left


def _operand(cursor: Cursor, depth: int) -> x.Expr:
    start = cursor.next
    if cursor.accept("("):
        inner = expression(cursor, 0, depth + 1)
        cursor.expect(")", "to close the parenthesis")
        return inner
    if cursor.accept("not", "!"):
        operand = _operand(cursor, depth + 1)
        return x.Prefix("not", operand, start.span.to(operand.span))
    if cursor.sees("-"):
        if cursor.ahead().group == "number":
            return x.Literal(cursor.integer("a number"), x.Type.INT, start.span.to(cursor.previous.span))
        cursor.take()
        operand = _operand(cursor, depth + 1)
        return x.Prefix("-", operand, start.span.to(operand.span))
    if cursor.accept("if"):
        condition = expression(cursor, 0, depth + 1)
        cursor.expect("then", "after the condition")
        then = expression(cursor, 0, depth + 1)
        cursor.expect("else", "before the other value")
        otherwise = expression(cursor, 0, depth + 1)
        return x.Conditional(condition, then, otherwise, start.span.to(otherwise.span))
    if cursor.accept("true", "false"):
        return x.Literal(int(start.text == "true"), x.Type.BOOL, start.span)
    if cursor.next.group == "number":
        return x.Literal(cursor.integer("a number"), x.Type.INT, start.span)
    name = cursor.name("an expression")
    if cursor.accept("."):
        member = cursor.name("a variable of the process")
        return x.Use(member.text, name.span.to(member.span), name.text)
    return x.Use(name.text, name.span)


# Meaning

Lookup = Callable[[x.Use], tuple[e.Expr, x.Type]]


def lower(expr: x.Expr, lookup: Lookup) -> tuple[e.Expr, x.Type]:
    """The expression over registers, and its type.

    Args:
        expr: as written.
        lookup: the value and type of a variable.

    Raises:
        InputError: types do not fit.
    """
    match expr:
        case x.Literal(value, kind):
            return e.Constant(value), kind
        case x.Use():
            found, kind = lookup(expr)
            if kind not in (x.Type.INT, x.Type.BOOL):
                raise error("W0605", f"`{expr.name}` is a {kind.value}", expr.span, "it has no value")
            return found, kind
        case x.Prefix("not", operand):
            return e.negation(of_type(operand, x.Type.BOOL, lookup)), x.Type.BOOL
        case x.Prefix(_, operand):
            return e.Unary(e.UnaryOp.NEGATE, of_type(operand, x.Type.INT, lookup)), x.Type.INT
        case x.Infix():
            return _infix(expr, lookup)
        case x.Conditional(condition, then, otherwise):
            test = of_type(condition, x.Type.BOOL, lookup)
            first, kind = lower(then, lookup)
            return e.Select(test, first, of_type(otherwise, kind, lookup)), kind


def of_type(expr: x.Expr, wanted: x.Type, lookup: Lookup) -> e.Expr:
    """The expression, which must be of that type."""
    value, kind = lower(expr, lookup)
    if kind is not wanted:
        raise error(
            "W0605", f"`{expr.span.flat_text}` is of type {kind.value}", expr.span, f"expected {wanted.value}"
        )
    return value


def _infix(expr: x.Infix, lookup: Lookup) -> tuple[e.Expr, x.Type]:
    if expr.sign in ("and", "or"):
        left = of_type(expr.left, x.Type.BOOL, lookup)
        right = of_type(expr.right, x.Type.BOOL, lookup)
        return e.Binary(e.BinaryOp.AND if expr.sign == "and" else e.BinaryOp.OR, left, right), x.Type.BOOL
    if expr.sign in ("=", "!="):
        left, kind = lower(expr.left, lookup)
        test = e.equals(left, of_type(expr.right, kind, lookup))
        return (test if expr.sign == "=" else e.negation(test)), x.Type.BOOL
    left = of_type(expr.left, x.Type.INT, lookup)
    right = of_type(expr.right, x.Type.INT, lookup)
    match expr.sign:
        case "<":
            return e.Binary(e.BinaryOp.SLT, left, right), x.Type.BOOL
        case "<=":
            return e.Binary(e.BinaryOp.SLE, left, right), x.Type.BOOL
        case ">":
            return e.Binary(e.BinaryOp.SLT, right, left), x.Type.BOOL
        case ">=":
            return e.Binary(e.BinaryOp.SLE, right, left), x.Type.BOOL
        case "+":
            return e.Binary(e.BinaryOp.ADD, left, right), x.Type.INT
        case "-":
            return e.Binary(e.BinaryOp.SUB, left, right), x.Type.INT
        case _:
            return e.Binary(e.BinaryOp.MUL, left, right), x.Type.INT


def conjunction(left: e.Expr, right: e.Expr) -> e.Expr:
    """`left and right`, for truth values."""
    if left == e.TRUE:
        return right
    if right == e.TRUE or left == e.FALSE:
        return left
    return e.Binary(e.BinaryOp.AND, left, right)
