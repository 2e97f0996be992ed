"""Gives the local variables that stay in memory an object each.

A function that a thread runs has been inlined into, so each of its variables exists once, or once for each
iteration of a loop. It begins without a value.
"""

from __future__ import annotations

from membar.code import ir
from membar.code.loops import natural_loops
from membar.code.lowering.refusal import NotSupportedError
from membar.code.passes import Pass
from membar.code.rewrite import substitution, with_operands_in
from membar.records import replace


def place_locals(module: ir.Module) -> ir.Module:
    """The module with objects for the local variables of all its functions.

    Raises:
        NotSupportedError: the size of a variable is not known.
    """
    objects = dict(module.objects)
    functions = {name: _placed(function, objects) for name, function in module.functions.items()}
    return replace(module, functions=functions, objects=objects)


def _placed(function: ir.Function, objects: dict[str, ir.Object]) -> ir.Function:
    slots = [item for block in function.blocks for item in block.instructions if isinstance(item, ir.Slot)]
    if not slots:
        return function
    addresses: dict[str, ir.Operand] = {}
    for slot in slots:
        item = _object(slot, function.name, objects)
        objects[item.name] = item
        addresses[slot.result.name] = ir.ObjectAddress(item.name)
    repeated = {name for loop in natural_loops(function.blocks) for name in loop.blocks}
    blocks = [
        _without_slots(block, addresses, is_repeated=block.name in repeated) for block in function.blocks
    ]
    change = substitution(addresses)
    return replace(function, blocks=tuple(with_operands_in(block, change) for block in blocks))


def _without_slots(block: ir.Block, addresses: dict[str, ir.Operand], *, is_repeated: bool) -> ir.Block:
    """A block without slots; in a loop, their variables lose their values instead."""
    kept: list[ir.Instruction] = []
    for item in block.instructions:
        if not isinstance(item, ir.Slot):
            kept.append(item)
        elif is_repeated:
            length = ir.Constant(_size(item), ir.Int(64))
            address, byte = addresses[item.result.name], ir.Undefined(ir.Int(8))
            kept.append(ir.Fill(target=address, byte=byte, length=length, place=item.place))
    return replace(block, instructions=tuple(kept))


def _size(slot: ir.Slot) -> int:
    match slot.count:
        case None:
            return slot.size
        case ir.Constant(value=count):
            return slot.size * count
        case _:
            name = f"`{slot.variable}`" if slot.variable else "a variable"
            raise NotSupportedError(f"the size of {name} is not known before the program runs", slot.place)


def _object(slot: ir.Slot, function: str, objects: dict[str, ir.Object]) -> ir.Object:
    base = name = slot.variable or f"{function}.{slot.result.name}"
    number = 1
    while name in objects:
        number += 1
        name = f"{base}#{number}"
    size = _size(slot)
    return ir.Object(
        name=name,
        size=size,
        align=slot.align,
        content=bytes(size),
        unset=((0, size),) if size else (),
        place=slot.place,
    )


PASS = Pass(
    name="place_locals",
    purpose="gives the local variables that stay in memory an object each",
    needs=("promote_locals",),
    run=place_locals,
)
