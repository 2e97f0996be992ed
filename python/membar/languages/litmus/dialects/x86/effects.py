"""What every instruction is made of: steps of a thread, and the ways operands are read and written.

A locked instruction is one atomic read-modify-write. Without the lock, an instruction that changes memory
is two steps, a load and a store, between which other threads may run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from membar.diagnostics import InputError, error
from membar.languages.litmus import codes
from membar.languages.litmus.dialects.x86.instruction import (
    Direct,
    Immediate,
    Instruction,
    Memory,
    Name,
    Operand,
)
from membar.languages.litmus.dialects.x86.registers import Part, low_bits, part
from membar.program.expr import Address, Constant, Expr, Register
from membar.program.operations import Load, Operation, Rmw, Set, Store
from membar.records import record

Step: TypeAlias = tuple[Operation, ...]

LOCKED = frozenset({"X"})
# Registers that no instruction can name: an old value, a result used more than once, a comparison.
OLD, RESULT, SAME = "%old", "%result", "%same"


@record(frozen=True, slots=True)
class Steps:
    """Steps one after the other, then the next instruction."""

    steps: tuple[Step, ...]


@record(frozen=True, slots=True)
class Jump:
    """To `label` if `condition` is not 0, else to the next instruction."""

    label: Name
    condition: Expr


@record(frozen=True, slots=True)
class Return:
    """The end of the thread."""


Effect: TypeAlias = Steps | Jump | Return


@record(frozen=True, slots=True)
class Context:
    """An instruction, and the flags that some instruction of the thread reads."""

    instruction: Instruction
    flags: frozenset[str]

    def set_flags(self, result: Expr, flags_of: Callable[[Expr], tuple[Set, ...]]) -> Step:
        """Keeps `result` in `RESULT`, and sets those flags of it that are read; nothing if none is."""
        if not self.flags:
            return ()
        changes = (change for change in flags_of(Register(RESULT)) if change.register in self.flags)
        return Set(RESULT, result), *changes

    def operands(self, count: int) -> tuple[Operand, ...]:
        """The operands, which must be `count`."""
        return operands_of(self.instruction, count)


Handler: TypeAlias = Callable[[Context], Effect]


Flags: TypeAlias = Callable[[Expr, Expr], tuple[Set, ...]]


def wrong(operand: Operand, expected: str) -> InputError:
    """The error that `operand` is not what was `expected`."""
    return error(
        codes.OPERAND, f"`{operand.span.text}` does not fit here", operand.span, f"expected {expected}"
    )


def operands_of(instruction: Instruction, *counts: int) -> tuple[Operand, ...]:
    """The operands, if there are as many as one of `counts`."""
    found = len(instruction.operands)
    if found not in counts:
        expected = " or ".join(str(count) for count in counts)
        plural = "" if counts == (1,) else "s"
        raise error(
            codes.OPERAND,
            f"`{instruction.word.text}` takes {expected} operand{plural}, found {found}",
            instruction.span,
            f"expected {expected} operand{plural}",
        )
    return instruction.operands


def address_of(instruction: Instruction, memory: Memory) -> Expr:
    """The address of a memory operand."""
    if memory.index is not None and memory.scale not in {1, 2, 4, 8}:
        raise error(
            codes.OPERAND,
            f"a scale of {memory.scale} is not supported",
            memory.span,
            "expected a scale of 1, 2, 4 or 8",
        )
    return memory.address(instruction.bits)


def load_of(instruction: Instruction, memory: Memory, register: str = OLD) -> Load:
    """The load of a memory operand into `register`."""
    return Load(register=register, address=address_of(instruction, memory), size=instruction.width // 8)


def _constant(immediate: Immediate, width: int) -> Expr:
    if isinstance(immediate.value, Address):
        return immediate.value
    if not -(1 << (width - 1)) <= immediate.value < 1 << width:
        raise error(
            codes.OPERAND,
            f"{immediate.value} does not fit into {width} bits",
            immediate.span,
            f"expected a constant of {width} bits",
        )
    return low_bits(Constant(immediate.value), width)


def source_of(instruction: Instruction, operand: Operand) -> tuple[Step, Expr]:
    """What must be done to get the operand's value, and the value."""
    width = instruction.width
    match operand:
        case Direct(part=found):
            return (), found.read()
        case Immediate():
            return (), _constant(operand, width)
        case Memory():
            return (load_of(instruction, operand),), Register(OLD)
        case Name(name=name):
            raise error(
                codes.OPERAND,
                f"`{name}` is neither a register nor a location nor a constant",
                operand.span,
                f"expected {_spelling(instruction, name)}",
            )


def _spelling(instruction: Instruction, name: str) -> str:
    if instruction.bits == 32:
        return f"`[{name}]` for a location, `$1` for a constant"
    return f"`%{name}`" if part(name, 64) else f"`({name})` for a location, `$1` for a constant"


def register_of(operand: Operand) -> Part:
    """The operand, which must be a register."""
    if not isinstance(operand, Direct):
        raise wrong(operand, "a register")
    return operand.part


def reject_lock(instruction: Instruction) -> None:
    """Raises if there is a LOCK prefix: the destination is not memory."""
    if instruction.is_locked:
        raise error(
            codes.INSTRUCTION,
            f"LOCK needs a destination in memory: `{instruction.span.text}`",
            instruction.span,
            "expected a location as destination",
        )


def store_to(instruction: Instruction, memory: Memory, value: Expr) -> Store:
    """The store of `value` to a memory operand."""
    return Store(address=address_of(instruction, memory), value=value, size=instruction.width // 8)


def update(
    context: Context,
    target: Operand,
    compute: Callable[[Expr], Expr],
    flags_of: Flags | None,
    *,
    before: Step = (),
    after: Step = (),
) -> Effect:
    """`target := compute(target)`, with the flags that `flags_of(old, new)` tells.

    `before` comes first, `after` last; both belong to the step that computes.
    """
    instruction = context.instruction
    if isinstance(target, Immediate | Name):
        raise wrong(target, "a register or a location")
    if isinstance(target, Direct):
        reject_lock(instruction)
    old: Expr = target.part.read() if isinstance(target, Direct) else Register(OLD)
    result = low_bits(compute(old), instruction.width)
    changes: Step = ()
    if flags_of is not None:
        changes = context.set_flags(result, lambda new: flags_of(old, new))
    if isinstance(target, Memory) and instruction.is_locked:
        return Steps(((*before, atomic(instruction, target, result), *changes, *after),))
    if changes:
        result = Register(RESULT)
    if isinstance(target, Direct):
        return Steps(((*before, *changes, target.part.write(result), *after),))
    change = (*before, *changes, store_to(instruction, target, result), *after)
    return Steps(((load_of(instruction, target),), change))


def atomic(instruction: Instruction, memory: Memory, value: Expr) -> Rmw:
    """The locked change of a memory operand; its old value goes to `OLD`, which `value` may use."""
    return Rmw(
        register=OLD,
        address=address_of(instruction, memory),
        value=value,
        size=instruction.width // 8,
        read_tags=LOCKED,
        write_tags=LOCKED,
    )


def two_operands(context: Context) -> tuple[Operand, Step, Expr]:
    """Destination, what to do before, and the value of the source; not both in memory."""
    target, source = context.operands(2)
    if isinstance(target, Memory) and isinstance(source, Memory):
        raise wrong(source, "a register or a constant: the other operand is already in memory")
    before, value = source_of(context.instruction, source)
    return target, before, value
