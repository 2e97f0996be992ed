"""Moves, sums, bitwise logic and products."""

from __future__ import annotations

from functools import partial

from membar.languages.litmus.assembly.effects import InstructionStep
from membar.languages.litmus.assembly.operands import nothing
from membar.languages.litmus.dialects.aarch64 import flags
from membar.languages.litmus.dialects.aarch64.operands import Handler, Operands, write_result
from membar.languages.litmus.dialects.aarch64.registers import (
    CARRY,
    RESULT,
    ZERO,
    View,
    assign,
    constant,
    low_bits,
    value,
    word,
)
from membar.program.expr import Binary, BinaryOp, Expr, Register, Unary, UnaryOp, negation
from membar.program.operations import Set


def _complement(expr: Expr) -> Expr:
    return Unary(UnaryOp.INVERT, expr)


def _data(
    operands: Operands,
    *,
    op: BinaryOp,
    inverts: bool = False,
    rule: flags.Rule | None = None,
    has_target: bool = True,
    has_left: bool = True,
) -> InstructionStep:
    """`ADD Rd,Rn,op2` and its family; `CMP Rn,op2` has no target, `NEG Rd,op2` no left source."""
    first = operands.register()
    width = first.width
    zero = View(ZERO, width)
    target = first if has_target else zero
    source = operands.register(width=width) if has_target and has_left else first
    left = word(source if has_left else zero)
    right = operands.flexible(width)
    operands.end()
    if inverts:
        right = _complement(right)
    result = low_bits(Binary(op, left, right), width)
    if rule is None:
        return InstructionStep(assign(target, result))
    # The target may be a source of the flags, so it is written last.
    kept = Register(RESULT)
    return InstructionStep((Set(RESULT, result), *rule(left, right, kept, width), *assign(target, kept)))


def _with_carry(operands: Operands, *, op: BinaryOp) -> InstructionStep:
    """`ADC`, `SBC`."""
    target = operands.register()
    left, right = (word(operands.register(width=target.width)) for _ in range(2))
    carry = Register(CARRY)
    extra = carry if op is BinaryOp.ADD else negation(carry)
    return write_result(operands, target, Binary(op, Binary(op, left, right), extra))


def _move(operands: Operands) -> InstructionStep:
    """`MOV`, of a number or a register."""
    target = operands.register()
    if operands.next_is_number():
        return write_result(operands, target, constant(operands.fitting_number(target.width), target.width))
    return write_result(operands, target, word(operands.register(width=target.width)))


def _move_wide(operands: Operands, *, inverts: bool = False, keeps: bool = False) -> InstructionStep:
    """`MOVZ`, `MOVN`, `MOVK`: 16 bits at a position."""
    target = operands.register()
    number = operands.number_below(1 << 16)
    where = operands.following
    shift = operands.left_shift()
    if shift % 16 or not 0 <= shift < target.width:
        raise operands.problem("bad position", f"expected a multiple of 16 below {target.width}", at=where)
    bits = constant(number << shift)
    if inverts:
        return write_result(operands, target, constant(~bits.value, target.width))
    if not keeps:
        return write_result(operands, target, bits)
    kept = Binary(BinaryOp.AND, word(target), constant(~(0xFFFF << shift)))
    return write_result(operands, target, Binary(BinaryOp.OR, kept, bits))


def _multiply(
    operands: Operands, *, op: BinaryOp | None, adds: bool, long: bool = False, signed: bool = False
) -> InstructionStep:
    """`MUL`, `MADD`, `SMSUBL`, …: a product, added to or (`op` SUB) subtracted from a third source or 0."""
    target = operands.register(width=64 if long else None)
    width = 32 if long else target.width
    left, right = (operands.register(width=width) for _ in range(2))
    if long:
        product = Binary(BinaryOp.MUL, value(left, signed=signed), value(right, signed=signed))
    else:
        product = Binary(BinaryOp.MUL, word(left), word(right))
    if op is None:
        return write_result(operands, target, product)
    third = word(operands.register(width=target.width)) if adds else constant(0)
    return write_result(operands, target, Binary(op, third, product))


def _divide(operands: Operands, *, op: BinaryOp) -> InstructionStep:
    """`UDIV`, `SDIV`; division by zero gives 0."""
    target = operands.register()
    signed = op is BinaryOp.SDIV
    left, right = (value(operands.register(width=target.width), signed=signed) for _ in range(2))
    return write_result(operands, target, Binary(op, left, right))


_ADD, _SUB = BinaryOp.ADD, BinaryOp.SUB
_AND, _OR, _XOR = BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR

INSTRUCTIONS: dict[str, Handler] = {
    "MOV": _move,
    "MOVZ": _move_wide,
    "MOVN": partial(_move_wide, inverts=True),
    "MOVK": partial(_move_wide, keeps=True),
    "MVN": partial(_data, op=_OR, inverts=True, has_left=False),
    "ADD": partial(_data, op=_ADD),
    "ADDS": partial(_data, op=_ADD, rule=flags.after_addition),
    "SUB": partial(_data, op=_SUB),
    "SUBS": partial(_data, op=_SUB, rule=flags.after_subtraction),
    "CMP": partial(_data, op=_SUB, rule=flags.after_subtraction, has_target=False),
    "CMN": partial(_data, op=_ADD, rule=flags.after_addition, has_target=False),
    "NEG": partial(_data, op=_SUB, has_left=False),
    "NEGS": partial(_data, op=_SUB, rule=flags.after_subtraction, has_left=False),
    "ADC": partial(_with_carry, op=_ADD),
    "SBC": partial(_with_carry, op=_SUB),
    "AND": partial(_data, op=_AND),
    "ANDS": partial(_data, op=_AND, rule=flags.after_logic),
    "TST": partial(_data, op=_AND, rule=flags.after_logic, has_target=False),
    "BIC": partial(_data, op=_AND, inverts=True),
    "BICS": partial(_data, op=_AND, inverts=True, rule=flags.after_logic),
    "ORR": partial(_data, op=_OR),
    "ORN": partial(_data, op=_OR, inverts=True),
    "EOR": partial(_data, op=_XOR),
    "EON": partial(_data, op=_XOR, inverts=True),
    "MUL": partial(_multiply, op=None, adds=False),
    "MNEG": partial(_multiply, op=_SUB, adds=False),
    "MADD": partial(_multiply, op=_ADD, adds=True),
    "MSUB": partial(_multiply, op=_SUB, adds=True),
    "SMULL": partial(_multiply, op=None, adds=False, long=True, signed=True),
    "SMNEGL": partial(_multiply, op=_SUB, adds=False, long=True, signed=True),
    "SMADDL": partial(_multiply, op=_ADD, adds=True, long=True, signed=True),
    "SMSUBL": partial(_multiply, op=_SUB, adds=True, long=True, signed=True),
    "UMULL": partial(_multiply, op=None, adds=False, long=True),
    "UMNEGL": partial(_multiply, op=_SUB, adds=False, long=True),
    "UMADDL": partial(_multiply, op=_ADD, adds=True, long=True),
    "UMSUBL": partial(_multiply, op=_SUB, adds=True, long=True),
    "UDIV": partial(_divide, op=BinaryOp.DIV),
    "SDIV": partial(_divide, op=BinaryOp.SDIV),
    "NOP": nothing,
}
"""Mnemonic → what it does."""
