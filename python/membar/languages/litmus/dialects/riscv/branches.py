"""Branches, calls and returns."""

from __future__ import annotations

from functools import partial

from membar.languages.litmus.assembly.effects import Jump, Return
from membar.languages.litmus.assembly.operands import Handler, Operands
from membar.languages.litmus.dialects.riscv.registers import LINK, ZERO, constant
from membar.program.expr import Binary, BinaryOp, Expr


def _compare(operands: Operands, *, op: BinaryOp, swapped: bool = False) -> Jump:
    """`bne rs1,rs2,label`."""
    left, right = operands.value(), operands.value()
    if swapped:
        left, right = right, left
    return Jump(target=operands.label(), condition=Binary(op, left, right))


def _compare_zero(operands: Operands, *, op: BinaryOp, swapped: bool = False) -> Jump:
    """`bnez rs,label`."""
    left: Expr = operands.value()
    right: Expr = constant(0)
    if swapped:
        left, right = right, left
    return Jump(target=operands.label(), condition=Binary(op, left, right))


def _jump(operands: Operands) -> Jump:
    """`j label`."""
    return Jump(target=operands.label())


def _call(operands: Operands) -> Jump:
    """`jal label`, `jal rd,label`, `call label`."""
    link = operands.register() if operands.remaining > 1 else LINK
    return Jump(target=operands.label(), link=None if link == ZERO else link)


def _return(operands: Operands) -> Return:
    """`ret`."""
    operands.end()
    return Return(LINK)


def _jump_register(operands: Operands) -> Return:
    """`jr rs`."""
    register = operands.register()
    operands.end()
    return Return(register)


INSTRUCTIONS: dict[str, Handler] = {
    "beq": partial(_compare, op=BinaryOp.EQ),
    "bne": partial(_compare, op=BinaryOp.NE),
    "blt": partial(_compare, op=BinaryOp.SLT),
    "bltu": partial(_compare, op=BinaryOp.LT),
    "bge": partial(_compare, op=BinaryOp.SLE, swapped=True),
    "bgeu": partial(_compare, op=BinaryOp.LE, swapped=True),
    "bgt": partial(_compare, op=BinaryOp.SLT, swapped=True),
    "bgtu": partial(_compare, op=BinaryOp.LT, swapped=True),
    "ble": partial(_compare, op=BinaryOp.SLE),
    "bleu": partial(_compare, op=BinaryOp.LE),
    "beqz": partial(_compare_zero, op=BinaryOp.EQ),
    "bnez": partial(_compare_zero, op=BinaryOp.NE),
    "bltz": partial(_compare_zero, op=BinaryOp.SLT),
    "bgez": partial(_compare_zero, op=BinaryOp.SLE, swapped=True),
    "bgtz": partial(_compare_zero, op=BinaryOp.SLT, swapped=True),
    "blez": partial(_compare_zero, op=BinaryOp.SLE),
    "j": _jump,
    "jal": _call,
    "call": _call,
    "ret": _return,
    "jr": _jump_register,
}
"""Mnemonic → where it goes."""
