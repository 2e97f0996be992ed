"""Which functions a call can reach that loads their address from a table of virtual functions.

Where it is not known what a pointer to an object points to, it may seem to point anywhere into a table. But a
program only stores the addresses of tables that it names, and calls a function at a fixed distance from one.
"""

from __future__ import annotations

from collections.abc import Iterator

from membar.code import ir
from membar.code.arithmetic import signed
from membar.code.structure import operands, results

_TABLES = ("_ZTV", "_ZTC")


class VirtualFunctions:
    """Where the functions of a module lie whose addresses only tables of virtual functions hold."""

    def __init__(self, module: ir.Module) -> None:
        tables = {name: item for name, item in module.objects.items() if name.startswith(_TABLES)}
        used = {address for function in module.functions.values() for address in _addresses(function)}
        for item in module.objects.values():
            held = {address for _, address in item.addresses}
            is_table = item.name in tables
            used |= {each for each in held if not (is_table and isinstance(each, ir.FunctionAddress))}
        self.distances: dict[str, set[int]] = {}
        """How far each of them lies from the addresses that the program has of its tables."""
        for begin in used:
            if isinstance(begin, ir.ObjectAddress) and begin.name in tables:
                for offset, address in tables[begin.name].addresses:
                    if isinstance(address, ir.FunctionAddress) and address not in used:
                        self.distances.setdefault(address.name, set()).add(offset - begin.offset)

    def can_reach(self, name: str, distance: int | None) -> bool:
        """Whether a call can reach a function that loads its address so far from what another load gave."""
        return distance is None or name not in self.distances or distance in self.distances[name]


def distance_in_table(function: ir.Function, pointer: ir.Operand) -> int | None:
    """How far from an address that was loaded a pointer was loaded; None if it was got in another way."""
    made: dict[ir.Operand, ir.Instruction] = {
        result: item
        for block in function.blocks
        for item in block.instructions
        if isinstance(item, ir.Load | ir.Index)
        for result in results(item)
    }
    load = made.get(pointer)
    at = made.get(load.address) if isinstance(load, ir.Load) else None
    distance = 0
    if isinstance(at, ir.Index) and isinstance(at.index, ir.Constant) and isinstance(at.index.type, ir.Int):
        distance = signed(at.index.value, at.index.type.bits) * at.stride
        at = made.get(at.base)
    return distance if isinstance(at, ir.Load) else None


def _addresses(function: ir.Function) -> Iterator[ir.Operand]:
    """The addresses that a function uses, not counting calls of what they are the addresses of."""
    for block in function.blocks:
        for item in (*block.instructions, block.end):
            found = operands(item)
            if isinstance(item, ir.Call) and isinstance(item.callee, ir.FunctionAddress):
                found.remove(item.callee)
            yield from (each for each in found if isinstance(each, ir.ObjectAddress | ir.FunctionAddress))
