"""The conditions of `#if`: constant expressions of the C preprocessor."""

from __future__ import annotations

from collections.abc import Sequence

from membar.diagnostics import error
from membar.languages.promela import syntax as p
from membar.languages.promela.expressions import Expressions
from membar.languages.promela.tokens import Cursor
from membar.program.expr import FALSE, Constant, Expr, Unary, UnaryOp, infix
from membar.program.folding import both, either, fold, logical_not
from membar.records import replace
from membar.source import Span
from membar.text.tokens import Token

_CODE = "W0703"
_EXPECTED = "expected a constant expression"


class _Words(Cursor):
    """A place in a condition, whose numbers have 64 bits."""

    code = number_code = _CODE
    largest = (1 << 63) - 1


def condition(words: Sequence[Token], directive: Token) -> bool:
    """Whether a condition holds, its macros already in place; a name that is left over is 0.

    Raises:
        InputError: it is no constant expression.
    """
    numbers = (
        replace(word, group="number", text="0") if word.group in ("name", "keyword") else word
        for word in words
    )
    cursor = _Words((*numbers, Token("", "", directive.span)))
    found = Expressions(cursor, frozenset()).expression()
    if not cursor.at_end:
        raise cursor.wrong(_EXPECTED)
    return _value(found, directive.span) != FALSE


def _value(expr: p.Expr, place: Span) -> Expr:
    match expr:
        case p.Number(value):
            return Constant(value)
        case p.Prefix("!", operand):
            return logical_not(_value(operand, place))
        case p.Prefix(sign, operand):
            return fold(Unary(UnaryOp(sign), _value(operand, place)))
        case p.Infix(sign, left, right):
            first, second = _value(left, place), _value(right, place)
            if sign in ("/", "%") and second == FALSE:
                raise error(_CODE, "division by 0 in a condition", place, "expected a number")
            if sign in ("&&", "||"):
                return both(first, second) if sign == "&&" else either(first, second)
            return fold(infix(sign, first, second))
        case _:
            raise error(_CODE, f"`{expr.span.flat_text}` in a condition", place, _EXPECTED)
