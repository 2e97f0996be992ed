"""Integer instructions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from membar.languages.litmus.assembly.effects import InstructionStep
from membar.languages.litmus.assembly.operands import Handler, Operands, nothing
from membar.languages.litmus.dialects.riscv.registers import assign, constant, word
from membar.program.expr import Binary, BinaryOp, Expr, Extend, Unary, UnaryOp, blend, equals, negation

_Compute: TypeAlias = Callable[[Expr, Expr], Expr]
_Change: TypeAlias = Callable[[Expr], Expr]

_SMALL = (-(1 << 11), (1 << 11) - 1)
_ANY = (-(1 << 63), (1 << 64) - 1)


def _plain(op: BinaryOp) -> _Compute:
    return lambda left, right: Binary(op, left, right)


def _word(op: BinaryOp) -> _Compute:
    """32-bit arithmetic: the low halves, the result sign-extended."""
    return lambda left, right: word(Binary(op, left, right))


def _shift(op: BinaryOp, bits: int) -> _Compute:
    """Shifts count modulo the width."""

    def compute(left: Expr, right: Expr) -> Expr:
        by = Binary(BinaryOp.AND, right, constant(bits - 1))
        if bits == 64:
            return Binary(op, left, by)
        return word(Binary(op, word(left, signed=op is BinaryOp.SAR), by))

    return compute


def _divide(op: BinaryOp, bits: int) -> _Compute:
    """Division by 0 gives all ones; the remainder is then the dividend."""
    signed = op in (BinaryOp.SDIV, BinaryOp.SREM)

    def compute(left: Expr, right: Expr) -> Expr:
        if bits == 32:
            left, right = word(left, signed=signed), word(right, signed=signed)
        result: Expr = Binary(op, left, right)
        if op in (BinaryOp.DIV, BinaryOp.SDIV):
            result = blend(equals(right, constant(0)), constant(-1), result)
        return result if bits == 64 else word(result)

    return compute


def _registers(operands: Operands, *, compute: _Compute) -> InstructionStep:
    """`add rd,rs1,rs2`; a number in place of `rs2` means the immediate form, as assemblers take it."""
    target, left = operands.register(), operands.value()
    right = constant(operands.number(*_SMALL)) if operands.next_is_number() else operands.value()
    operands.end()
    return InstructionStep(assign(target, compute(left, right)))


def _immediate(operands: Operands, *, compute: _Compute, within: tuple[int, int] = _SMALL) -> InstructionStep:
    """`addi rd,rs1,number`."""
    target, left = operands.register(), operands.value()
    right = constant(operands.number(*within))
    operands.end()
    return InstructionStep(assign(target, compute(left, right)))


def _unary(operands: Operands, *, change: _Change) -> InstructionStep:
    """`mv rd,rs` and the like."""
    target, source = operands.register(), operands.value()
    operands.end()
    return InstructionStep(assign(target, change(source)))


def _load_immediate(operands: Operands) -> InstructionStep:
    """`li rd,number`."""
    target = operands.register()
    number = operands.number(*_ANY)
    operands.end()
    return InstructionStep(assign(target, constant(number)))


def _load_upper(operands: Operands) -> InstructionStep:
    """`lui rd,number`: 20 bits at position 12, sign-extended."""
    target = operands.register()
    number = operands.number(0, (1 << 20) - 1) << 12
    operands.end()
    return InstructionStep(assign(target, constant(number - (1 << 32) if number >> 31 else number)))


def _extension(bits: int, *, signed: bool) -> _Change:
    return lambda source: Extend(source, bits, signed)


def _negative(source: Expr) -> Expr:
    return Unary(UnaryOp.NEGATE, source)


_ZERO = constant(0)

_OPERATIONS: dict[str, _Compute] = {
    "add": _plain(BinaryOp.ADD),
    "and": _plain(BinaryOp.AND),
    "or": _plain(BinaryOp.OR),
    "xor": _plain(BinaryOp.XOR),
    "slt": _plain(BinaryOp.SLT),
    "sltu": _plain(BinaryOp.LT),
}
_SHIFTS = {"sll": BinaryOp.SHL, "srl": BinaryOp.SHR, "sra": BinaryOp.SAR}
_DIVISIONS = {"div": BinaryOp.SDIV, "divu": BinaryOp.DIV, "rem": BinaryOp.SREM, "remu": BinaryOp.REM}
_CHANGES: dict[str, _Change] = {
    "mv": lambda source: source,
    "not": lambda source: Unary(UnaryOp.INVERT, source),
    "neg": _negative,
    "negw": lambda source: word(_negative(source)),
    "sext.b": _extension(8, signed=True),
    "sext.h": _extension(16, signed=True),
    "sext.w": _extension(32, signed=True),
    "zext.b": _extension(8, signed=False),
    "zext.h": _extension(16, signed=False),
    "zext.w": _extension(32, signed=False),
    "seqz": lambda source: equals(source, _ZERO),
    "snez": lambda source: negation(equals(source, _ZERO)),
    "sltz": lambda source: Binary(BinaryOp.SLT, source, _ZERO),
    "sgtz": lambda source: Binary(BinaryOp.SLT, _ZERO, source),
}


def _immediate_name(name: str) -> str:
    return "sltiu" if name == "sltu" else f"{name}i"


INSTRUCTIONS: dict[str, Handler] = {
    **{name: partial(_registers, compute=compute) for name, compute in _OPERATIONS.items()},
    **{_immediate_name(name): partial(_immediate, compute=c) for name, c in _OPERATIONS.items()},
    **{name: partial(_registers, compute=_shift(op, 64)) for name, op in _SHIFTS.items()},
    **{f"{name}w": partial(_registers, compute=_shift(op, 32)) for name, op in _SHIFTS.items()},
    **{f"{n}i": partial(_immediate, compute=_shift(op, 64), within=(0, 63)) for n, op in _SHIFTS.items()},
    **{f"{n}iw": partial(_immediate, compute=_shift(op, 32), within=(0, 31)) for n, op in _SHIFTS.items()},
    **{name: partial(_registers, compute=_divide(op, 64)) for name, op in _DIVISIONS.items()},
    **{f"{name}w": partial(_registers, compute=_divide(op, 32)) for name, op in _DIVISIONS.items()},
    **{name: partial(_unary, change=change) for name, change in _CHANGES.items()},
    "sub": partial(_registers, compute=_plain(BinaryOp.SUB)),
    "mul": partial(_registers, compute=_plain(BinaryOp.MUL)),
    "addw": partial(_registers, compute=_word(BinaryOp.ADD)),
    "subw": partial(_registers, compute=_word(BinaryOp.SUB)),
    "mulw": partial(_registers, compute=_word(BinaryOp.MUL)),
    "addiw": partial(_immediate, compute=_word(BinaryOp.ADD)),
    "li": _load_immediate,
    "lui": _load_upper,
    "nop": nothing,
    "pause": nothing,
}
"""Mnemonic → what it does."""
