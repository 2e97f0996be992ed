"""Floating-point numbers as bits: what operations are as expressions, compared with numbers of Python."""

from __future__ import annotations

import itertools
import math
import operator
import struct
from collections.abc import Callable, Mapping

import pytest

from membar.code import ir
from membar.code.floats import COMPARISONS, compute_float, condition_of, float_expression
from membar.program.expr import Constant, evaluate

NUMBERS = (0.0, -0.0, 1.0, -1.0, 1.5, -2.5, 1e-310, 1e300, math.inf, -math.inf, math.nan)
_ORDERS: Mapping[str, Callable[[float, float], bool]] = {
    "eq": operator.eq, "gt": operator.gt, "ge": operator.ge, "lt": operator.lt, "le": operator.le,
}  # fmt: skip


def _bits(value: float, width: int) -> int:
    if width == 32 and not math.isinf(value) and abs(value) > 3e38:
        value = math.copysign(math.inf, value)
    return int.from_bytes(struct.pack(">f" if width == 32 else ">d", value), "big")


def _number(bits: int, width: int) -> float:
    found: float = struct.unpack(">f" if width == 32 else ">d", bits.to_bytes(width // 8, "big"))[0]
    return found


def _compare(predicate: str, left: float, right: float) -> bool:
    is_unordered = math.isnan(left) or math.isnan(right)
    if predicate in ("ford", "funo"):
        return is_unordered == (predicate == "funo")
    if is_unordered:
        return predicate[1] == "u"
    word = predicate[2:]
    return left != right if word == "ne" else _ORDERS[word](left, right)


def _computed(operation: str, *numbers: float, width: int = 64) -> float | None:
    operands = tuple(ir.Constant(_bits(each, width), ir.Float(width)) for each in numbers)
    found = compute_float(operation, operands, ir.Float(width))
    return None if found is None else _number(found, width)


@pytest.mark.parametrize("width", [32, 64])
@pytest.mark.parametrize("operation", sorted(COMPARISONS))
def test_comparisons_of_bits_are_those_of_numbers(operation: str, width: int) -> None:
    for pair in itertools.product(NUMBERS, repeat=2):
        left, right = (_number(_bits(each, width), width) for each in pair)
        operands = tuple(ir.Constant(_bits(each, width), ir.Float(width)) for each in pair)
        assert compute_float(operation, operands, ir.BOOL) == _compare(operation, left, right), pair


@pytest.mark.parametrize(
    ("operation", "left", "right", "result"),
    [
        ("fadd", 1.5, 2.0, 3.5), ("fsub", 1.0, 0.25, 0.75), ("fmul", -2.0, 0.5, -1.0),
        ("fdiv", 1.0, 4.0, 0.25), ("fdiv", 1.0, 0.0, math.inf), ("fdiv", -1.0, 0.0, -math.inf),
        ("frem", 5.5, 2.0, 1.5), ("frem", -5.5, math.inf, -5.5), ("fmul", 1e200, 1e200, math.inf),
        ("fadd", 0.1, 0.2, 0.30000000000000004), ("fmul", 5e-324, 0.5, 0.0),
    ],
)  # fmt: skip
def test_constants_are_calculated(operation: str, left: float, right: float, result: float) -> None:
    assert _computed(operation, left, right) == result


def test_numbers_of_32_bits_are_rounded_once() -> None:
    assert _computed("fmul", 0.1, 0.1, width=32) == _number(0x3C23D70B, 32)
    assert _computed("fdiv", 1.0, 3.0, width=32) == _number(0x3EAAAAAB, 32)
    assert _computed("fmul", 3e38, 3e38, width=32) == math.inf
    for operation, result in (("sitofp", 0x5E800000), ("uitofp", 0x5E800001)):
        # Just above the middle between two numbers of 32 bits: in 64 bits, it would be the middle.
        number = (1 << 62) + (1 << 38) + (operation == "uitofp")
        assert compute_float(operation, (ir.Constant(number, ir.Int(64)),), ir.Float(32)) == result


@pytest.mark.parametrize("operation", ["fadd", "fsub", "fmul", "fdiv", "frem"])
def test_what_is_no_number_is_not_folded(operation: str) -> None:
    assert _computed(operation, math.nan, 1.0) is None


def test_bits_are_changed_one_by_one() -> None:
    nan = 0xFFF8_0000_0000_0001
    for operation, result in (("fneg", nan ^ (1 << 63)), ("fabs", nan & ((1 << 63) - 1))):
        assert compute_float(operation, (ir.Constant(nan, ir.Float(64)),), ir.Float(64)) == result
    assert _computed("copysign", 2.5, -0.0) == -2.5
    assert _computed("sqrt", 2.25) == 1.5


def test_a_number_that_no_integer_can_be_is_not_computed() -> None:
    def convert(operation: str, value: float, bits: int) -> int | None:
        operands = (ir.Constant(_bits(value, 64), ir.Float(64)),)
        return compute_float(operation, operands, ir.Int(bits))

    assert convert("fptosi", 1e10, 32) is None
    assert convert("fptosi", 1e10, 64) == 10**10
    assert convert("fptosi", -1.5, 32) == 2**32 - 1
    assert convert("fptosi", -128.9, 8) == 128
    assert convert("fptosi", -129.0, 8) is None
    assert convert("fptosi", -(2.0**63), 64) == 2**63
    assert convert("fptosi", 2.0**63, 64) is None
    assert convert("fptoui", -0.5, 32) == 0
    assert convert("fptoui", -1.0, 32) is None
    assert convert("fptoui", 2.0**63, 64) == 2**63
    assert convert("fptoui", 2.0**64, 64) is None
    assert convert("fptosi", math.nan, 64) is None


def test_conversions_of_rust_saturate() -> None:
    for value, signed, unsigned in (
        (300.0, 127, 255), (-300.0, 128, 0), (math.nan, 0, 0), (math.inf, 127, 255), (-1.5, 255, 0),
    ):  # fmt: skip
        operands = (ir.Constant(_bits(value, 64), ir.Float(64)),)
        assert compute_float("fptosi.sat", operands, ir.Int(8)) == signed, value
        assert compute_float("fptoui.sat", operands, ir.Int(8)) == unsigned, value


@pytest.mark.parametrize("width", [32, 64])
def test_classes_are_those_of_llvm(width: int) -> None:
    nan, infinite, finite, negative, zero = 3, 0x204, 0x1F8, 0x3C, 0x60
    for value in NUMBERS:
        number = _number(_bits(value, width), width)
        has_sign = math.copysign(1, number) < 0 and not math.isnan(number)
        for mask, expected in (
            (nan, math.isnan(number)), (infinite, math.isinf(number)), (finite, math.isfinite(number)),
            (negative, has_sign), (zero, number == 0), (0, False), (0x3FF, True),
        ):  # fmt: skip
            operands = (
                ir.Constant(_bits(value, width), ir.Float(width)),
                ir.Constant(mask, ir.Int(32)),
            )
            assert compute_float("is.fpclass", operands, ir.BOOL) == expected, (value, mask)


@pytest.mark.parametrize("width", [32, 64])
@pytest.mark.parametrize(
    ("left", "right", "is_exact"),
    [(3.0, 0.5, 1), (0.1, 0.1, 0), (math.inf, 2.0, 1), (math.nan, 1.0, 1), (0.1, 0.0, 1)],
)
def test_a_sum_with_a_product_is_known_if_the_product_is_exact(
    left: float, right: float, is_exact: int, width: int
) -> None:
    words = [Constant(_bits(each, width)) for each in (left, right, 1.0)]
    assert evaluate(condition_of("fmuladd", words, width, width), {}, {}) == is_exact
    found = float_expression("fmuladd", words, width, width)
    assert found is not None
    if is_exact and math.isfinite(left):
        assert _number(evaluate(found, {}, {}), width) == left * right + 1.0
