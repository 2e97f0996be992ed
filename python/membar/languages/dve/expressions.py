"""Reads DVE expressions: eight levels of operators, all left associative, as the legacy grammar has them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from membar.diagnostics import error
from membar.languages.dve import syntax as x
from membar.languages.dve.tokens import Cursor
from membar.records import replace

# Loosest first; `or` and `and` share one level, and so do `|`, `&` and `^`.
_LEVELS = (
    ("imply",),
    ("or", "||", "and", "&&"),
    ("|", "&", "^"),
    ("==", "!="),
    ("<", "<=", ">=", ">"),
    ("<<", ">>"),
    ("-", "+"),
    ("*", "/", "%"),
)
_SYNONYMS: Mapping[str, str] = {"||": "or", "&&": "and"}
_LEVEL = {sign: level for level, signs in enumerate(_LEVELS) for sign in signs}
TIGHTER_THAN_LOGIC = 3
_MOST_SIGNS = 300  # so that nobody who walks down the tree gets lost


def expression(cursor: Cursor) -> x.Expr:
    """The expression at the cursor."""
    return Reader(cursor).binary(0)


def variable(cursor: Cursor, what: str) -> x.Variable:
    """`x` or `a[e]`."""
    return Reader(cursor).variable(what)


class Reader:
    """One expression being read; `processes`, if given, are the names before which `->` means a variable."""

    def __init__(self, cursor: Cursor, processes: Collection[str] | None = None) -> None:
        self.cursor = cursor
        self.processes = processes
        self.signs = 0

    def _count(self) -> None:
        self.signs += 1
        if self.signs > _MOST_SIGNS:
            span = self.cursor.next.span
            raise error("W1003", "the expression is too long", span, f"at most {_MOST_SIGNS} operators")

    def binary(self, loosest: int) -> x.Expr:
        """An expression whose operators outside parentheses are of level `loosest` or tighter."""
        left = self._unary()
        while (level := self._level()) >= loosest:
            self._count()
            sign = self.cursor.take().text
            right = self.binary(level + 1)
            left = x.Binary(_SYNONYMS.get(sign, sign), left, right, left.span.to(right.span))
        return left

    def _level(self) -> int:
        """The level of the operator at the cursor, -1 if there is none; `<->` joins formulas, not values."""
        token = self.cursor.next
        if not token.group or (token.text == "<" and self.cursor.ahead().text == "->"):
            return -1
        return _LEVEL.get(token.text, -1)

    def _unary(self) -> x.Expr:
        cursor = self.cursor
        if sign := cursor.accept("-", "~", "not"):
            self._count()
            operand = self._unary()
            return x.Unary(sign.text, operand, sign.span.to(operand.span))
        if cursor.sees("!"):
            raise error(
                "W1002",
                "unexpected `!`",
                cursor.next.span,
                "expected an expression",
                help="negation is `not`",
            )
        return self._atom()

    def _atom(self) -> x.Expr:
        cursor = self.cursor
        if word := cursor.accept("true", "false"):
            return x.Number(int(word.text == "true"), word.span)
        if cursor.next.group == "number":
            return x.Number(cursor.natural("a number"), cursor.previous.span)
        if opening := cursor.accept("("):
            self._count()
            inner = self.binary(0)
            closing = cursor.expect(")", "to close the parenthesis")
            return replace(inner, span=opening.span.to(closing.span))
        if cursor.next.group == "name" and self._names_a_process():
            process = cursor.take()
            if cursor.take().text == ".":
                state = cursor.name("a state")
                return x.InState(process.text, state.text, process.span.to(state.span))
            seen = self.variable("a variable")
            return x.Foreign(process.text, seen, process.span.to(seen.span))
        return self.variable("an expression")

    def _names_a_process(self) -> bool:
        follows = self.cursor.ahead()
        if follows.group != "sign" or follows.text not in (".", "->"):
            return False
        return follows.text == "." or self.processes is None or self.cursor.next.text in self.processes

    def variable(self, what: str) -> x.Variable:
        """`x` or `a[e]`."""
        cursor = self.cursor
        name = cursor.name(what)
        index = None
        if cursor.accept("["):
            self._count()
            index = self.binary(0)
            cursor.expect("]", "after the index")
        return x.Variable(name.text, index, name.span.to(cursor.previous.span))
