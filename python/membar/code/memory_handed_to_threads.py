"""What allocated memory holds that a thread hands over to the one it starts.

`std::thread` keeps the function and its arguments in memory that from then on the new thread alone knows.
What is stored there last, before the start, is known in the new thread, unless that stores there itself. So
each thread has the code of its own function only, although all of them begin in one function of the library.
"""

from __future__ import annotations

from collections.abc import Iterator

from membar.code import ir
from membar.code.analyses.instruction_order import Position
from membar.code.analyses.lifetimes import ALLOCATE, RELEASE, is_call_of
from membar.code.analyses.points_to import size_of
from membar.code.primitives import PREFIX
from membar.code.rewrite import with_values
from membar.code.structure import operands, results, targets
from membar.records import replace

Contents = dict[tuple[int, int], ir.Operand]
"""Constants in memory, by offset and size."""
_COMPARE = ("eq", "ne")
_SIZE = f"{PREFIX}block_size"


def handed_contents(module: ir.Module, function: ir.Function, call: ir.Call) -> Contents:
    """The constants in the memory that a call starts a thread with, if nobody else knows that memory."""
    argument = call.arguments[1]
    flow = _Flow(function)
    start = flow.position_of(call)
    if not isinstance(argument, ir.Value) or start is None or flow.may_follow(start, start):
        return {}
    offsets = flow.derived_addresses(argument.name)
    allocation = flow.definition(argument.name)
    if offsets is None or allocation is None or not is_call_of(allocation, *ALLOCATE):
        return {}
    stores: list[tuple[Position, ir.Store, tuple[int, int]]] = []
    for position, item in flow.uses(offsets):
        if item is call:
            continue
        if flow.may_follow(position, start) or not _is_access(item, offsets):
            return {}
        if isinstance(item, ir.Store) and isinstance(item.address, ir.Value):
            stores.append((position, item, (offsets[item.address.name], size_of(item.value.type, module))))
    return {
        cell: item.value
        for position, item, cell in stores
        if isinstance(item.value, ir.Constant | ir.ObjectAddress | ir.FunctionAddress)
        and item.ordering is None
        and not item.is_volatile
        and flow.dominates(position, start)
        and not any(_overlap(cell, other) and flow.may_follow(later, position) for later, _, other in stores)
    }


def with_contents(module: ir.Module, function: ir.Function, argument: str, contents: Contents) -> ir.Function:
    """A function that knows what its argument points to: without the loads whose results are known."""
    flow = _Flow(function)
    offsets = flow.derived_addresses(argument)
    if offsets is None:
        return function
    used = list(flow.uses(offsets))
    if not all(_is_access(item, offsets) or is_call_of(item, RELEASE, _SIZE) for _, item in used):
        return function
    ends = [position for position, item in used if is_call_of(item, RELEASE)]
    stored = [
        (offsets[item.address.name], size_of(item.value.type, module))
        for _, item in used
        if isinstance(item, ir.Store) and isinstance(item.address, ir.Value)
    ]
    known: dict[str, ir.Operand] = {}
    for position, item in used:
        if not isinstance(item, ir.Load) or item.ordering is not None or item.is_volatile:
            continue
        if not isinstance(item.address, ir.Value) or any(flow.may_follow(position, end) for end in ends):
            continue
        cell = offsets[item.address.name], size_of(item.result.type, module)
        value = contents.get(cell)
        is_stored = any(_overlap(cell, other) for other in stored)
        if value is not None and value.type == item.result.type and not is_stored:
            known[item.result.name] = value
    blocks = [
        replace(
            block,
            instructions=tuple(
                item
                for item in block.instructions
                if not (isinstance(item, ir.Load) and item.result.name in known)
            ),
        )
        for block in function.blocks
    ]
    return replace(function, blocks=tuple(with_values(blocks, known))) if known else function


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[0] + other[1] and other[0] < one[0] + one[1]


def _is_access(item: ir.Instruction, offsets: dict[str, int]) -> bool:
    """Whether an instruction accesses the memory or compares its address, and keeps the address nowhere."""
    match item:
        case ir.Load() | ir.Index():
            return True
        case ir.Store(value=value):
            return not (isinstance(value, ir.Value) and value.name in offsets)
        case ir.Compute(operation=operation):
            return operation in _COMPARE
        case _:
            return False


class _Flow:
    """The control flow of one function, and the uses of its values."""

    def __init__(self, function: ir.Function) -> None:
        self.function = function
        self.blocks = {block.name: block for block in function.blocks}
        self.after: dict[str, set[str]] = {}

    def instructions(self) -> Iterator[tuple[Position, ir.Instruction]]:
        for block in self.function.blocks:
            for index, item in enumerate((*block.instructions, block.end)):
                yield Position(self.function.name, block.name, index), item

    def position_of(self, wanted: ir.Instruction) -> Position | None:
        return next((position for position, item in self.instructions() if item is wanted), None)

    def definition(self, name: str) -> ir.Instruction | None:
        return next(
            (item for _, item in self.instructions() if any(each.name == name for each in results(item))),
            None,
        )

    def uses(self, names: dict[str, int]) -> Iterator[tuple[Position, ir.Instruction]]:
        for position, item in self.instructions():
            if any(isinstance(each, ir.Value) and each.name in names for each in operands(item)):
                yield position, item

    def derived_addresses(self, base: str) -> dict[str, int] | None:
        """The values that lie a constant distance behind an address; None if one lies elsewhere."""
        offsets, todo = {base: 0}, [base]
        while todo:
            name = todo.pop()
            for _, item in self.uses({name: 0}):
                if not isinstance(item, ir.Index):
                    continue
                is_base = isinstance(item.base, ir.Value) and item.base.name == name
                if not is_base or not isinstance(item.index, ir.Constant):
                    return None
                bits = item.index.type.bits if isinstance(item.index.type, ir.Int) else 64
                index = item.index.value - (1 << bits if item.index.value >> (bits - 1) else 0)
                offsets[item.result.name] = offsets[name] + index * item.stride
                todo.append(item.result.name)
        return offsets

    def may_follow(self, later: Position, earlier: Position) -> bool:
        """Whether control can come from one instruction to another."""
        if later.block == earlier.block and later.index > earlier.index:
            return True
        if earlier.block not in self.after:
            self.after[earlier.block] = self._blocks_after(earlier.block)
        return later.block in self.after[earlier.block]

    def dominates(self, one: Position, other: Position) -> bool:
        """Whether one instruction is performed before another, whenever that is."""
        if one.block == other.block:
            return one.index < other.index
        first = self.function.blocks[0].name
        return one.block == first or other.block not in {first, *self._blocks_after(first, one.block)}

    def _blocks_after(self, start: str, without: str = "") -> set[str]:
        seen: set[str] = set()
        todo = [start]
        while todo:
            for target in targets(self.blocks[todo.pop()].end):
                if target.block not in seen and target.block != without:
                    seen.add(target.block)
                    todo.append(target.block)
        return seen
