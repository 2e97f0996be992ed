"""Addresses of local variables as constants, for a pass that follows constants.

A variable of a function has no address that is known yet, but a place in it is as far from another place in
it as in a global object. So a loop over an array of a local object ends where one over a global array does.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from membar.code import ir
from membar.code.loops import Loop
from membar.code.rewrite import with_operands, with_values
from membar.records import replace

_LOCAL = "local "  # before the name of a variable that stands for an object


def with_constant_addresses(
    function: ir.Function, loops: Collection[Loop]
) -> tuple[ir.Function, list[ir.Slot]]:
    """The function with constants for addresses of variables, if loops walk over memory; and those variables.

    They are those of the first block that do not begin again in a loop.
    """
    blocks = {block.name: block for block in function.blocks}
    if not any(each.type == ir.PTR for loop in loops for each in blocks[loop.header].parameters):
        return function, []
    begun = {
        item.slot
        for loop in loops
        for name in loop.blocks
        for item in blocks[name].instructions
        if isinstance(item, ir.Lifetime)
    }
    slots = [
        item
        for item in function.blocks[0].instructions
        if isinstance(item, ir.Slot) and item.count is None and item.result not in begun
    ]
    if not slots:
        return function, []
    constants: dict[str, ir.Operand] = {
        slot.result.name: ir.ObjectAddress(f"{_LOCAL}{slot.result.name}") for slot in slots
    }
    first, *others = function.blocks
    given = {id(slot) for slot in slots}
    kept = tuple(item for item in first.instructions if id(item) not in given)
    found = with_values([replace(first, instructions=kept), *others], constants)
    return replace(function, blocks=tuple(found)), slots


def without_constant_addresses(
    blocks: Sequence[ir.Block], slots: Sequence[ir.Slot], bits: int
) -> list[ir.Block]:
    """The blocks with these variables in the first one again, which compute addresses where they use them."""
    if not slots:
        return list(blocks)
    restoration = _Restoration({f"{_LOCAL}{slot.result.name}": slot.result for slot in slots}, ir.Int(bits))
    first, *others = [restoration.block(block) for block in blocks]
    return [replace(first, instructions=(*slots, *first.instructions)), *others]


class _Restoration:
    """Computes addresses before the instructions that use them."""

    def __init__(self, variables: Mapping[str, ir.Value], word: ir.Int) -> None:
        self.variables, self.word = variables, word

    def block(self, block: ir.Block) -> ir.Block:
        """A block that computes the addresses that it uses."""
        kept: list[ir.Instruction] = []
        known: dict[ir.Operand, ir.Value] = {}

        def address(operand: ir.Operand) -> ir.Operand:
            if not isinstance(operand, ir.ObjectAddress) or operand.name not in self.variables:
                return operand
            if operand not in known:
                known[operand] = self._compute(operand, block.name, kept)
            return known[operand]

        for item in block.instructions:
            changed = with_operands(item, address)
            kept.append(changed)
        end = with_operands(block.end, address)
        return replace(block, instructions=tuple(kept), end=end)

    def _compute(self, address: ir.ObjectAddress, block: str, kept: list[ir.Instruction]) -> ir.Value:
        base = found = self.variables[address.name]
        name = f"{base.name}+{address.offset}@{block}"
        if address.offset:
            index = ir.Constant(address.offset & ((1 << self.word.bits) - 1), self.word)
            found = ir.Value(name, ir.PTR)
            kept.append(ir.Index(result=found, base=base, index=index, stride=1))
        if address.type != ir.PTR:
            pointer, found = found, ir.Value(f"{name}.number", address.type)
            kept.append(ir.Compute(result=found, operation="ptrtoint", operands=(pointer,)))
        return found
