"""Moves and exchanges between registers and memory."""

from __future__ import annotations

from collections.abc import Callable

from membar.languages.litmus.dialects.x86 import flags
from membar.languages.litmus.dialects.x86.effects import (
    OLD,
    RESULT,
    SAME,
    Context,
    Effect,
    Handler,
    Step,
    Steps,
    address_of,
    atomic,
    load_of,
    operands_of,
    register_of,
    reject_lock,
    source_of,
    store_to,
    two_operands,
    update,
    wrong,
)
from membar.languages.litmus.dialects.x86.instruction import Direct, Immediate, Instruction, Memory, Name
from membar.languages.litmus.dialects.x86.registers import low_bits, part
from membar.program.expr import Binary, BinaryOp, Expr, Extend, Register, Select, equals
from membar.program.operations import Load, Set, Store


def _mov(context: Context) -> Effect:
    instruction = context.instruction
    target, source = context.operands(2)
    if isinstance(target, Direct) and isinstance(source, Memory):
        to = target.part
        if to.replaces_all:
            return Steps(((load_of(instruction, source, to.register),),))
        return Steps(((load_of(instruction, source), to.write(Register(OLD))),))
    target, before, value = two_operands(context)
    if isinstance(target, Immediate | Name):
        raise wrong(target, "a register or a location")
    if isinstance(target, Memory):
        return Steps(((*before, store_to(instruction, target, value)),))
    return Steps(((*before, target.part.write(value)),))


def _xchg(context: Context) -> Effect:
    first, second = context.operands(2)
    instruction = context.instruction
    if isinstance(second, Memory):
        first, second = second, first
    other = register_of(second)
    if isinstance(first, Memory):
        # Memory operands are always locked, with or without the prefix.
        return Steps(((atomic(instruction, first, other.read()), other.write(Register(OLD))),))
    reject_lock(instruction)
    target = register_of(first)
    return Steps(
        (
            (
                Set(OLD, low_bits(target.read(), instruction.width)),
                target.write(other.read()),
                other.write(Register(OLD)),
            ),
        )
    )


def _xadd(context: Context) -> Effect:
    target, source = context.operands(2)
    other = register_of(source)
    width = context.instruction.width
    right = other.read()
    if isinstance(target, Direct):
        reject_lock(context.instruction)
        total = low_bits(Binary(BinaryOp.ADD, Register(OLD), right), width)
        changes = context.set_flags(total, lambda new: flags.of_sum(Register(OLD), right, new, width))
        # The sum goes in last: it wins if both operands are the same register.
        keep, put = other.write(Register(OLD)), target.part.write(Register(RESULT))
        step = (Set(OLD, target.part.read()), Set(RESULT, total), *changes, keep, put)
        return Steps((step,))
    return update(
        context,
        target,
        lambda left: Binary(BinaryOp.ADD, left, right),
        lambda left, result: flags.of_sum(left, right, result, width),
        after=(other.write(Register(OLD)),),
    )


def _cmpxchg(context: Context) -> Effect:
    """The accumulator is compared with the target; the target is always written, if only with itself.

    That is what the processor does: also a failing locked comparison is a full fence.
    """
    target, source = context.operands(2)
    instruction = context.instruction
    new = register_of(source).read()
    width = instruction.width
    accumulator = part({8: "AL", 16: "AX", 32: "EAX", 64: "RAX"}[width], instruction.bits)
    assert accumulator is not None  # the operands have one of its widths
    old, expected = Register(OLD), accumulator.read()
    same = equals(expected, old)
    changes = (
        Set(SAME, same),
        *context.set_flags(
            low_bits(Binary(BinaryOp.SUB, expected, old), width),
            lambda result: flags.of_difference(expected, old, result, width),
        ),
    )
    update = _unless_same(accumulator.write(old))
    if isinstance(target, Direct):
        reject_lock(instruction)
        into = target.part.write(new)
        put = Set(into.register, Select(Register(SAME), into.value, Register(into.register)))
        return Steps(((Set(OLD, target.part.read()), *changes, put, update),))
    if not isinstance(target, Memory):
        raise wrong(target, "a register or a location")
    chosen = Select(same, new, old)
    if instruction.is_locked:
        return Steps(((atomic(instruction, target, chosen), *changes, update),))
    store = store_to(instruction, target, chosen)
    return Steps(((load_of(instruction, target),), (store, *changes, update)))


def _unless_same(change: Set) -> Set:
    """`change`, done only if the comparison failed: a 32-bit write would clear the upper half."""
    return Set(change.register, Select(Register(SAME), Register(change.register), change.value))


def _lea(context: Context) -> Effect:
    target, source = context.operands(2)
    if not isinstance(source, Memory):
        raise wrong(source, "an address such as `(x)` or `[x]`")
    return Steps(((register_of(target).write(address_of(context.instruction, source)),),))


def _extending_move(*, signed: bool) -> Callable[[Context], Effect]:
    """MOVZX and MOVSX."""

    def handler(context: Context) -> Effect:
        instruction = context.instruction
        target, source = context.operands(2)
        to = register_of(target)
        match source:
            case Direct(part=found):
                size = found.size
                operations: Step = (to.write(Extend(found.read(), found.width, signed)),)
            case Memory():
                size = source.size or instruction.source_size or 0
                load = Load(register=OLD, address=address_of(instruction, source), size=size, signed=signed)
                operations = (load, to.write(Register(OLD)))
            case _:
                raise wrong(source, "a register or a location")
        if not 0 < size < to.size or (instruction.source_size or size) != size:
            raise wrong(source, f"a source of known size, smaller than {to.size} bytes")
        return Steps((operations,))

    return handler


def set_byte(instruction: Instruction, condition: Expr) -> Effect:
    """SETcc."""
    (target,) = operands_of(instruction, 1)
    match target:
        case Direct(part=to) if to.width == 8:
            return Steps(((to.write(condition),),))
        case Memory() if target.size in {None, 1}:
            store = Store(address=address_of(instruction, target), value=condition, size=1)
            return Steps(((store,),))
    raise wrong(target, "a register or a location of one byte")


def move_if(instruction: Instruction, condition: Expr) -> Effect:
    """CMOVcc."""
    target, source = operands_of(instruction, 2)
    to = register_of(target)
    before, value = source_of(instruction, source)
    # The load happens, and a 32-bit target is cleared above, whether or not the condition holds.
    return Steps(((*before, to.write(Select(condition, value, to.read()))),))


TRANSFERS: dict[str, Handler] = {
    "MOV": _mov,
    "MOVZX": _extending_move(signed=False),
    "MOVSX": _extending_move(signed=True),
    "LEA": _lea,
    "XCHG": _xchg,
    "XADD": _xadd,
    "CMPXCHG": _cmpxchg,
}
