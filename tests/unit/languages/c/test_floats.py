"""Floating-point numbers as bits compare and calculate as Python's, which are IEEE 754's."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable
from itertools import product

import pytest

from membar.languages.c import floats
from membar.languages.c import types as t
from membar.languages.c.values import Value
from membar.program.expr import Constant, Register, evaluate

NUMBERS = (0.0, -0.0, 1.0, -1.0, 1.5, 5e-324, -5e-324, 1e300, -1e300, math.inf, -math.inf, math.nan)
COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def bits(number: float, kind: t.Floating) -> int:
    """The bits of a number of a type."""
    found: tuple[int] = struct.unpack("<Q", struct.pack("<d", number))
    if kind == t.FLOAT:
        narrow = (
            number
            if math.isinf(number) or math.isnan(number)
            else math.copysign(min(abs(number), 3e38), number)
        )
        found = struct.unpack("<I", struct.pack("<f", narrow))
    return found[0]


@pytest.mark.parametrize("op", COMPARISONS)
@pytest.mark.parametrize("kind", [t.DOUBLE, t.FLOAT], ids=lambda kind: kind.name)
def test_comparisons_by_bits_are_those_of_numbers(op: str, kind: t.Floating) -> None:
    expr = floats.infix(op, Value(Register("x"), kind), Value(Register("y"), kind)).expr
    for x, y in product(NUMBERS, NUMBERS):
        words = {"x": bits(x, kind), "y": bits(y, kind)}
        seen = [_back(word, kind) for word in words.values()]
        assert evaluate(expr, words, {}) == COMPARISONS[op](*seen), (x, y)


def _back(word: int, kind: t.Floating) -> float:
    form = ("<I", "<f") if kind == t.FLOAT else ("<Q", "<d")
    return float(struct.unpack(form[1], struct.pack(form[0], word))[0])


@pytest.mark.parametrize("op", ["+", "-", "*", "/"])
def test_known_numbers_are_calculated(op: str) -> None:
    calculate = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}[op]
    for x, y in product((1.0, -2.5, 0.1, 3.0, 1e200), (1.0, 0.3, -7.0)):
        found = floats.infix(
            op, Value(Constant(bits(x, t.DOUBLE)), t.DOUBLE), Value(Constant(bits(y, t.DOUBLE)), t.DOUBLE)
        )
        assert found.expr == Constant(bits(calculate(x, y), t.DOUBLE))


@pytest.mark.parametrize(
    ("text", "kind", "number"),
    [
        ("1.5", t.DOUBLE, 1.5),
        ("1.5f", t.FLOAT, 1.5),
        ("0x1.8p1", t.DOUBLE, 3.0),
        ("0x1p-1f", t.FLOAT, 0.5),
        ("1e2", t.DOUBLE, 100.0),
        (".5F", t.FLOAT, 0.5),
    ],
)
def test_literals(text: str, kind: t.Floating, number: float) -> None:
    found = floats.literal(text)
    assert found == Value(Constant(bits(number, kind)), kind)
