"""Gives the local variables that stay in memory an object each.

A function that a thread runs has been inlined into, so each of its variables exists once, or once for each
iteration of a loop that was written out. It begins without a value.
"""

from __future__ import annotations

from membar.code import ir
from membar.code.analyses.blocks import is_in_header_or_library
from membar.code.analyses.instruction_order import Order, Position
from membar.code.loops import has_cycle
from membar.code.lowering.refusal import NotSupportedError
from membar.code.passes import Pass
from membar.code.rewrite import with_values
from membar.code.thread_lifetimes import with_ends
from membar.records import replace

_MOST_BYTES = 1 << 31
_LITERAL = ".compoundliteral"
_PART = "without checking that compound literals are not used after their block"


def place_locals(module: ir.Module) -> ir.Module:
    """The module with objects for the local variables of all its functions.

    Raises:
        NotSupportedError: the size of a variable is not known.
    """
    objects = dict(module.objects)
    unmarked = tuple(dict.fromkeys(_has_unmarked_literal(function) for function in module.functions.values()))
    order = Order(replace(module, threads=tuple(module.functions)))
    functions = {name: _place_locals(function, objects, order) for name, function in module.functions.items()}
    parts = (*module.partly_checked, *(("memory", _PART) for found in unmarked if found))
    return replace(module, functions=functions, objects=objects, partly_checked=parts)


def _has_unmarked_literal(function: ir.Function) -> bool:
    """Whether the address of a compound literal is stored, whose end the compiler does not mark."""
    addresses: set[str] = set()
    for block in function.blocks:
        for item in block.instructions:
            match item:
                case ir.Slot(result=ir.Value(name=name)) if _LITERAL in name:
                    addresses.add(name)
                case ir.Index(result=result, base=ir.Value(name=name)) if name in addresses:
                    addresses.add(result.name)
                case ir.Store(value=ir.Value(name=name)) if name in addresses:
                    return True
                case _:
                    pass
    return False


def _place_locals(function: ir.Function, objects: dict[str, ir.Object], order: Order) -> ir.Function:
    slots = [item for block in function.blocks for item in block.instructions if isinstance(item, ir.Slot)]
    if not slots:
        return function
    addresses: dict[str, ir.Operand] = {}
    for slot in slots:
        item = _object(slot, function.name, objects)
        objects[item.name] = item
        addresses[slot.result.name] = ir.ObjectAddress(item.name)
    sizes = {slot.result.name: _size(slot) for slot in slots}
    again = _restarted_variables(function, order)
    blocks = [
        _without_slots(block, addresses, sizes, again.get(block.name, set())) for block in function.blocks
    ]
    changed = with_values(blocks, addresses)
    done = [with_ends(block, addresses.values(), is_main=function.name == "main") for block in changed]
    return replace(function, blocks=tuple(done))


def _restarted_variables(function: ir.Function, order: Order) -> dict[str, set[int]]:
    """By block, the instructions at which variables begin that may have begun before."""
    marked: dict[str, list[Position]] = {}
    unmarked: dict[str, list[Position]] = {}
    for block in function.blocks:
        for index, item in enumerate(block.instructions):
            position = Position(function.name, block.name, index)
            match item:
                case ir.Slot(result=ir.Value(name=name)):
                    unmarked.setdefault(name, []).append(position)
                case ir.Lifetime(slot=ir.Value(name=name), begins=True):
                    marked.setdefault(name, []).append(position)
                case _:
                    pass
    found: dict[str, set[int]] = {}
    may_return = has_cycle(function.blocks)
    for starts in (unmarked | marked).values():
        for start in starts if may_return or len(starts) > 1 else ():
            if any(order.may_follow(start, other) for other in starts):
                found.setdefault(start.block, set()).add(start.index)
    return found


def _without_slots(
    block: ir.Block, addresses: dict[str, ir.Operand], sizes: dict[str, int], again: set[int]
) -> ir.Block:
    """A block without slots; variables that begin again lose their values there."""
    kept: list[ir.Instruction] = []
    for index, item in enumerate(block.instructions):
        name = ""
        match item:
            case ir.Slot(result=ir.Value(name=name)):
                pass
            case ir.Lifetime(slot=ir.Value(name=name), begins=True):
                kept.append(item)
            case _:
                kept.append(item)
        if index in again and name in addresses:
            length = ir.Constant(sizes[name], ir.Int(64))
            byte = ir.Undefined(ir.Int(8))
            kept.append(ir.Fill(target=addresses[name], byte=byte, length=length, place=item.place))
    return replace(block, instructions=tuple(kept))


def _size(slot: ir.Slot) -> int:
    match slot.count:
        case None:
            size = slot.size
        case ir.Constant(value=count):
            size = slot.size * count
        case _:
            name = f"`{slot.variable}`" if slot.variable else "a variable"
            raise NotSupportedError(f"the size of {name} is not known before the program runs", slot.place)
    if size > _MOST_BYTES:
        raise NotSupportedError(f"a variable of {size} bytes", slot.place)
    return size


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
        shape=slot.shape,
        place=slot.place,
        is_hidden=_is_unnamed_in_source(slot),
    )


def _is_unnamed_in_source(slot: ir.Slot) -> bool:
    """Whether the program's own text does not name the variable; macros of membar's headers make some."""
    return not slot.variable or slot.variable.startswith("__mb_") or is_in_header_or_library(slot.place)


PASS = Pass(
    name="place_locals",
    purpose="gives the local variables that stay in memory an object each",
    needs=("promote_locals",),
    run=place_locals,
)
