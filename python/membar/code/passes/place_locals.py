"""Gives the local variables that stay in memory an object each.

A function that a thread runs has been inlined into, so each of its variables exists once, or once for each
iteration of a loop. It begins without a value.
"""

from __future__ import annotations

from collections.abc import Iterator

from membar.code import ir
from membar.code.analyses.blocks import is_in_header_or_library
from membar.code.loops import natural_loops
from membar.code.lowering.refusal import NotSupportedError
from membar.code.passes import Pass
from membar.code.rewrite import Substitution, with_operands, with_values
from membar.code.structure import operands, targets
from membar.code.thread_lifetimes import with_ends
from membar.records import replace

_Start = tuple[str, str, int]
"""A variable, and the block and number of the instruction at which it begins."""


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
    functions = {
        name: _place_locals(_with_separate_lifetimes(function), objects)
        for name, function in module.functions.items()
    }
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


def _with_separate_lifetimes(function: ir.Function) -> ir.Function:
    """The function with a variable of its own for each lifetime, as in a loop that was written out."""
    begins: dict[str, list[ir.Lifetime]] = {}
    slots: dict[str, ir.Slot] = {}
    for block in function.blocks:
        for item in block.instructions:
            if isinstance(item, ir.Slot):
                slots[item.result.name] = item
            elif isinstance(item, ir.Lifetime) and item.begins and isinstance(item.slot, ir.Value):
                begins.setdefault(item.slot.name, []).append(item)
    several = {name for name, found in begins.items() if len(found) > 1 and name in slots}
    return _Lifetimes(function, slots, several).run() if several else function


class _Lifetimes:
    """Tells the lifetimes of variables apart: a use belongs to the beginning that control came from."""

    def __init__(self, function: ir.Function, slots: dict[str, ir.Slot], names: set[str]) -> None:
        self.function, self.slots, self.names = function, slots, names
        self.leader: dict[_Start, _Start] = {}

    def run(self) -> ir.Function:
        before = self._reaching()
        for block in self.function.blocks:
            for item, reaching in self._uses(block, before[block.name]):
                used = {each.name for each in operands(item) if isinstance(each, ir.Value)}
                for name in used & self.names:
                    for other in reaching[name]:
                        self.leader[self._find(other)] = self._find(min(reaching[name]))
        blocks = []
        for block in self.function.blocks:
            instructions: list[ir.Instruction] = []
            end = block.end
            for item, reaching in self._uses(block, before[block.name]):
                changed = with_operands(item, self._renaming(reaching))
                if item is block.end:
                    end = with_operands(end, self._renaming(reaching))
                elif isinstance(item, ir.Slot) and item.result.name in self.names:
                    instructions += self._slots(item)
                else:
                    instructions.append(changed)
            blocks.append(replace(block, instructions=tuple(instructions), end=end))
        return replace(self.function, blocks=tuple(blocks))

    def _find(self, key: _Start) -> _Start:
        while key in self.leader and self.leader[key] != key:
            key = self.leader[key]
        return key

    def _reaching(self) -> dict[str, dict[str, frozenset[_Start]]]:
        """For each block, the beginnings of each variable that control may come from."""
        entry = self.function.blocks[0].name
        none = {name: frozenset({(name, "", 0)}) for name in self.names}
        nothing = frozenset[_Start]()
        found = {block.name: dict.fromkeys(self.names, nothing) for block in self.function.blocks}
        found[entry] = none
        changed = True
        while changed:
            changed = False
            for block in self.function.blocks:
                *_, (_, after) = self._uses(block, found[block.name])
                for target in targets(block.end):
                    for name, starts in after.items():
                        if not starts <= found[target.block][name]:
                            found[target.block][name] |= starts
                            changed = True
        return found

    def _uses(
        self, block: ir.Block, before: dict[str, frozenset[_Start]]
    ) -> Iterator[tuple[ir.Instruction, dict[str, frozenset[_Start]]]]:
        """The instructions of a block, each with the beginnings that are valid for it."""
        current = dict(before)
        for index, item in enumerate(block.instructions):
            match item:
                case ir.Lifetime(slot=ir.Value(name=name), begins=True) if name in self.names:
                    current[name] = frozenset({(name, block.name, index)})
                case _:
                    pass
            yield item, current
        yield block.end, current

    def _name(self, key: _Start) -> str:
        name, block, index = self._find(key)
        return f"{name}@{block}.{index}" if block else name

    def _renaming(self, reaching: dict[str, frozenset[_Start]]) -> Substitution:
        def change(operand: ir.Operand) -> ir.Operand:
            if not isinstance(operand, ir.Value) or operand.name not in self.names:
                return operand
            found = reaching[operand.name]
            return replace(operand, name=self._name(min(found))) if found else operand

        return change

    def _slots(self, item: ir.Slot) -> list[ir.Instruction]:
        """The variables that one becomes."""
        starts = [(item.result.name, "", 0)]
        for block in self.function.blocks:
            for index, each in enumerate(block.instructions):
                if isinstance(each, ir.Lifetime) and each.begins and each.slot == item.result:
                    starts.append((item.result.name, block.name, index))
        names = dict.fromkeys(self._name(each) for each in starts)
        return [replace(item, result=replace(item.result, name=name)) for name in names]


def _place_locals(function: ir.Function, objects: dict[str, ir.Object]) -> ir.Function:
    slots = [item for block in function.blocks for item in block.instructions if isinstance(item, ir.Slot)]
    if not slots:
        return function
    addresses: dict[str, ir.Operand] = {}
    for slot in slots:
        item = _object(slot, function.name, objects)
        objects[item.name] = item
        addresses[slot.result.name] = ir.ObjectAddress(item.name)
    repeated = {name for loop in natural_loops(function.blocks) for name in loop.blocks}
    sizes = {slot.result.name: _size(slot) for slot in slots}
    blocks = [
        _without_slots(block, addresses, sizes, is_repeated=block.name in repeated)
        for block in function.blocks
    ]
    changed = with_values(blocks, addresses)
    done = [with_ends(block, addresses.values(), is_main=function.name == "main") for block in changed]
    return replace(function, blocks=tuple(done))


def _without_slots(
    block: ir.Block, addresses: dict[str, ir.Operand], sizes: dict[str, int], *, is_repeated: bool
) -> ir.Block:
    """A block without slots; in a loop, their variables lose their values where they begin instead."""
    kept: list[ir.Instruction] = []
    for item in block.instructions:
        name = ""
        match item:
            case ir.Slot(result=ir.Value(name=name)):
                pass
            case ir.Lifetime(slot=ir.Value(name=name), begins=True):
                kept.append(item)
            case _:
                kept.append(item)
        if is_repeated and name in addresses:
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
        is_hidden=not slot.variable or is_in_header_or_library(slot.place),
    )


PASS = Pass(
    name="place_locals",
    purpose="gives the local variables that stay in memory an object each",
    needs=("promote_locals",),
    run=place_locals,
)
