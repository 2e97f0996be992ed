"""What operators of expressions compute for floating-point numbers: IEEE 754, rounded to nearest even.

A number of 64 bits is a word; one of 32 bits is a word whose upper half is 0. Processors differ in the sign
and payload of results that are not a number: here, all of them are the same one.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping

from membar.program.expr import BinaryOp, UnaryOp, signed

NAN = 0x7FF8 << 48
"""The bits of every result of 64 bits that is not a number."""
_NAN32 = 0x7FC0 << 16
_INFINITY32 = 0x7F80 << 16


def number(word: int) -> float:
    """The number that a word holds."""
    found: float = struct.unpack("<d", word.to_bytes(8, "little"))[0]
    return found


def word(value: float) -> int:
    """A number as a word."""
    return NAN if math.isnan(value) else int.from_bytes(struct.pack("<d", value), "little")


def _number32(bits: int) -> float:
    found: float = struct.unpack("<f", (bits & 0xFFFF_FFFF).to_bytes(4, "little"))[0]
    return found


def _word32(value: float) -> int:
    if math.isnan(value):
        return _NAN32
    try:
        return int.from_bytes(struct.pack("<f", value), "little")
    except OverflowError:
        return _INFINITY32 | (int(value < 0) << 31)


def _divide(left: float, right: float) -> float:
    if right:
        return left / right
    if left == 0 or math.isnan(left) or math.isnan(right):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1, right)


def _remainder(left: float, right: float) -> float:
    try:
        return math.fmod(left, right)
    except ValueError:
        return math.nan


def _root(value: float) -> float:
    return math.nan if value < 0 else math.sqrt(value)


def _is_product_exact(left: float, right: float) -> int:
    product = left * right
    if not math.isfinite(product):
        return int(not (math.isfinite(left) and math.isfinite(right)))
    (one, below), (other, under) = left.as_integer_ratio(), right.as_integer_ratio()
    found, divisor = product.as_integer_ratio()
    return int(found * below * under == one * other * divisor)


def _integer(value: float, least: int, most: int) -> int:
    """The number without its fraction, or the nearest one from `least` to `most`; 0 for what is no number."""
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return most if value > 0 else least
    return max(least, min(int(value), most))


def _rounded_to_odd(value: int) -> float:
    """An integer of which at most 32 bits are kept; the last one is set if any bit that was lost is."""
    size = abs(value)
    lost = max(size.bit_length() - 32, 0)
    kept = (size >> lost) | int(size & ((1 << lost) - 1) != 0)
    return math.copysign(float(kept << lost), value)


OPERATORS: Mapping[BinaryOp | UnaryOp, Callable[..., int]] = {
    BinaryOp.FADD: lambda a, b: word(number(a) + number(b)),
    BinaryOp.FSUB: lambda a, b: word(number(a) - number(b)),
    BinaryOp.FMUL: lambda a, b: word(number(a) * number(b)),
    BinaryOp.FDIV: lambda a, b: word(_divide(number(a), number(b))),
    BinaryOp.FREM: lambda a, b: word(_remainder(number(a), number(b))),
    BinaryOp.FEQ: lambda a, b: int(number(a) == number(b)),
    BinaryOp.FLT: lambda a, b: int(number(a) < number(b)),
    BinaryOp.FLE: lambda a, b: int(number(a) <= number(b)),
    BinaryOp.FEXACT: lambda a, b: _is_product_exact(number(a), number(b)),
    UnaryOp.SQRT: lambda a: word(_root(number(a))),
    UnaryOp.F64_OF_F32: lambda a: word(_number32(a)),
    UnaryOp.F32_OF_F64: lambda a: _word32(number(a)),
    UnaryOp.F64_OF_I64: lambda a: word(float(signed(a))),
    UnaryOp.F64_OF_U64: lambda a: word(float(a)),
    UnaryOp.F32_OF_I64: lambda a: _word32(_rounded_to_odd(signed(a))),
    UnaryOp.F32_OF_U64: lambda a: _word32(_rounded_to_odd(a)),
    UnaryOp.I64_OF_F64: lambda a: _integer(number(a), -(1 << 63), (1 << 63) - 1),
    UnaryOp.U64_OF_F64: lambda a: _integer(number(a), 0, (1 << 64) - 1),
}
