"""Instructions that choose between two values: conditional select, conditional compare, extremes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from membar.languages.litmus.assembly.effects import InstructionStep
from membar.languages.litmus.dialects.aarch64 import flags
from membar.languages.litmus.dialects.aarch64.operands import Handler, Operands, write_result
from membar.languages.litmus.dialects.aarch64.registers import RESULT, constant, low_bits, value, word
from membar.program.expr import Binary, BinaryOp, Expr, Register, Select, Unary, UnaryOp
from membar.program.operations import Set


def _plain(expr: Expr) -> Expr:
    return expr


def _increment(expr: Expr) -> Expr:
    return Binary(BinaryOp.ADD, expr, constant(1))


def _complement(expr: Expr) -> Expr:
    return Unary(UnaryOp.INVERT, expr)


def _negate(expr: Expr) -> Expr:
    return Unary(UnaryOp.NEGATE, expr)


def _select(operands: Operands, *, change: Callable[[Expr], Expr]) -> InstructionStep:
    """`CSEL Rd,Rn,Rm,cond`; the second source is changed in `CSINC`, `CSINV`, `CSNEG`."""
    target = operands.register()
    left, right = (word(operands.register(width=target.width)) for _ in range(2))
    return write_result(operands, target, Select(flags.condition(operands), left, change(right)))


def _set_on(operands: Operands, *, chosen: int) -> InstructionStep:
    """`CSET`, `CSETM`: a constant if the condition holds, else 0."""
    target = operands.register()
    return write_result(operands, target, Select(flags.condition(operands), constant(chosen), constant(0)))


def _change_on(operands: Operands, *, change: Callable[[Expr], Expr]) -> InstructionStep:
    """`CINC`, `CINV`, `CNEG`: the source, changed if the condition holds."""
    target = operands.register()
    source = word(operands.register(width=target.width))
    return write_result(operands, target, Select(flags.condition(operands), change(source), source))


def _compare_on(operands: Operands, *, op: BinaryOp, rule: flags.Rule) -> InstructionStep:
    """`CCMP`, `CCMN`: compare if the condition holds, else set the flags to a constant."""
    left_view = operands.register()
    left = word(left_view)
    right = operands.plain(left_view.width)
    otherwise = operands.number_below(16)
    holds = flags.condition(operands)
    operands.end()
    width = left_view.width
    results = rule(left, right, low_bits(Binary(op, left, right), width), width)
    chosen = [
        Set(item.register, Select(Register(RESULT), item.value, constant(otherwise >> (3 - position) & 1)))
        for position, item in enumerate(results)
        if isinstance(item, Set)
    ]
    return InstructionStep((Set(RESULT, holds), *chosen))


def _extreme(operands: Operands, *, op: BinaryOp, takes_larger: bool) -> InstructionStep:
    """`SMAX`, `SMIN`, `UMAX`, `UMIN` of a register and a register or number."""
    target = operands.register()
    signed = op is BinaryOp.SLT
    left = value(operands.register(width=target.width), signed=signed)
    if operands.next_is_number():
        right: Expr = constant(operands.fitting_number(target.width))
    else:
        right = value(operands.register(width=target.width), signed=signed)
    larger, smaller = (right, left) if takes_larger else (left, right)
    return write_result(operands, target, Select(Binary(op, left, right), larger, smaller))


def _absolute(operands: Operands) -> InstructionStep:
    """`ABS`."""
    target = operands.register()
    number = value(operands.register(width=target.width), signed=True)
    is_negative = Binary(BinaryOp.SLT, number, constant(0))
    return write_result(operands, target, Select(is_negative, Unary(UnaryOp.NEGATE, number), number))


INSTRUCTIONS: dict[str, Handler] = {
    "ABS": _absolute,
    "CSEL": partial(_select, change=_plain),
    "CSINC": partial(_select, change=_increment),
    "CSINV": partial(_select, change=_complement),
    "CSNEG": partial(_select, change=_negate),
    "CSET": partial(_set_on, chosen=1),
    "CSETM": partial(_set_on, chosen=-1),
    "CINC": partial(_change_on, change=_increment),
    "CINV": partial(_change_on, change=_complement),
    "CNEG": partial(_change_on, change=_negate),
    "CCMP": partial(_compare_on, op=BinaryOp.SUB, rule=flags.after_subtraction),
    "CCMN": partial(_compare_on, op=BinaryOp.ADD, rule=flags.after_addition),
    "SMAX": partial(_extreme, op=BinaryOp.SLT, takes_larger=True),
    "SMIN": partial(_extreme, op=BinaryOp.SLT, takes_larger=False),
    "UMAX": partial(_extreme, op=BinaryOp.LT, takes_larger=True),
    "UMIN": partial(_extreme, op=BinaryOp.LT, takes_larger=False),
}
"""Mnemonic → what it does."""
