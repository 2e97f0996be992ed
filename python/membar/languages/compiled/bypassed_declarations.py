"""Variables of inner blocks whose declaration a jump goes past (`switch (i) { int v; case 0: … }`).

The compiler does not mark where the lifetime of such a variable begins and ends: to membar it lives as long
as the call. That hides a mistake only if a pointer to it is kept, or if an iteration of a loop may read what
an earlier one stored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from membar.code import ir
from membar.code.loops import natural_loops, reverse_postorder
from membar.code.structure import operands, targets
from membar.source import pattern

# Memory that clang adds by itself; it describes none of it, nor variables whose declaration is never reached.
_OF_COMPILER = pattern(r"\d+|(?:retval|tmp|temp|coerce|nrvo|saved_stack)\d*|.*[.-].*")


def silently_misused_variables(
    function: ir.Function, inner: Mapping[str, str], others: Collection[str]
) -> list[str]:
    """The variables of inner blocks that may be misused unseen, as messages name them.

    Args:
        function: before any pass.
        inner: the variables of inner blocks, by the name of their memory, and how messages name them.
        others: the memory of all other variables that the compiler describes.
    """
    items = [item for block in function.blocks for item in (*block.instructions, block.end)]
    marked = {
        item.slot.name for item in items if isinstance(item, ir.Lifetime) and isinstance(item.slot, ir.Value)
    }
    unmarked = [
        item
        for item in items
        if isinstance(item, ir.Slot)
        and item.result.name not in marked
        and item.result.name not in others
        and (item.result.name in inner or not _OF_COMPILER.fullmatch(item.result.name))
    ]
    number = {name: at for at, name in enumerate(reverse_postorder(function.blocks))} if unmarked else {}
    return [
        inner.get(slot.result.name, f"`{slot.result.name}`")
        for slot in unmarked
        if (uses := _Uses(function, slot, items, number)).is_kept or uses.may_be_of_earlier_iteration()
    ]


class _Uses:
    """What a function does with one variable."""

    def __init__(
        self, function: ir.Function, slot: ir.Slot, items: list[ir.Instruction], number: Mapping[str, int]
    ) -> None:
        self.slot, self.number = slot, number
        self.blocks = {block.name: block for block in function.blocks}
        self.addresses = {slot.result}
        for item in items:
            if isinstance(item, ir.Index) and item.base in self.addresses:
                self.addresses.add(item.result)
        self.is_kept = any(map(self._keeps, items))
        used = {name for name, block in self.blocks.items() if any(map(self._accesses, block.instructions))}
        loops = natural_loops(function.blocks)
        self.inside = {  # jumps to the next iteration of a loop that does not contain the variable's block
            (name, loop.header) for loop in loops if not used <= loop.blocks for name in loop.blocks
        }

    def _keeps(self, item: ir.Instruction) -> bool:
        """Whether an instruction does anything but access the variable."""
        match item:
            case ir.Load() | ir.Index() | ir.Copy() | ir.Fill():
                return isinstance(item, ir.Index) and item.index in self.addresses
            case ir.Store(value=value):
                return value in self.addresses
            case _:
                return any(operand in self.addresses for operand in operands(item))

    def may_be_of_earlier_iteration(self) -> bool:
        """Whether a read may come after an access in an earlier iteration, without being set in its own."""
        todo = [
            (name, at, False)
            for name, block in self.blocks.items()
            if name in self.number
            for at, item in enumerate(block.instructions)
            if self._accesses(item)
        ]
        seen: set[tuple[str, bool]] = set()
        while todo:
            name, start, is_later = todo.pop()
            block = self.blocks[name]
            for item in block.instructions[start + 1 :]:
                if is_later and self._reads(item):
                    return True
                if self._sets(item):
                    break
            else:
                for following in self._following(block, is_later=is_later):
                    if following not in seen:
                        seen.add(following)
                        todo.append((following[0], -1, following[1]))
        return False

    def _following(self, block: ir.Block, *, is_later: bool) -> Iterator[tuple[str, bool]]:
        """The blocks after one, and whether they are in a later iteration of a loop."""
        for target in targets(block.end):
            is_back = self.number[target.block] <= self.number[block.name]
            yield target.block, is_later or (is_back and (block.name, target.block) not in self.inside)

    def _accesses(self, item: ir.Instruction) -> bool:
        return self._reads(item) or self._writes(item)

    def _reads(self, item: ir.Instruction) -> bool:
        match item:
            case ir.Load(address=address) | ir.Copy(source=address):
                return address in self.addresses
            case _:
                return False

    def _writes(self, item: ir.Instruction) -> bool:
        match item:
            case ir.Store(address=address) | ir.Copy(target=address) | ir.Fill(target=address):
                return address in self.addresses
            case _:
                return False

    def _sets(self, item: ir.Instruction) -> bool:
        """Whether an instruction sets the whole variable."""
        match item:
            case ir.Store(address=address, value=value):
                bits = 8 * self.slot.size if isinstance(value.type, ir.Ptr) else value.type.bits
                return address == self.slot.result and (bits + 7) // 8 == self.slot.size
            case ir.Copy(target=address, length=length) | ir.Fill(target=address, length=length):
                is_whole = isinstance(length, ir.Constant) and length.value == self.slot.size
                return address == self.slot.result and is_whole
            case _:
                return False
