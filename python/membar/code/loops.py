"""Natural loops of a function: their headers, their blocks, and the branches that leave them."""

from __future__ import annotations

from collections.abc import Sequence

from membar.code import ir
from membar.code.structure import targets
from membar.records import record


@record(frozen=True, slots=True)
class Loop:
    """A loop: the block that every iteration begins with, and all blocks of an iteration."""

    header: str
    blocks: frozenset[str]


def natural_loops(blocks: Sequence[ir.Block]) -> tuple[Loop, ...]:
    """The loops of reducible control flow, one for each header."""
    dominators = _dominators(blocks)
    before: dict[str, set[str]] = {block.name: set() for block in blocks}
    for block in blocks:
        for target in targets(block.end):
            before[target.block].add(block.name)
    bodies: dict[str, set[str]] = {}
    for block in blocks:
        for target in targets(block.end):
            if target.block in dominators[block.name]:
                body = bodies.setdefault(target.block, {target.block})
                todo = [block.name]
                while todo:
                    name = todo.pop()
                    if name not in body:
                        body.add(name)
                        todo.extend(before[name])
    return tuple(Loop(header, frozenset(body)) for header, body in bodies.items())


def _dominators(blocks: Sequence[ir.Block]) -> dict[str, frozenset[str]]:
    """For each block, those that every way to it goes through, itself included."""
    everything = frozenset(block.name for block in blocks)
    entry = blocks[0].name
    before: dict[str, list[str]] = {block.name: [] for block in blocks}
    for block in blocks:
        for target in targets(block.end):
            before[target.block].append(block.name)
    found = dict.fromkeys(everything, everything)
    found[entry] = frozenset({entry})
    changed = True
    while changed:
        changed = False
        for block in blocks:
            if block.name == entry:
                continue
            common = everything
            for name in before[block.name]:
                common &= found[name]
            new = common | {block.name}
            if new != found[block.name]:
                found[block.name] = new
                changed = True
    return found
