"""Arithmetic, logic, shifts and comparisons."""

from __future__ import annotations

from collections.abc import Callable

from membar.languages.litmus.dialects.x86 import flags
from membar.languages.litmus.dialects.x86.effects import (
    Context,
    Effect,
    Handler,
    Steps,
    operands_of,
    source_of,
    two_operands,
    update,
    wrong,
)
from membar.languages.litmus.dialects.x86.instruction import Direct, Immediate, Instruction, Name, Operand
from membar.languages.litmus.dialects.x86.registers import low_bits
from membar.program import expr as e
from membar.program.operations import Set


def _arithmetic(op: e.BinaryOp) -> Callable[[Context], Effect]:
    """ADD, SUB, AND, OR, XOR."""

    def handler(context: Context) -> Effect:
        target, before, right = two_operands(context)
        width = context.instruction.width
        return update(
            context,
            target,
            lambda left: e.Binary(op, left, right),
            lambda left, result: _flags_of(op, left, right, result, width),
            before=before,
        )

    return handler


def _flags_of(op: e.BinaryOp, left: e.Expr, right: e.Expr, result: e.Expr, width: int) -> tuple[Set, ...]:
    if op is e.BinaryOp.ADD:
        return flags.of_sum(left, right, result, width)
    if op is e.BinaryOp.SUB:
        return flags.of_difference(left, right, result, width)
    return flags.of_logic(result, width)


def _increment_or_decrement(op: e.BinaryOp) -> Callable[[Context], Effect]:
    """INC and DEC, which leave the carry alone."""
    flags_of = flags.of_sum if op is e.BinaryOp.ADD else flags.of_difference

    def handler(context: Context) -> Effect:
        (target,) = context.operands(1)
        width = context.instruction.width
        return update(
            context,
            target,
            lambda left: e.Binary(op, left, e.TRUE),
            lambda left, result: flags_of(left, e.TRUE, result, width, carry=False),
        )

    return handler


def _neg(context: Context) -> Effect:
    (target,) = context.operands(1)
    width = context.instruction.width
    return update(
        context,
        target,
        lambda left: e.Unary(e.UnaryOp.NEGATE, left),
        lambda left, result: flags.of_difference(e.FALSE, left, result, width),
    )


def _not(context: Context) -> Effect:
    (target,) = context.operands(1)
    return update(context, target, lambda left: e.Unary(e.UnaryOp.INVERT, left), None)


def _shift(mnemonic: str, op: e.BinaryOp) -> Callable[[Context], Effect]:
    def handler(context: Context) -> Effect:
        instruction = context.instruction
        target, *rest = operands_of(instruction, 1, 2)
        count = _count(rest[0], instruction) if rest else e.TRUE
        # The count is a byte or a constant of its own; only the target has the instruction's size.
        sized = Context(_without_source(instruction), context.flags)
        width = sized.instruction.width

        def compute(left: e.Expr) -> e.Expr:
            return e.Binary(op, e.Extend(left, width, signed=True) if op is e.BinaryOp.SAR else left, count)

        return update(
            sized,
            target,
            compute,
            lambda left, result: flags.of_shift(mnemonic, left, count, result, width),
        )

    return handler


def _without_source(instruction: Instruction) -> Instruction:
    return Instruction(
        mnemonic=instruction.mnemonic,
        operands=instruction.operands[:1],
        size=instruction.size,
        is_locked=instruction.is_locked,
        bits=instruction.bits,
        span=instruction.span,
        word=instruction.word,
    )


def _count(operand: Operand, instruction: Instruction) -> e.Expr:
    """A shift count: the processor looks at its low 5 bits (6 for 64-bit operands)."""
    mask = 63 if _without_source(instruction).width == 64 else 31
    match operand:
        case Immediate(value=int(value)):
            return e.Constant(value & mask)
        case Direct(part=found) if found.name.upper() == "CL":
            return e.Binary(e.BinaryOp.AND, found.read(), e.Constant(mask))
    raise wrong(operand, "a constant or the register CL")


def _comparison(op: e.BinaryOp) -> Callable[[Context], Effect]:
    """CMP and TEST: flags only."""

    def handler(context: Context) -> Effect:
        target, before, right = two_operands(context)
        width = context.instruction.width
        if isinstance(target, Immediate | Name):
            raise wrong(target, "a register or a location")
        load, left = source_of(context.instruction, target)
        changes = context.set_flags(
            low_bits(e.Binary(op, left, right), width),
            lambda result: _flags_of(op, left, right, result, width),
        )
        return Steps(((*load, *before, *changes),))

    return handler


ARITHMETIC: dict[str, Handler] = {
    "ADD": _arithmetic(e.BinaryOp.ADD),
    "SUB": _arithmetic(e.BinaryOp.SUB),
    "AND": _arithmetic(e.BinaryOp.AND),
    "OR": _arithmetic(e.BinaryOp.OR),
    "XOR": _arithmetic(e.BinaryOp.XOR),
    "INC": _increment_or_decrement(e.BinaryOp.ADD),
    "DEC": _increment_or_decrement(e.BinaryOp.SUB),
    "NEG": _neg,
    "NOT": _not,
    "SHL": _shift("SHL", e.BinaryOp.SHL),
    "SHR": _shift("SHR", e.BinaryOp.SHR),
    "SAR": _shift("SAR", e.BinaryOp.SAR),
    "CMP": _comparison(e.BinaryOp.SUB),
    "TEST": _comparison(e.BinaryOp.AND),
}
