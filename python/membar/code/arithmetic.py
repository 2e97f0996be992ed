"""What `Compute` computes, for integers: one function per operation, on unsigned numbers of a width."""

from __future__ import annotations

from collections.abc import Callable, Mapping

Function = Callable[[int, int, int], int | None]


def signed(value: int, bits: int) -> int:
    """The low bits of a number, read in two's complement."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def compute(operation: str, operands: tuple[int, ...], bits: int, result_bits: int) -> int | None:
    """The result of an operation; None where it is undefined, or not one that is known here.

    Args:
        operation: the name that `Compute` has.
        operands: unsigned numbers.
        bits: the width of the operands (of `select`: of the last two).
        result_bits: the width of the result.
    """
    found: int | None
    if operation in _CONVERSIONS:
        found = _CONVERSIONS[operation](operands[0], bits)
    elif operation == "select":
        found = operands[1] if operands[0] else operands[2]
    elif operation in _BINARY and len(operands) == 2:
        found = _BINARY[operation](operands[0], operands[1], bits)
    elif operation in _COUNTS:
        is_undefined = operation in {"ctlz", "cttz"} and operands[1:] == (1,) and not operands[0]
        found = None if is_undefined else _COUNTS[operation](operands[0], bits)
    else:
        found = None
    return None if found is None else found & ((1 << result_bits) - 1)


def overflows(operation: str, left: int, right: int, bits: int, *, is_signed: bool) -> bool:
    """Whether the result of an addition, subtraction, multiplication or left shift does not fit."""
    if is_signed:
        left, right = signed(left, bits), right if operation == "shl" else signed(right, bits)
    exact = {"add": left + right, "sub": left - right, "mul": left * right}.get(operation)
    if operation == "shl":
        exact = left << min(right, bits)
    if exact is None:
        return False
    wrapped = signed(exact, bits) if is_signed else exact & ((1 << bits) - 1)
    return exact != wrapped


def _divide(left: int, right: int, bits: int) -> int | None:
    left, right = signed(left, bits), signed(right, bits)
    if right == 0 or (right == -1 and left == -(1 << (bits - 1))):
        return None
    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)


def _remainder(left: int, right: int, bits: int) -> int | None:
    quotient = _divide(left, right, bits)
    return None if quotient is None else signed(left, bits) - quotient * signed(right, bits)


def _reverse(value: int, bits: int, *, step: int) -> int:
    """The groups of `step` bits in the other order."""
    found = 0
    for _ in range(0, bits, step):
        found = (found << step) | (value & ((1 << step) - 1))
        value >>= step
    return found


_BINARY: Mapping[str, Function] = {
    "add": lambda a, b, _: a + b,
    "sub": lambda a, b, _: a - b,
    "mul": lambda a, b, _: a * b,
    "udiv": lambda a, b, _: a // b if b else None,
    "sdiv": _divide,
    "urem": lambda a, b, _: a % b if b else None,
    "srem": _remainder,
    "and": lambda a, b, _: a & b,
    "or": lambda a, b, _: a | b,
    "xor": lambda a, b, _: a ^ b,
    "shl": lambda a, b, bits: a << b if b < bits else None,
    "lshr": lambda a, b, bits: a >> b if b < bits else None,
    "ashr": lambda a, b, bits: signed(a, bits) >> b if b < bits else None,
    "eq": lambda a, b, _: int(a == b),
    "ne": lambda a, b, _: int(a != b),
    "ult": lambda a, b, _: int(a < b),
    "ule": lambda a, b, _: int(a <= b),
    "ugt": lambda a, b, _: int(a > b),
    "uge": lambda a, b, _: int(a >= b),
    "slt": lambda a, b, bits: int(signed(a, bits) < signed(b, bits)),
    "sle": lambda a, b, bits: int(signed(a, bits) <= signed(b, bits)),
    "sgt": lambda a, b, bits: int(signed(a, bits) > signed(b, bits)),
    "sge": lambda a, b, bits: int(signed(a, bits) >= signed(b, bits)),
    "umin": lambda a, b, _: min(a, b),
    "umax": lambda a, b, _: max(a, b),
    "smin": lambda a, b, bits: min(signed(a, bits), signed(b, bits)),
    "smax": lambda a, b, bits: max(signed(a, bits), signed(b, bits)),
    "sadd.overflows": lambda a, b, bits: int(overflows("add", a, b, bits, is_signed=True)),
    "uadd.overflows": lambda a, b, bits: int(overflows("add", a, b, bits, is_signed=False)),
    "ssub.overflows": lambda a, b, bits: int(overflows("sub", a, b, bits, is_signed=True)),
    "usub.overflows": lambda a, b, bits: int(overflows("sub", a, b, bits, is_signed=False)),
    "smul.overflows": lambda a, b, bits: int(overflows("mul", a, b, bits, is_signed=True)),
    "umul.overflows": lambda a, b, bits: int(overflows("mul", a, b, bits, is_signed=False)),
}
_CONVERSIONS: Mapping[str, Callable[[int, int], int]] = {
    "trunc": lambda a, _: a,
    "zext": lambda a, _: a,
    "sext": signed,
    "ptrtoint": lambda a, _: a,
    "ptrtoaddr": lambda a, _: a,
    "inttoptr": lambda a, _: a,
    "bitcast": lambda a, _: a,
    "freeze": lambda a, _: a,
}
_COUNTS: Mapping[str, Callable[[int, int], int]] = {
    "ctpop": lambda a, _: a.bit_count(),
    "ctlz": lambda a, bits: bits - a.bit_length(),
    "cttz": lambda a, bits: (a & -a).bit_length() - 1 if a else bits,
    "bswap": lambda a, bits: _reverse(a, bits, step=8),
    "bitreverse": lambda a, bits: _reverse(a, bits, step=1),
    "abs": lambda a, bits: abs(signed(a, bits)),
}
