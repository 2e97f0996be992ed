"""Loads from one of several variables before the paths that choose the variable join.

`std::max` gives a reference to one of its arguments, which so are variables with an address. Each path knows
the variable: the load is made at its end, where it comes anyway, and the variables can become values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from membar.code import ir
from membar.code.structure import operands, targets
from membar.records import replace

_WITHOUT_EFFECT = (ir.Load, ir.Compute, ir.Index, ir.Slot)


def load_before_joins(function: ir.Function) -> ir.Function:
    """The function with such loads at the ends of the blocks that lead to theirs."""
    joins = [block for block in function.blocks if any(each.type == ir.PTR for each in block.parameters)]
    if not joins:
        return function
    slots = {
        item.result for block in function.blocks for item in block.instructions if isinstance(item, ir.Slot)
    }
    if not slots:
        return function
    leading: dict[str, list[tuple[ir.Block, ir.Goto]]] = {}
    uses: Counter[ir.Operand] = Counter()
    for block in function.blocks:
        for target in targets(block.end):
            leading.setdefault(target.block, []).append((block, target))
        for item in (*block.instructions, block.end):
            uses.update(operands(item))
    moved: dict[str, dict[int, ir.Load]] = {}
    for block in joins:
        ways = leading.get(block.name, [])
        if not ways or not all(isinstance(before.end, ir.Jump) for before, _ in ways):
            continue
        loads = _first_loads(block, uses)
        for place, parameter in enumerate(block.parameters):
            if parameter in loads and all(way.arguments[place] in slots for _, way in ways):
                moved.setdefault(block.name, {})[place] = loads[parameter]
    return _Movement(moved).run(function) if moved else function


def _first_loads(block: ir.Block, uses: Mapping[ir.Operand, int]) -> dict[ir.Operand, ir.Load]:
    """Plain loads before anything else happens in a block, of addresses that nothing else uses."""
    found: dict[ir.Operand, ir.Load] = {}
    for item in block.instructions:
        if not isinstance(item, _WITHOUT_EFFECT):
            break
        if isinstance(item, ir.Load):
            if item.ordering is not None or item.is_volatile:
                break
            if uses[item.address] == 1:
                found[item.address] = item
    return found


class _Movement:
    """Moves loads, by block and number of the parameter that holds the address."""

    def __init__(self, moved: Mapping[str, Mapping[int, ir.Load]]) -> None:
        self.moved = moved

    def run(self, function: ir.Function) -> ir.Function:
        blocks = [self._leave(self._join(block)) for block in function.blocks]
        return replace(function, blocks=tuple(blocks))

    def _join(self, block: ir.Block) -> ir.Block:
        """A block that gets what it loaded before."""
        loads = self.moved.get(block.name)
        if loads is None:
            return block
        gone = {id(item) for item in loads.values()}
        kept = tuple(item for item in block.instructions if id(item) not in gone)
        parameters = tuple(
            loads[place].result if place in loads else each for place, each in enumerate(block.parameters)
        )
        return replace(block, parameters=parameters, instructions=kept)

    def _leave(self, block: ir.Block) -> ir.Block:
        """A block that loads for the one it leads to."""
        end = block.end
        if not isinstance(end, ir.Jump) or end.target.block not in self.moved:
            return block
        arguments = list(end.target.arguments)
        loads: list[ir.Instruction] = []
        for place, item in self.moved[end.target.block].items():
            result = ir.Value(f"{item.result.name}<{block.name}", item.result.type)
            loads.append(replace(item, result=result, address=arguments[place]))
            arguments[place] = result
        jump = replace(end, target=replace(end.target, arguments=tuple(arguments)))
        return replace(block, instructions=(*block.instructions, *loads), end=jump)
