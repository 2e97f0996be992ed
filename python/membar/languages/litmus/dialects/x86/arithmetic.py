"""Arithmetic, logic, shifts and comparisons."""

from __future__ import annotations

from collections.abc import Callable

from membar.languages.litmus.dialects.x86 import flags
from membar.languages.litmus.dialects.x86.effects import (
    Context,
    Effect,
    Handler,
    Straight,
    operands_of,
    source_of,
    two_operands,
    update,
    wrong,
)
from membar.languages.litmus.dialects.x86.instruction import Direct, Immediate, Instruction, Name, Operand
from membar.languages.litmus.dialects.x86.registers import low_bits
from membar.program.expr import (
    FALSE,
    TRUE,
    Binary,
    BinaryOp,
    Constant,
    Expr,
    Extend,
    Unary,
    UnaryOp,
)
from membar.program.operations import Set


def _arithmetic(op: BinaryOp) -> Callable[[Context], Effect]:
    """ADD, SUB, AND, OR, XOR."""

    def handler(context: Context) -> Effect:
        target, before, right = two_operands(context)
        width = context.instruction.width
        return update(
            context,
            target,
            lambda left: Binary(op, left, right),
            lambda left, result: _flags_of(op, left, right, result, width),
            before=before,
        )

    return handler


def _flags_of(op: BinaryOp, left: Expr, right: Expr, result: Expr, width: int) -> tuple[Set, ...]:
    if op is BinaryOp.ADD:
        return flags.of_sum(left, right, result, width)
    if op is BinaryOp.SUB:
        return flags.of_difference(left, right, result, width)
    return flags.of_logic(result, width)


def _by_one(op: BinaryOp) -> Callable[[Context], Effect]:
    """INC and DEC, which leave the carry alone."""
    flags_of = flags.of_sum if op is BinaryOp.ADD else flags.of_difference

    def handler(context: Context) -> Effect:
        (target,) = context.operands(1)
        width = context.instruction.width
        return update(
            context,
            target,
            lambda left: Binary(op, left, TRUE),
            lambda left, result: flags_of(left, TRUE, result, width, carry=False),
        )

    return handler


def _neg(context: Context) -> Effect:
    (target,) = context.operands(1)
    width = context.instruction.width
    return update(
        context,
        target,
        lambda left: Unary(UnaryOp.NEGATE, left),
        lambda left, result: flags.of_difference(FALSE, left, result, width),
    )


def _not(context: Context) -> Effect:
    (target,) = context.operands(1)
    return update(context, target, lambda left: Unary(UnaryOp.INVERT, left), None)


def _shift(mnemonic: str, op: BinaryOp) -> Callable[[Context], Effect]:
    def handler(context: Context) -> Effect:
        instruction = context.instruction
        target, *rest = operands_of(instruction, 1, 2)
        count = _count(rest[0], instruction) if rest else TRUE
        # The count is a byte or a constant of its own; only the target has the instruction's size.
        sized = Context(_without_source(instruction), context.flags)
        width = sized.instruction.width

        def compute(left: Expr) -> Expr:
            return Binary(op, Extend(left, width, signed=True) if op is BinaryOp.SAR else left, count)

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


def _count(operand: Operand, instruction: Instruction) -> Expr:
    """A shift count: the processor looks at its low 5 bits (6 for 64-bit operands)."""
    mask = 63 if _without_source(instruction).width == 64 else 31
    match operand:
        case Immediate(value=int(value)):
            return Constant(value & mask)
        case Direct(part=found) if found.name.upper() == "CL":
            return Binary(BinaryOp.AND, found.read(), Constant(mask))
    raise wrong(operand, "a constant or the register CL")


def _comparison(op: BinaryOp) -> Callable[[Context], Effect]:
    """CMP and TEST: flags only."""

    def handler(context: Context) -> Effect:
        target, before, right = two_operands(context)
        width = context.instruction.width
        if isinstance(target, Immediate | Name):
            raise wrong(target, "a register or a location")
        load, left = source_of(context.instruction, target)
        changes = context.set_flags(
            low_bits(Binary(op, left, right), width),
            lambda result: _flags_of(op, left, right, result, width),
        )
        return Straight(((*load, *before, *changes),))

    return handler


ARITHMETIC: dict[str, Handler] = {
    "ADD": _arithmetic(BinaryOp.ADD),
    "SUB": _arithmetic(BinaryOp.SUB),
    "AND": _arithmetic(BinaryOp.AND),
    "OR": _arithmetic(BinaryOp.OR),
    "XOR": _arithmetic(BinaryOp.XOR),
    "INC": _by_one(BinaryOp.ADD),
    "DEC": _by_one(BinaryOp.SUB),
    "NEG": _neg,
    "NOT": _not,
    "SHL": _shift("SHL", BinaryOp.SHL),
    "SHR": _shift("SHR", BinaryOp.SHR),
    "SAR": _shift("SAR", BinaryOp.SAR),
    "CMP": _comparison(BinaryOp.SUB),
    "TEST": _comparison(BinaryOp.AND),
}
