"""Rebuilding instructions with other operands, the one way in which passes change them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import is_
from typing import TypeVar

from membar.code import ir
from membar.code.structure import OPERANDS, operand_fields
from membar.records import replace

Item = TypeVar("Item", bound=ir.Instruction)
Substitution = Callable[[ir.Operand], ir.Operand]


def with_operands(instruction: Item, change: Substitution, **changed: object) -> Item:
    """The instruction with every operand and result changed, and other fields; jumps keep their targets."""
    for name in operand_fields(type(instruction)):
        old = getattr(instruction, name)
        new = change(old) if type(old) in OPERANDS else _rebuild(old, change)
        if new is not old:
            changed[name] = new
    # The names are those of the fields, and operands take the place of operands.
    return replace(instruction, **changed) if changed else instruction  # type: ignore[arg-type]


def with_operands_in(block: ir.Block, change: Substitution) -> ir.Block:
    """The block with every operand changed; itself, if none is."""
    instructions = [with_operands(item, change) for item in block.instructions]
    end = with_operands(block.end, change)
    if end is block.end and all(map(is_, instructions, block.instructions)):
        return block
    return replace(block, instructions=tuple(instructions), end=end)


def with_values(blocks: Iterable[ir.Block], values: Mapping[str, ir.Operand]) -> list[ir.Block]:
    """The blocks with values replaced by name."""
    change = substitution(values)
    return [with_operands_in(block, change) for block in blocks] if values else list(blocks)


def _rebuild(value: object, change: Substitution) -> object:
    if isinstance(value, ir.Goto):
        arguments = tuple([change(item) for item in value.arguments])
        return value if all(map(is_, arguments, value.arguments)) else ir.Goto(value.block, arguments)
    if isinstance(value, tuple) and value:
        found = tuple([change(item) if type(item) in OPERANDS else _rebuild(item, change) for item in value])
        return value if all(map(is_, found, value)) else found
    return value


def substitution(values: Mapping[str, ir.Operand]) -> Substitution:
    """Replaces values by name, until no further replacement is known."""

    def change(operand: ir.Operand) -> ir.Operand:
        while isinstance(operand, ir.Value) and operand.name in values:
            operand = values[operand.name]
        return operand

    return change


def with_targets(end: ir.Terminator, change: Callable[[ir.Goto], ir.Goto]) -> ir.Terminator:
    """The terminator with every jump changed."""
    match end:
        case ir.Jump(target=target):
            changed = change(target)
            return end if changed is target else replace(end, target=changed)
        case ir.Branch(then=then, otherwise=otherwise):
            one, other = change(then), change(otherwise)
            if one is then and other is otherwise:
                return end
            return replace(end, then=one, otherwise=other)
        case ir.Switch(cases=cases, default=default):
            jumps = tuple((value, change(target)) for value, target in cases)
            return replace(end, cases=jumps, default=change(default))
        case _:
            return end
