"""Floating-point numbers as bits: what is computed of constants, and comparisons of what is not known."""

from __future__ import annotations

import itertools
import math
import struct

import pytest

from membar.code import ir
from membar.code.floats import COMPARISONS, compute_float
from membar.code.lowering.floats import float_expression
from membar.program.expr import Constant, evaluate

NUMBERS = (0.0, -0.0, 1.0, -1.0, 1.5, -2.5, 1e-310, 1e300, math.inf, -math.inf, math.nan)


def _bits(value: float, width: int) -> int:
    if width == 32 and not math.isinf(value) and abs(value) > 3e38:
        value = math.copysign(math.inf, value)
    return int.from_bytes(struct.pack(">f" if width == 32 else ">d", value), "big")


@pytest.mark.parametrize("width", [32, 64])
@pytest.mark.parametrize("operation", sorted(COMPARISONS))
def test_comparisons_of_bits_are_those_of_numbers(operation: str, width: int) -> None:
    for left, right in itertools.product(NUMBERS, repeat=2):
        words = [_bits(each, width) for each in (left, right)]
        operands = tuple(ir.Constant(word, ir.Float(width)) for word in words)
        expected = compute_float(operation, operands, ir.BOOL)
        found = float_expression(operation, [Constant(word) for word in words], width)
        assert found is not None
        assert evaluate(found, {}, {}) == expected, (left, right)


@pytest.mark.parametrize(
    ("operation", "left", "right", "result"),
    [
        ("fadd", 1.5, 2.0, 3.5), ("fsub", 1.0, 0.25, 0.75), ("fmul", -2.0, 0.5, -1.0),
        ("fdiv", 1.0, 4.0, 0.25), ("fdiv", 1.0, 0.0, math.inf), ("fdiv", -1.0, 0.0, -math.inf),
        ("frem", 5.5, 2.0, 1.5), ("fmul", 1e200, 1e200, math.inf),
    ],
)  # fmt: skip
def test_constants_are_calculated(operation: str, left: float, right: float, result: float) -> None:
    operands = tuple(ir.Constant(_bits(each, 64), ir.Float(64)) for each in (left, right))
    assert compute_float(operation, operands, ir.Float(64)) == _bits(result, 64)


def test_a_number_that_no_integer_can_be_is_not_computed() -> None:
    large = (ir.Constant(_bits(1e10, 64), ir.Float(64)),)
    assert compute_float("fptosi", large, ir.Int(32)) is None
    assert compute_float("fptosi", large, ir.Int(64)) == 10**10
    assert compute_float("fptosi", (ir.Constant(_bits(-1.5, 64), ir.Float(64)),), ir.Int(32)) == 2**32 - 1
