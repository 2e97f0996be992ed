"""What `Compute` computes for floating-point numbers, which are their IEEE 754 bits."""

from __future__ import annotations

import math
import struct

from membar.code import ir
from membar.code.arithmetic import signed

ARITHMETIC = frozenset({"fadd", "fsub", "fmul", "fdiv", "frem", "fneg"})
CONVERSIONS = frozenset({"fptrunc", "fpext", "fptosi", "fptoui", "sitofp", "uitofp"})
COMPARISONS = frozenset(
    f"f{order}{word}" for order in "ou" for word in ("eq", "ne", "gt", "ge", "lt", "le")
) | {"ford", "funo"}
FLOATING = ARITHMETIC | CONVERSIONS | COMPARISONS
_FORMS = {32: ">f", 64: ">d"}


def compute_float(operation: str, operands: tuple[ir.Constant, ...], type_: ir.Type) -> int | None:
    """The bits of a result; None where it is undefined, or not one that is known here."""
    numbers = [_number(item, is_signed=operation == "sitofp") for item in operands]
    if None in numbers or operation not in FLOATING:
        return None
    values = [number for number in numbers if number is not None]
    if operation == "fneg":
        (item,) = operands
        return item.value ^ (1 << (_bits(item.type) - 1))
    if operation in COMPARISONS:
        return int(_compare(operation[1:], float(values[0]), float(values[1])))
    if operation in ARITHMETIC:
        return _encode(_calculate(operation, float(values[0]), float(values[1])), type_)
    if isinstance(type_, ir.Int):
        return _as_integer(float(values[0]), type_, is_signed=operation == "fptosi")
    return _encode(values[0], type_)


def narrowed_float(item: ir.Constant) -> ir.Constant | None:
    """A number of 64 bits as one of 32; None if it is none."""
    narrow = compute_float("fptrunc", (item,), ir.Float(32))
    if narrow is None:
        return None
    found = ir.Constant(narrow, ir.Float(32))
    return found if compute_float("fpext", (found,), ir.Float(64)) == item.value else None


def _bits(type_: ir.Type) -> int:
    return 64 if isinstance(type_, ir.Ptr) else type_.bits


def _number(item: ir.Constant, *, is_signed: bool) -> float | None:
    if isinstance(item.type, ir.Float):
        form = _FORMS.get(item.type.bits)
        if form is None:
            return None
        found: float = struct.unpack(form, item.value.to_bytes(item.type.bits // 8, "big"))[0]
        return found
    return signed(item.value, _bits(item.type)) if is_signed else item.value


def _encode(value: float, type_: ir.Type) -> int | None:
    form = _FORMS.get(type_.bits) if isinstance(type_, ir.Float) else None
    if form is None:
        return None
    try:
        packed = struct.pack(form, value)
    except OverflowError:
        packed = struct.pack(form, math.copysign(math.inf, value))
    return int.from_bytes(packed, "big")


def _calculate(operation: str, left: float, right: float) -> float:
    try:
        match operation:
            case "fadd":
                return left + right
            case "fsub":
                return left - right
            case "fmul":
                return left * right
            case "fdiv":
                return left / right
            case _:
                return math.fmod(left, right)
    except ZeroDivisionError:
        sign = math.copysign(1, left) * math.copysign(1, right)
        return math.nan if left == 0 or math.isnan(left) else math.copysign(math.inf, sign)
    except ValueError:
        return math.nan


def _as_integer(value: float, type_: ir.Int, *, is_signed: bool) -> int | None:
    if math.isnan(value) or math.isinf(value):
        return None
    number, half = int(value), 1 << (type_.bits - 1)
    low, high = (-half, half) if is_signed else (0, 2 * half)
    return number & (2 * half - 1) if low <= number < high else None


def _compare(predicate: str, left: float, right: float) -> bool:
    is_unordered = math.isnan(left) or math.isnan(right)
    if predicate in ("ord", "uno"):
        return is_unordered == (predicate == "uno")
    if is_unordered:
        return predicate.startswith("u")
    return {
        "eq": left == right, "ne": left != right, "gt": left > right,
        "ge": left >= right, "lt": left < right, "le": left <= right,
    }[predicate[1:]]  # fmt: skip
