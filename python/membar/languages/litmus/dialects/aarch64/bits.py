"""Instructions that move bits around: shifts, extensions, bit fields, reversal."""

from __future__ import annotations

from functools import partial

from membar.languages.litmus.assembly.effects import InstructionStep
from membar.languages.litmus.dialects.aarch64.operands import Handler, Operands, shift, write_result
from membar.languages.litmus.dialects.aarch64.registers import (
    RESULT,
    View,
    assign,
    constant,
    low_bits,
    value,
    word,
)
from membar.program.expr import Binary, BinaryOp, Expr, Extend, Register, Unary, UnaryOp
from membar.program.operations import Operation, Set


def _shift(operands: Operands, *, kind: str) -> InstructionStep:
    """`LSL Rd,Rn,#n` and `LSL Rd,Rn,Rm`; a register counts modulo the width."""
    target = operands.register()
    width = target.width
    source = operands.register(width=width)
    if operands.next_is_number():
        return write_result(operands, target, shift(kind, source, operands.number_below(width)))
    by = Binary(BinaryOp.AND, word(operands.register(width=width)), constant(width - 1))
    low = value(source, signed=kind == "ASR")
    op = {"LSL": BinaryOp.SHL, "LSR": BinaryOp.SHR, "ASR": BinaryOp.SAR, "ROR": BinaryOp.SHR}[kind]
    result = Binary(op, low, by)
    if kind == "ROR":
        rest = Binary(BinaryOp.SUB, constant(width), by)
        result = Binary(BinaryOp.OR, result, Binary(BinaryOp.SHL, low, rest))
    return write_result(operands, target, result)


def _extension(operands: Operands, *, bits: int, signed: bool) -> InstructionStep:
    """`SXTW`, `UXTB` and the like."""
    target = operands.register()
    source = operands.register()
    return write_result(operands, target, Extend(word(source), bits, signed))


def _field(source: Expr, low: int, bits: int, *, signed: bool = False) -> Expr:
    """`bits` bits of `source` from bit `low` on, at position 0."""
    moved = Binary(BinaryOp.SHR, source, constant(low)) if low else source
    return low_bits(moved, bits, signed=signed)


def _shift_left(expr: Expr, at: int) -> Expr:
    return Binary(BinaryOp.SHL, expr, constant(at)) if at else expr


def _insert_bits(target: View, inserted: Expr, at: int, bits: int) -> Expr:
    """The target with `bits` bits from `at` on replaced."""
    hole = ((1 << bits) - 1) << at
    return Binary(BinaryOp.OR, Binary(BinaryOp.AND, word(target), constant(~hole)), _shift_left(inserted, at))


def _bitfield(operands: Operands, *, signed: bool = False, keeps: bool = False) -> InstructionStep:
    """`UBFM`, `SBFM`, `BFM`: the general form, with rotation and topmost bit."""
    target = operands.register()
    width = target.width
    source = word(operands.register(width=width))
    rotation, top = operands.number_below(width), operands.number_below(width)
    if top >= rotation:
        low, bits, at = rotation, top - rotation + 1, 0
    else:
        low, bits, at = 0, top + 1, width - rotation
    field = _field(source, low, bits, signed=signed)
    return write_result(
        operands, target, _insert_bits(target, field, at, bits) if keeps else _shift_left(field, at)
    )


def _named_bitfield(
    operands: Operands, *, inserts: bool, signed: bool = False, keeps: bool = False
) -> InstructionStep:
    """`UBFX`, `SBFX`, `BFXIL` extract a field; `UBFIZ`, `SBFIZ`, `BFI` insert one."""
    target = operands.register()
    width = target.width
    source = word(operands.register(width=width))
    position = operands.number_below(width)
    last = operands.following
    bits = operands.number()
    if not 1 <= bits <= width - position:
        raise operands.problem(f"a field of {bits} bits", f"expected 1 to {width - position}", at=last)
    low, at = (0, position) if inserts else (position, 0)
    field = _field(source, low, bits, signed=signed)
    return write_result(
        operands, target, _insert_bits(target, field, at, bits) if keeps else _shift_left(field, at)
    )


def _swap_groups(distance: int, width: int) -> Operation:
    """Exchanges neighbouring groups of `distance` bits in the intermediate result."""
    low = sum(((1 << distance) - 1) << at for at in range(0, width, 2 * distance))
    right = Binary(BinaryOp.AND, Binary(BinaryOp.SHR, Register(RESULT), constant(distance)), constant(low))
    left = Binary(BinaryOp.SHL, Binary(BinaryOp.AND, Register(RESULT), constant(low)), constant(distance))
    return Set(RESULT, Binary(BinaryOp.OR, left, right))


def _reverse(operands: Operands, *, unit: int, container: int | None) -> InstructionStep:
    """Reverses the units of `unit` bits in each container (None: the whole register): `RBIT`, `REV`."""
    target = operands.register(width=64 if container == 32 and unit == 8 else None)
    source = operands.register(width=target.width)
    operands.end()
    within = container or target.width
    swaps: list[Operation] = []
    distance = unit
    while distance < within:
        swaps.append(_swap_groups(distance, target.width))
        distance *= 2
    return InstructionStep((Set(RESULT, value(source)), *swaps, *assign(target, Register(RESULT))))


def _extract(operands: Operands) -> InstructionStep:
    """`EXTR`: bits from the middle of two registers side by side."""
    target = operands.register()
    width = target.width
    high, low = (value(operands.register(width=width)) for _ in range(2))
    at = operands.number_below(width)
    right = Binary(BinaryOp.SHR, low, constant(at))
    left = Binary(BinaryOp.SHL, high, constant(width - at))  # a shift by 64 leaves nothing
    return write_result(operands, target, Binary(BinaryOp.OR, left, right))


def _population() -> tuple[Operation, ...]:
    """Replaces the intermediate result by the number of its bits that are set, adding neighbours up."""
    steps: list[Operation] = []
    for distance in (1, 2, 4, 8, 16, 32):
        mask = constant(sum(((1 << distance) - 1) << at for at in range(0, 64, 2 * distance)))
        kept = Binary(BinaryOp.AND, Register(RESULT), mask)
        moved = Binary(BinaryOp.AND, Binary(BinaryOp.SHR, Register(RESULT), constant(distance)), mask)
        steps.append(Set(RESULT, Binary(BinaryOp.ADD, kept, moved)))
    return tuple(steps)


def _count(operands: Operands, *, what: str) -> InstructionStep:
    """`CNT` counts set bits, `CLZ` leading zeros, `CTZ` trailing zeros."""
    target = operands.register()
    width = target.width
    source = value(operands.register(width=width))
    operands.end()
    before: list[Operation] = [Set(RESULT, source)]
    if what == "CLZ":  # every bit below the topmost one is set, then the others are counted
        for distance in (1, 2, 4, 8, 16, 32):
            lower = Binary(BinaryOp.SHR, Register(RESULT), constant(distance))
            before.append(Set(RESULT, Binary(BinaryOp.OR, Register(RESULT), lower)))
        before.append(Set(RESULT, low_bits(Unary(UnaryOp.INVERT, Register(RESULT)), width)))
    elif what == "CTZ":  # the bits below the lowest one
        below = Binary(BinaryOp.SUB, Register(RESULT), constant(1))
        free = Binary(BinaryOp.AND, Unary(UnaryOp.INVERT, Register(RESULT)), below)
        before.append(Set(RESULT, low_bits(free, width)))
    return InstructionStep((*before, *_population(), *assign(target, Register(RESULT))))


INSTRUCTIONS: dict[str, Handler] = {
    "LSL": partial(_shift, kind="LSL"),
    "LSR": partial(_shift, kind="LSR"),
    "ASR": partial(_shift, kind="ASR"),
    "ROR": partial(_shift, kind="ROR"),
    "SXTB": partial(_extension, bits=8, signed=True),
    "SXTH": partial(_extension, bits=16, signed=True),
    "SXTW": partial(_extension, bits=32, signed=True),
    "UXTB": partial(_extension, bits=8, signed=False),
    "UXTH": partial(_extension, bits=16, signed=False),
    "UXTW": partial(_extension, bits=32, signed=False),
    "EXTR": _extract,
    "CNT": partial(_count, what="CNT"),
    "CLZ": partial(_count, what="CLZ"),
    "CTZ": partial(_count, what="CTZ"),
    "UBFM": _bitfield,
    "SBFM": partial(_bitfield, signed=True),
    "BFM": partial(_bitfield, keeps=True),
    "UBFX": partial(_named_bitfield, inserts=False),
    "SBFX": partial(_named_bitfield, inserts=False, signed=True),
    "BFXIL": partial(_named_bitfield, inserts=False, keeps=True),
    "UBFIZ": partial(_named_bitfield, inserts=True),
    "SBFIZ": partial(_named_bitfield, inserts=True, signed=True),
    "BFI": partial(_named_bitfield, inserts=True, keeps=True),
    "RBIT": partial(_reverse, unit=1, container=None),
    "REV": partial(_reverse, unit=8, container=None),
    "REV64": partial(_reverse, unit=8, container=None),
    "REV32": partial(_reverse, unit=8, container=32),
    "REV16": partial(_reverse, unit=8, container=16),
}
"""Mnemonic → what it does."""
