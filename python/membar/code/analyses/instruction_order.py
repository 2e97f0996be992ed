"""Which instructions of a program's threads may come before which others.

A thread comes after what its creator does before starting it, and before what follows a join of it. Nothing
else orders threads here, so whatever one of the answers leaves out cannot happen.
"""

from __future__ import annotations

from collections.abc import Iterator

from membar.code import ir
from membar.code.primitives import PREFIX
from membar.code.structure import targets
from membar.records import record

_SPAWN = ir.FunctionAddress(f"{PREFIX}spawn")
_JOIN = ir.FunctionAddress(f"{PREFIX}join")


@record(frozen=True, slots=True)
class Position:
    """An instruction of a thread: its block, and its number there."""

    thread: str
    block: str
    index: int


class Order:
    """The order of the instructions of a module in which each thread has a function of its own."""

    def __init__(self, module: ir.Module) -> None:
        self._threads = {name: _Thread(module, name) for name in module.threads}
        self._creators: dict[str, Position] = {}
        for thread in self._threads.values():
            for position, name in thread.spawns():
                self._creators.setdefault(name, position)

    def may_follow(self, later: Position, earlier: Position) -> bool:
        """Whether an instruction may be performed after another, or at the same time."""
        if later.thread == earlier.thread:
            return self._threads[later.thread].may_follow(later, earlier)
        if later.thread in self._threads[earlier.thread].joined_threads(earlier):
            return False
        ways, other_ways = self._ancestors(later.thread), self._ancestors(earlier.thread)
        for ancestor, start in other_ways.items():
            if ancestor == later.thread:  # the earlier one is of a thread that the later one's starts
                return self._threads[ancestor].may_follow(later, start)
            if ancestor in ways:  # both come from threads that a third one starts
                return later.thread not in self._threads[ancestor].joined_threads(start)
        return True

    def precedes(self, earlier: Position, later: Position) -> bool:
        """Whether an instruction is performed once, before another, whenever that is performed."""
        while later.thread != earlier.thread:
            creator = self._creators.get(later.thread)
            if creator is None:
                return False
            later = creator
        return self._threads[earlier.thread].precedes(earlier, later)

    def joined_threads(self, position: Position) -> frozenset[str]:
        """The threads that have certainly ended when control comes to an instruction."""
        return self._threads[position.thread].joined_threads(position)

    def _ancestors(self, thread: str) -> dict[str, Position]:
        """The threads that a thread comes from, nearest first, with where each started the way to it."""
        found: dict[str, Position] = {}
        while thread in self._creators and self._creators[thread].thread not in found:
            start = self._creators[thread]
            found[start.thread] = start
            thread = start.thread
        return found


class _Thread:
    """The control flow of one thread."""

    def __init__(self, module: ir.Module, name: str) -> None:
        self.name = name
        self.blocks = {block.name: block for block in module.functions[name].blocks}
        self._names = module.threads
        self._reach: dict[str, int] | None = None
        self._joined: dict[str, frozenset[str]] | None = None
        self._numbers = {block: number for number, block in enumerate(self.blocks)}
        self._avoiding: dict[str, frozenset[str]] = {}

    def spawns(self) -> Iterator[tuple[Position, str]]:
        """Where it starts which threads."""
        for block in self.blocks.values():
            for index, item in enumerate(block.instructions):
                match item:
                    case ir.Call(callee=callee, arguments=(ir.FunctionAddress(name), *_)) if callee == _SPAWN:
                        yield Position(self.name, block.name, index), name
                    case _:
                        pass

    def may_follow(self, later: Position, earlier: Position) -> bool:
        """Whether control can come from one instruction to another."""
        if later.block == earlier.block and later.index > earlier.index:
            return True
        return bool(self._reachable()[earlier.block] >> self._numbers[later.block] & 1)

    def precedes(self, earlier: Position, later: Position) -> bool:
        """Whether control passes one instruction, once, before it comes to another."""
        if self._reachable()[earlier.block] >> self._numbers[earlier.block] & 1:
            return False
        if earlier.block == later.block:
            return earlier.index < later.index
        return later.block not in self._blocks_avoiding(earlier.block)

    def _blocks_avoiding(self, block: str) -> frozenset[str]:
        """The blocks that control can come to without passing one."""
        if block not in self._avoiding:
            entry = next(iter(self.blocks))
            seen = {entry} - {block}
            todo = list(seen)
            while todo:
                new = {target.block for target in targets(self.blocks[todo.pop()].end)} - seen - {block}
                seen |= new
                todo += new
            self._avoiding[block] = frozenset(seen)
        return self._avoiding[block]

    def _reachable(self) -> dict[str, int]:
        """For each block, the blocks that control can reach from its end, as bits."""
        if self._reach is None:
            found = dict.fromkeys(self.blocks, 0)
            changed = True
            while changed:
                changed = False
                for name in reversed(self.blocks):
                    reach = 0
                    for target in targets(self.blocks[name].end):
                        reach |= found[target.block] | 1 << self._numbers[target.block]
                    if reach != found[name]:
                        found[name] = reach
                        changed = True
            self._reach = found
        return self._reach

    def joined_threads(self, position: Position) -> frozenset[str]:
        """The threads that have certainly ended when control comes to an instruction."""
        if self._joined is None:
            self._joined = self._joined_at_blocks()
        before = self.blocks[position.block].instructions[: position.index]
        return self._joined[position.block] | frozenset(self._joins(before))

    def _joins(self, instructions: tuple[ir.Instruction, ...]) -> Iterator[str]:
        for item in instructions:
            match item:
                case ir.Call(callee=callee, arguments=(ir.Constant(value=number), *_)) if callee == _JOIN:
                    if number < len(self._names):
                        yield self._names[number]
                case _:
                    pass

    def _joined_at_blocks(self) -> dict[str, frozenset[str]]:
        everything = frozenset(self._names)
        entry = next(iter(self.blocks))
        found = dict.fromkeys(self.blocks, everything) | {entry: frozenset[str]()}
        changed = True
        while changed:
            changed = False
            for name, block in self.blocks.items():
                after = found[name] | frozenset(self._joins(block.instructions))
                for target in targets(block.end):
                    if not found[target.block] <= after:
                        found[target.block] &= after
                        changed = True
        return found
