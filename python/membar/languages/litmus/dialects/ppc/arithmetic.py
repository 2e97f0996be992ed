"""Integer instructions; a dot behind the mnemonic sets `cr0`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

from membar.languages.litmus.assembly.effects import InstructionStep
from membar.languages.litmus.assembly.operands import Handler, Operands, nothing
from membar.languages.litmus.dialects.ppc.registers import (
    COUNT,
    LINK,
    NUMBER_ZERO,
    constant,
    low,
    write_register,
)
from membar.program.expr import Binary, BinaryOp, Expr, Extend, Unary, UnaryOp, blend
from membar.program.operations import Set

_Compute: TypeAlias = Callable[[Expr, Expr], Expr]
_Change: TypeAlias = Callable[[Expr], Expr]

SIGNED_16 = (-(1 << 15), (1 << 15) - 1)
_UNSIGNED_16 = (0, (1 << 16) - 1)
# `lis` and `addis` take either reading of their 16 bits.
_ANY_16 = (-(1 << 15), (1 << 16) - 1)


def _registers(operands: Operands, *, compute: _Compute, records: bool) -> InstructionStep:
    """`add rD,rA,rB`."""
    target, left, right = operands.register(), operands.value(), operands.value()
    operands.end()
    return InstructionStep(write_register(target, compute(left, right), records=records))


def _unary(operands: Operands, *, change: _Change, records: bool) -> InstructionStep:
    """`mr rD,rS` and the like."""
    target, source = operands.register(), operands.value()
    operands.end()
    return InstructionStep(write_register(target, change(source), records=records))


def _immediate(
    operands: Operands, *, compute: _Compute, within: tuple[int, int], shift: int = 0, records: bool = False
) -> InstructionStep:
    """`ori rD,rA,number`."""
    target, left = operands.register(), operands.value()
    number = operands.number(*within) << shift
    operands.end()
    return InstructionStep(write_register(target, compute(left, constant(number)), records=records))


def _add_immediate(operands: Operands, *, sign: int = 1, shift: int = 0) -> InstructionStep:
    """`addi`, `addis`, `subi`: `r0` on the left is the number 0."""
    target, source = operands.register(), operands.register()
    number = sign * (operands.number(*(_ANY_16 if shift else SIGNED_16)) << shift)
    operands.end()
    if source == NUMBER_ZERO:
        return InstructionStep((Set(target, _upper(number, shift)),))
    return InstructionStep(
        (Set(target, Binary(BinaryOp.ADD, operands.value_of(source), _upper(number, shift))),)
    )


def _load_immediate(operands: Operands, *, shift: int) -> InstructionStep:
    """`li`, `lis`."""
    target = operands.register()
    number = operands.number(*(_ANY_16 if shift else SIGNED_16)) << shift
    operands.end()
    return InstructionStep((Set(target, _upper(number, shift)),))


def _upper(number: int, shift: int) -> Expr:
    """A shifted number is sign-extended from 32 bits."""
    return constant(number - (1 << 32) if shift and number >> 31 == 1 else number)


def _cache_hint(operands: Operands) -> InstructionStep:
    """`dcbt`, `dcbst`, `dcbf`: caches are coherent, so nothing happens."""
    while operands.remaining:
        operands.take("a register")
    return InstructionStep()


def _move_to(operands: Operands, *, special: str) -> InstructionStep:
    """`mtlr`, `mtctr`."""
    value = operands.value()
    operands.end()
    return InstructionStep((Set(special, value),))


def _move_from(operands: Operands, *, special: str) -> InstructionStep:
    """`mflr`, `mfctr`."""
    target = operands.register()
    operands.end()
    return InstructionStep((Set(target, operands.value_of(special)),))


def _plain(op: BinaryOp) -> _Compute:
    return lambda left, right: Binary(op, left, right)


def _complement(expr: Expr) -> Expr:
    return Unary(UnaryOp.INVERT, expr)


def _negative(expr: Expr) -> Expr:
    return Unary(UnaryOp.NEGATE, expr)


def _not(op: BinaryOp) -> _Compute:
    return lambda left, right: _complement(Binary(op, left, right))


def _with_complement(op: BinaryOp) -> _Compute:
    return lambda left, right: Binary(op, left, _complement(right))


def _word_product(left: Expr, right: Expr) -> Expr:
    return Binary(BinaryOp.MUL, low(left, signed=True), low(right, signed=True))


def _word_quotient(op: BinaryOp) -> _Compute:
    signed = op is BinaryOp.SDIV
    return lambda left, right: low(
        Binary(op, low(left, signed=signed), low(right, signed=signed)), signed=signed
    )


def _shift(op: BinaryOp, bits: int) -> _Compute:
    """Shifts by a register look at one bit more than the width needs: large ones shift everything out."""

    def compute(left: Expr, right: Expr) -> Expr:
        by = Binary(BinaryOp.AND, right, constant(2 * bits - 1))
        if op is BinaryOp.SAR:
            # A shift of 64 or more gives the sign, as it should.
            return Binary(op, left if bits == 64 else low(left, signed=True), by)
        if bits == 64:
            return Binary(op, left, by)
        shifted = low(Binary(op, low(left, signed=False), by), signed=False)
        return blend(Binary(BinaryOp.LT, by, constant(bits)), shifted, constant(0))

    return compute


def _sign_extension(bits: int) -> _Change:
    return lambda source: Extend(source, bits, signed=True)


_OPERATIONS: dict[str, _Compute] = {
    "add": _plain(BinaryOp.ADD),
    "sub": _plain(BinaryOp.SUB),
    "subf": lambda left, right: Binary(BinaryOp.SUB, right, left),
    "and": _plain(BinaryOp.AND),
    "or": _plain(BinaryOp.OR),
    "xor": _plain(BinaryOp.XOR),
    "nand": _not(BinaryOp.AND),
    "nor": _not(BinaryOp.OR),
    "eqv": _not(BinaryOp.XOR),
    "andc": _with_complement(BinaryOp.AND),
    "orc": _with_complement(BinaryOp.OR),
    "mullw": _word_product,
    "mulld": _plain(BinaryOp.MUL),
    "divw": _word_quotient(BinaryOp.SDIV),
    "divwu": _word_quotient(BinaryOp.DIV),
    "divd": _plain(BinaryOp.SDIV),
    "divdu": _plain(BinaryOp.DIV),
    "slw": _shift(BinaryOp.SHL, 32),
    "srw": _shift(BinaryOp.SHR, 32),
    "sraw": _shift(BinaryOp.SAR, 32),
    "sld": _shift(BinaryOp.SHL, 64),
    "srd": _shift(BinaryOp.SHR, 64),
    "srad": _shift(BinaryOp.SAR, 64),
}
_CHANGES: dict[str, _Change] = {
    "mr": lambda source: source,
    "not": _complement,
    "neg": _negative,
    "extsb": _sign_extension(8),
    "extsh": _sign_extension(16),
    "extsw": _sign_extension(32),
}


def _recording() -> Iterator[tuple[str, Handler]]:
    """The instructions that exist with and without a dot."""
    for dot, records in (("", False), (".", True)):
        for name, compute in _OPERATIONS.items():
            yield name + dot, partial(_registers, compute=compute, records=records)
        for name, change in _CHANGES.items():
            yield name + dot, partial(_unary, change=change, records=records)
        for name, bits in (("srawi", 32), ("sradi", 64)):
            shift = _shift(BinaryOp.SAR, bits)
            yield name + dot, partial(_immediate, compute=shift, within=(0, bits - 1), records=records)


_AND, _OR, _XOR = _plain(BinaryOp.AND), _plain(BinaryOp.OR), _plain(BinaryOp.XOR)

INSTRUCTIONS: dict[str, Handler] = {
    **dict(_recording()),
    "li": partial(_load_immediate, shift=0),
    "lis": partial(_load_immediate, shift=16),
    "addi": _add_immediate,
    "addis": partial(_add_immediate, shift=16),
    "subi": partial(_add_immediate, sign=-1),
    "ori": partial(_immediate, compute=_OR, within=_UNSIGNED_16),
    "oris": partial(_immediate, compute=_OR, within=_UNSIGNED_16, shift=16),
    "xori": partial(_immediate, compute=_XOR, within=_UNSIGNED_16),
    "xoris": partial(_immediate, compute=_XOR, within=_UNSIGNED_16, shift=16),
    "andi.": partial(_immediate, compute=_AND, within=_UNSIGNED_16, records=True),
    "andis.": partial(_immediate, compute=_AND, within=_UNSIGNED_16, shift=16, records=True),
    "mulli": partial(_immediate, compute=_plain(BinaryOp.MUL), within=SIGNED_16),
    "mtlr": partial(_move_to, special=LINK),
    "mflr": partial(_move_from, special=LINK),
    "mtctr": partial(_move_to, special=COUNT),
    "mfctr": partial(_move_from, special=COUNT),
    "nop": nothing,
    "dcbf": _cache_hint,
    "dcbst": _cache_hint,
    "dcbt": _cache_hint,
}
"""Mnemonic → what it does."""
