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
    dominators = Dominators(blocks)
    before: dict[str, set[str]] = {block.name: set() for block in blocks}
    for block in blocks:
        for target in targets(block.end):
            before[target.block].add(block.name)
    bodies: dict[str, set[str]] = {}
    for block in blocks:
        for target in targets(block.end):
            if dominators.dominates(target.block, block.name):
                body = bodies.setdefault(target.block, {target.block})
                todo = [block.name]
                while todo:
                    name = todo.pop()
                    if name not in body:
                        body.add(name)
                        todo.extend(before[name])
    return tuple(Loop(header, frozenset(body)) for header, body in bodies.items())


def some_count(blocks: Sequence[ir.Block]) -> bool:
    """Whether some loop begins with a constant, as one that counts does."""
    begun = {
        (block.name, target.block)
        for block in blocks
        for target in targets(block.end)
        if any(isinstance(argument, ir.Constant) for argument in target.arguments)
    }
    return bool(begun) and any(
        header == loop.header and source not in loop.blocks
        for loop in natural_loops(blocks)
        for source, header in begun
    )


class Dominators:
    """For each block, those that every way to it goes through.

    Computed as Cooper, Harvey and Kennedy do: immediate dominators in reverse postorder, until stable.
    """

    def __init__(self, blocks: Sequence[ir.Block]) -> None:
        order = reverse_postorder(blocks)
        number = {name: at for at, name in enumerate(order)}
        before: list[list[int]] = [[] for _ in order]
        for block in blocks:
            if block.name in number:
                for target in targets(block.end):
                    before[number[target.block]].append(number[block.name])
        above: list[int | None] = [None] * len(order)
        above[0] = 0
        is_stable = False
        while not is_stable:
            is_stable = True
            for at in range(1, len(order)):
                found: int | None = None
                for each in before[at]:
                    if above[each] is not None:
                        found = each if found is None else _common_dominator(above, found, each)
                if found != above[at]:
                    above[at] = found
                    is_stable = False
        self._number, self._above = number, above
        self._depth = [0] * len(order)
        for at in range(1, len(order)):
            self._depth[at] = self._depth[above[at] or 0] + 1

    def dominates(self, one: str, other: str) -> bool:
        """Whether every way to `other` goes through `one`; a block dominates itself."""
        if one not in self._number or other not in self._number:
            return False
        wanted, at = self._number[one], self._number[other]
        while self._depth[at] > self._depth[wanted]:
            at = self._above[at] or 0
        return at == wanted


def _common_dominator(above: Sequence[int | None], one: int, other: int) -> int:
    while one != other:
        if one > other:
            one = above[one] or 0
        else:
            other = above[other] or 0
    return one


def reverse_postorder(blocks: Sequence[ir.Block]) -> list[str]:
    """The blocks that control can reach, each after those that dominate it."""
    following = {block.name: [target.block for target in targets(block.end)] for block in blocks}
    done: list[str] = []
    seen = {blocks[0].name}
    stack = [(blocks[0].name, iter(following[blocks[0].name]))]
    while stack:
        name, rest = stack[-1]
        further = next((item for item in rest if item not in seen), None)
        if further is None:
            stack.pop()
            done.append(name)
        else:
            seen.add(further)
            stack.append((further, iter(following[further])))
    return done[::-1]


def has_cycle(blocks: Sequence[ir.Block]) -> bool:
    """Whether control can come to a block again."""
    number = {name: at for at, name in enumerate(reverse_postorder(blocks))}
    return any(
        number[target.block] <= number[block.name]
        for block in blocks
        if block.name in number
        for target in targets(block.end)
    )


def last_first(blocks: Sequence[ir.Block]) -> list[ir.Block]:
    """All blocks, as far as possible each before those that lead to it."""
    named = {block.name: block for block in blocks}
    reached = [named.pop(name) for name in reversed(reverse_postorder(blocks))]
    return [*reached, *named.values()]
