"""Operands joined by operators of several levels: what the expressions of DVE and Promela have in common.

A long row of operands becomes a flat tree where their grouping makes no difference, so that nobody who walks
down the tree gets lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeAlias, TypeVar

_Operand = TypeVar("_Operand")
# Joins two operands by an operator.
Join: TypeAlias = Callable[[str, _Operand, _Operand], _Operand]

# Operators with one family may be grouped in any way; `-` subtracts the sum of all that it subtracts.
_SUM = "+"
_FAMILIES: Mapping[str, str] = {
    sign: _SUM if sign == "-" else sign for sign in ("&&", "||", "and", "or", "|", "&", "^", "*", "+", "-")
}


def levels(*signs: Sequence[str]) -> dict[str, int]:
    """The level of each operator, the loosest first."""
    return {sign: level for level, row in enumerate(signs) for sign in row}


class OpenRows(Generic[_Operand]):
    """Operands that were read from left to right, and not joined yet; all operators are left associative.

    A reader asks it before each operator, and at the end, and calls itself for nothing but parentheses.

    Args:
        join: makes one operand of two.
    """

    def __init__(self, join: Join[_Operand]) -> None:
        self._join = join
        self._rows: list[tuple[int, list[_Operand], list[str]]] = []  # level, operands, operators

    def close(self, operand: _Operand, level: int) -> _Operand:
        """The operand that stands before an operator of this level (-1 at the end)."""
        while self._rows and self._rows[-1][0] > level:
            _, operands, signs = self._rows.pop()
            operand = _join_row([*operands, operand], signs, self._join)
        return operand

    def add(self, operand: _Operand, level: int, sign: str) -> None:
        """Adds an operand and the operator behind it."""
        if not self._rows or self._rows[-1][0] < level:
            self._rows.append((level, [], []))
        _, operands, signs = self._rows[-1]
        operands.append(operand)
        signs.append(sign)


def join_balanced(operands: Sequence[_Operand], join: Callable[[_Operand, _Operand], _Operand]) -> _Operand:
    """Operands of an associative operator, joined so that a long row of them is a flat tree."""
    left = list(operands)
    while len(left) > 1:
        pairs = [join(*left[at : at + 2]) for at in range(0, len(left) - 1, 2)]
        left = [*pairs, *left[2 * len(pairs) :]]
    return left[0]


def _join_row(operands: Sequence[_Operand], signs: Sequence[str], join: Join[_Operand]) -> _Operand:
    """Operands joined by operators of one level."""
    whole, place = operands[0], 0
    while place < len(signs):
        family = _FAMILIES.get(signs[place])
        end = place + 1
        while family is not None and end < len(signs) and _FAMILIES.get(signs[end]) == family:
            end += 1
        whole = _join_family(whole, operands[place + 1 : end + 1], signs[place:end], family, join)
        place = end
    return whole


def _join_family(
    first: _Operand,
    others: Sequence[_Operand],
    signs: Sequence[str],
    family: str | None,
    join: Join[_Operand],
) -> _Operand:
    """Operands whose grouping makes no difference; or two, joined by an operator where it does."""
    if family is None:
        return join(signs[0], first, others[0])

    def join_all(row: Sequence[_Operand]) -> _Operand:
        return join_balanced(row, lambda left, right: join(family, left, right))

    pairs = list(zip(signs, others, strict=True))
    whole = join_all([first, *(other for sign, other in pairs if sign == family)])
    taken = [other for sign, other in pairs if sign != family]
    return join("-", whole, join_all(taken)) if taken else whole
