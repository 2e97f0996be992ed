"""Reads DVE expressions: eight levels of operators, all left associative, as the legacy grammar has them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from membar.diagnostics import InputError, error
from membar.languages.dve import syntax as x
from membar.languages.dve.tokens import Cursor
from membar.records import replace
from membar.source import Span
from membar.text.operators import OpenRows, levels

# Loosest first; `or` and `and` share one level, and so do `|`, `&` and `^`.
_LEVELS = levels(
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
TIGHTER_THAN_LOGIC = 2
_HIGHEST = 300  # so that nobody who walks down the tree gets lost


def expression(cursor: Cursor) -> x.Expr:
    """The expression at the cursor."""
    return Reader(cursor).binary(0)


def variable(cursor: Cursor, what: str) -> x.Variable:
    """`x` or `a[e]`."""
    return Reader(cursor).variable(what)


class Reader:
    """One expression being read; `processes`, if given, are the names before which `->` means a variable."""

    DEEPEST = _HIGHEST

    def __init__(self, cursor: Cursor, processes: Collection[str] | None = None) -> None:
        self.cursor = cursor
        self.processes = processes
        self._open = 0  # parentheses, signs and indices that the cursor is inside of
        self._heights: dict[
            tuple[int, int], int
        ] = {}  # of the trees that were read, where they are not leaves

    def _with_height(self, tree: x.Expr, *parts: x.Expr) -> x.Expr:
        """A tree, whose height is now known.

        Raises:
            InputError: it is too high.
        """
        height = 1 + max(self._heights.get(_place(part), 0) for part in parts)
        if self._open + height > _HIGHEST:
            raise _too_deep(self.cursor.next.span, _HIGHEST)
        self._heights[_place(tree)] = height
        return tree

    @contextmanager
    def inside(self) -> Iterator[None]:
        """For parentheses, and whatever else the cursor is inside of."""
        self._open += 1
        if self._open > self.DEEPEST:
            raise _too_deep(self.cursor.next.span, self.DEEPEST)
        yield
        self._open -= 1

    def binary(self, loosest: int) -> x.Expr:
        """An expression whose operators outside parentheses are of level `loosest` or tighter."""
        rows = OpenRows(self._join)
        while True:
            operand = self._unary()
            level = self._level()
            operand = rows.close(operand, level)
            if level < loosest:
                return operand
            word = self.cursor.take().text
            rows.add(operand, level, _SYNONYMS.get(word, word))

    def _join(self, sign: str, left: x.Expr, right: x.Expr) -> x.Expr:
        return self._with_height(x.Binary(sign, left, right, left.span.to(right.span)), left, right)

    def _level(self) -> int:
        """The level of the operator at the cursor, -1 if there is none; `<->` joins formulas, not values."""
        token = self.cursor.next
        if not token.group or (token.text == "<" and self.cursor.ahead().text == "->"):
            return -1
        return _LEVELS.get(token.text, -1)

    def _unary(self) -> x.Expr:
        cursor = self.cursor
        if sign := cursor.accept("-", "~", "not"):
            with self.inside():
                operand = self._unary()
            return self._with_height(x.Unary(sign.text, operand, sign.span.to(operand.span)), operand)
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
            with self.inside():
                inner = self.binary(0)
            closing = cursor.expect(")", "to close the parenthesis")
            whole = replace(inner, span=opening.span.to(closing.span))
            self._heights[_place(whole)] = self._heights.get(_place(inner), 0)
            return whole
        if cursor.next.group == "name" and self._names_a_process():
            process = cursor.take()
            if cursor.take().text == ".":
                state = cursor.name("a state")
                return x.InState(process.text, state.text, process.span.to(state.span))
            seen = self.variable("a variable")
            return x.ProcessVariableReference(process.text, seen, process.span.to(seen.span))
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
            with self.inside():
                index = self.binary(0)
            cursor.expect("]", "after the index")
        return x.Variable(name.text, index, name.span.to(cursor.previous.span))


def _place(tree: x.Expr) -> tuple[int, int]:
    return tree.span.start, tree.span.end


def _too_deep(span: Span, most: int) -> InputError:
    return error("W1003", "the expression is nested too deeply", span, f"at most {most} levels")
