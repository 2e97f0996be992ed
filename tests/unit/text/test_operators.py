"""Operators joined to trees: as if one after the other, from the left, but flat."""

from __future__ import annotations

import operator
from collections.abc import Callable
from random import Random

from membar.text.operators import OpenRows, levels

LEVELS = levels(("|", "^"), ("&",), ("<<",), ("+", "-"), ("*", "/"))
COMPUTE: dict[str, Callable[[int, int], int]] = {
    "|": operator.or_, "^": operator.xor, "&": operator.and_, "<<": lambda left, right: left << (right & 3),
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": lambda left, right: left // (right | 1),
}  # fmt: skip
# A value and the height of its tree.
Tree = tuple[int, int]


def join(sign: str, left: Tree, right: Tree) -> Tree:
    return COMPUTE[sign](left[0], right[0]), 1 + max(left[1], right[1])


def read(numbers: list[int], signs: list[str]) -> Tree:
    rows = OpenRows(join)
    for number, sign in zip(numbers, signs, strict=False):
        operand = rows.close((number, 0), LEVELS[sign])
        rows.add(operand, LEVELS[sign], sign)
    return rows.close((numbers[-1], 0), -1)


def read_from_the_left(numbers: list[int], signs: list[str]) -> int:
    """By repeated look for the leftmost of the tightest operators."""
    numbers, signs = list(numbers), list(signs)
    while signs:
        place = max(range(len(signs)), key=lambda at: (LEVELS[signs[at]], -at))
        numbers[place : place + 2] = [COMPUTE[signs.pop(place)](*numbers[place : place + 2])]
    return numbers[0]


def test_grouping_changes_no_value() -> None:
    random = Random("operators")
    for _ in range(300):
        signs = random.choices(list(LEVELS), k=random.randint(0, 9))
        numbers = [random.randint(0, 9) for _ in range(len(signs) + 1)]
        assert read(numbers, signs)[0] == read_from_the_left(numbers, signs), (numbers, signs)


def test_long_rows_are_flat() -> None:
    random = Random("rows")
    signs = random.choices("+-", k=2000)
    value, height = read([1] * 2001, signs)
    assert value == 1 + signs.count("+") - signs.count("-")
    assert height <= 13
