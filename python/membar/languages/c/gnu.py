"""pycparser's parser with what GNU C adds to expressions, cases and initialisers, said in plain C.

`a ?: b` becomes `({ typeof((0, a)) x = a; x ? x : b; })`, a range of cases one case inside another, and a
range of elements one initialiser each.
"""

from __future__ import annotations

import copy
import operator
from collections.abc import Iterator
from typing import Any, Final

from pycparser import c_ast as ast
from pycparser.c_lexer import CLexer
from pycparser.c_parser import CParser

from membar.languages.c.literals import literal
from membar.limits import budget

_MOST: Final = 1024
_OPERATORS: Final = {"+": operator.add, "-": operator.sub, "*": operator.mul}


class Lexer(CLexer):  # type: ignore[misc] # pycparser has no types
    """A lexer that remembers where it is, for errors without a place."""

    here: tuple[int, int] = (1, 1)

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401 - pycparser's
        super().__init__(*arguments, **named)
        self._budget = budget.current()

    def token(self) -> Any:  # noqa: ANN401 - pycparser's
        """The next token."""
        self._budget.spend()
        found = super().token()
        if found is not None:
            self.here = (found.lineno, found.column)
        return found


class _Range(ast.ArrayDesignator):  # type: ignore[misc] # pycparser has no types
    """A designator `[first ... last]`."""

    __slots__ = ("last",)

    def __init__(self, first: int, last: int, coord: ast.Coord) -> None:
        super().__init__(_number(first, coord), coord)
        self.last = last


class Parser(CParser):  # type: ignore[misc] # pycparser has no types
    """A parser of GNU C, as far as the words above say."""

    _hidden = 0

    def _parse_conditional_expression(self) -> ast.Node:
        if self._peek_type() is None:
            return super()._parse_conditional_expression()
        condition = self._parse_binary_expression()
        if not self._accept("CONDOP"):
            return condition
        if self._accept("COLON"):
            return self._or_else(condition, self._parse_conditional_expression())
        then = self._parse_expression()
        self._expect("COLON")
        return ast.TernaryOp(condition, then, self._parse_conditional_expression(), condition.coord)

    def _or_else(self, value: ast.Node, otherwise: ast.Node) -> ast.Compound:
        """`value ?: otherwise`."""
        self._hidden += 1
        name, place = f"__or_else_{self._hidden}", value.coord
        shown = ast.ExprList([_number(0, place), copy.deepcopy(value)], place)
        kind = ast.TypeDecl(name, [], None, ast.TypeOf("typeof", shown, place), place)
        declared = ast.Decl(name, [], [], [], [], kind, value, None, place)
        first, second = ast.ID(name, place), ast.ID(name, place)
        chosen = ast.TernaryOp(first, second, otherwise, place)
        return ast.Compound([declared, chosen], place)

    def _parse_labeled_statement(self) -> ast.Node:
        if self._peek_type() != "CASE":
            return super()._parse_labeled_statement()
        word = self._advance()
        place = self._tok_coord(word)
        first = self._parse_constant_expression()
        last = None
        if dots := self._accept("ELLIPSIS"):
            last = self._ends(first, self._parse_constant_expression(), self._tok_coord(dots))
        self._expect("COLON")
        is_followed = self._starts_statement()
        body = self._parse_pragmacomp_or_statement() if is_followed else ast.EmptyStatement(place)
        for number in () if last is None else range(last[1], last[0], -1):
            body = ast.Case(_number(number, place), [body], place)
        return ast.Case(first, [body], place)

    def _parse_designator(self) -> ast.Node:
        if self._peek_type() != "LBRACKET":
            return super()._parse_designator()
        place = self._tok_coord(self._advance())
        first = self._parse_constant_expression()
        if dots := self._accept("ELLIPSIS"):
            ends = self._ends(first, self._parse_constant_expression(), self._tok_coord(dots))
            self._expect("RBRACKET")
            return _Range(*ends, place)
        self._expect("RBRACKET")
        return ast.ArrayDesignator(first, place)

    def _parse_initializer_list(self) -> ast.Node:
        found = super()._parse_initializer_list()
        found.exprs = [one for item in found.exprs for one in _each(item)]
        return found

    def _ends(self, first: ast.Node, last: ast.Node, place: ast.Coord) -> tuple[int, int]:
        """The numbers of a range, which the text must say."""
        low, high = _value(first), _value(last)
        if low is None or high is None or not 0 <= high - low < _MOST:
            self._parse_error(f"expected two numbers that are known, at most {_MOST} apart", place)
            raise AssertionError  # the line before raises
        return low, high


def _value(node: ast.Node) -> int | None:
    """The number that an expression of literals is."""
    match node:
        case ast.Constant():
            return literal(node)
        case ast.UnaryOp(op="-"):
            number = _value(node.expr)
            return None if number is None else -number
        case ast.BinaryOp(op=op) if op in _OPERATORS:
            left, right = _value(node.left), _value(node.right)
            return None if left is None or right is None else _OPERATORS[op](left, right)
        case _:
            return None


def _number(value: int, place: ast.Coord) -> ast.Node:
    if value < 0:
        return ast.UnaryOp("-", ast.Constant("int", str(-value), place), place)
    return ast.Constant("int", str(value), place)


def _each(item: ast.Node) -> Iterator[ast.Node]:
    """An initialiser for each element that a designator with ranges means."""
    ranges = [at for at, one in enumerate(getattr(item, "name", ())) if isinstance(one, _Range)]
    if not isinstance(item, ast.NamedInitializer) or not ranges:
        yield item
        return
    at = ranges[0]
    whole = item.name[at]
    first = _value(whole.expr) or 0
    for number in range(first, whole.last + 1):
        names = [*item.name[:at], ast.ArrayDesignator(_number(number, whole.coord), whole.coord)]
        value = item.expr if number == whole.last else copy.deepcopy(item.expr)
        yield from _each(ast.NamedInitializer([*names, *item.name[at + 1 :]], value))
