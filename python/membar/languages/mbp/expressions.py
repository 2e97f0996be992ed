"""Expressions of the program text, by precedence climbing."""

from __future__ import annotations

import re

from membar.diagnostics import error
from membar.languages.mbp.tokens import Cursor
from membar.program import expr as e
from membar.source import Span

# From loose to tight, as in C; operators of one row associate to the left.
_LEVELS = (
    ("|",),
    ("^",),
    ("&",),
    ("==", "!=", "==."),
    ("<u", "<=u", "<s", "<=s", "<.", "<=."),
    ("<<", ">>u", ">>s"),
    ("+", "-", "+.", "-."),
    ("*", "/u", "/s", "%u", "%s", "*.", "/.", "%.", "*?"),
)
_TYPE = re.compile(r"([iu])([0-9]+)")


def expression(cursor: Cursor) -> e.Expr:
    """An expression with the loosest operators."""
    return _binary(cursor, 0)


def comparison(cursor: Cursor) -> e.Expr:
    """An expression without bitwise operators outside parentheses: what a formula is made of."""
    return _binary(cursor, 3)


def _binary(cursor: Cursor, level: int) -> e.Expr:
    if level == len(_LEVELS):
        return _unary(cursor)
    left = _binary(cursor, level + 1)
    while cursor.sees(*_LEVELS[level]):
        op = e.BinaryOp(cursor.take().text)
        left = e.Binary(op, left, _binary(cursor, level + 1))
    return left


def _unary(cursor: Cursor) -> e.Expr:
    if cursor.sees("-", "~", "!"):
        return e.Unary(e.UnaryOp(cursor.take().text), _unary(cursor))
    return _primary(cursor)


def _primary(cursor: Cursor) -> e.Expr:
    token = cursor.next
    if token.group == "number":
        return e.Constant(cursor.natural("a number"))
    if cursor.sees("&"):
        return address(cursor)
    if cursor.accept("("):
        return _parenthesized_expression(cursor)
    if starts_cast(cursor):
        width, is_signed = cast_type(cursor)
        return e.Extend(_argument(cursor, "type"), width, is_signed)
    operator = e.NAMED_OPERATORS.get(token.text)
    following = cursor.ahead()
    if operator is not None and (following.group, following.text) == ("sign", "("):
        cursor.take()
        return e.Unary(operator, _argument(cursor, "operator"))
    return e.Register(cursor.take_name("an expression"))


def _argument(cursor: Cursor, of: str) -> e.Expr:
    cursor.expect("(", f"after the {of}")
    operand = expression(cursor)
    cursor.expect(")", f"to close the {of}'s parenthesis")
    return operand


def _parenthesized_expression(cursor: Cursor) -> e.Expr:
    inner = expression(cursor)
    if cursor.accept("?"):
        then = expression(cursor)
        cursor.expect(":", "between the two values of a choice")
        inner = e.Select(inner, then, expression(cursor))
    cursor.expect(")", "to close the parenthesis")
    return inner


def address(cursor: Cursor) -> e.Address:
    """`&x`, `&(x + 4)`."""
    cursor.expect("&", "before a memory object")
    if not cursor.accept("("):
        return e.Address(cursor.take_name("a memory object"))
    name = cursor.take_name("a memory object")
    if not cursor.sees("+", "-"):
        raise cursor.wrong("expected `+` or `-` and an offset in bytes")
    sign = 1 if cursor.take().text == "+" else -1
    offset = sign * cursor.natural("an offset in bytes")
    cursor.expect(")", "to close the address")
    return e.Address(name, offset)


def starts_cast(cursor: Cursor) -> bool:
    """Whether `u8(` or the like comes next."""
    is_type = cursor.next.group == "name" and _TYPE.fullmatch(cursor.next.text)
    following = cursor.ahead()
    return bool(is_type) and following.group == "sign" and following.text == "("


def cast_type(cursor: Cursor) -> tuple[int, bool]:
    """`i32` or `u8`: the width in bits and whether it is signed."""
    token = cursor.next
    found = _TYPE.fullmatch(token.text) if token.group == "name" else None
    if found is None:
        raise cursor.wrong("expected a type such as `i32` or `u8`")
    cursor.take()
    width = int(found.group(2))
    if not 1 <= width <= e.WORD:
        raise error("W0503", f"a type of {width} bits", token.span, f"expected 1 to {e.WORD} bits")
    return width, found.group(1) == "i"


def memory_type(cursor: Cursor) -> tuple[int, bool]:
    """`i32` or `u8`: the size in bytes and whether it is signed."""
    span: Span = cursor.next.span
    width, is_signed = cast_type(cursor)
    if width not in {8, 16, 32, 64}:
        raise error("W0503", f"memory of {width} bits", span, "expected 8, 16, 32 or 64 bits")
    return width // 8, is_signed
