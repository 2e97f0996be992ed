"""Programs whose executions under load buffering have no cycle of dependencies and reads-from.

The dependency-aware search (`core/membar-graphs/src/stateless/thread_order.rs`) builds an execution event by
event: an event comes after everything that must stay with it inside its thread, and a read after the write
that it reads from. So it finds only executions in which these two relations together have no cycle. Models
with load buffering promise less: they forbid cycles of *their own* order and external reads-from. `obstacle`
looks for program constructs that can make a difference.

Why there is none otherwise. A cycle enters a thread at a read r, by reads-from, and leaves it at a write w. A
chain of steps inside the thread makes w stay with r. Each step is an order of the model, with these
exceptions, each of which is either harmless or an obstacle:

- a store, then a load of the same location: forwarding makes the value available before the store is. An
  obstacle.
- two loads of one location: harmless, as the second reads the same write or a later one, so that the cycle
  may as well enter at the second. (It reads no store of its own thread: that would be forwarding.)
- a branch, or an address, then any access: harmless, as models order these before all later stores, and w is
  one.
- fences and choices: they need only the branches before them. A choice whose range was read is an obstacle.
- the halves of an RMW stay together, so whatever its write needs, its read needs too. An obstacle if a load
  precedes it and a store follows. For a load-linked and its store-conditional the search needs more: no store
  may follow, and their addresses must not depend on reads.

What must stay with an event must not depend on reads that need not stay, and the event must happen whatever
these reads return. So nothing may follow an RMW that may not write, and no store may follow an assertion,
because a thread ends where one fails. Nor may a store be inside or after a loop: whether an iteration only
waits, and ends the thread, depends on everything that it read (`program/awaits.py`). No select may depend on
values read, and branches concern everything that follows. Threads that start and join others, unordered
accesses and fences that name locations are excluded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import product
from typing import TypeAlias

from membar.program import operations as ops
from membar.program.dependencies import expressions_of, reads_memory, registers_written, writes_memory
from membar.program.expr import (
    TRUE,
    Binary,
    BinaryOp,
    Constant,
    Expr,
    Register,
    Select,
    children,
    evaluate,
    registers_of,
    with_children,
)
from membar.program.program import Program, Thread
from membar.records import record

# What a register may hold; None: anything.
Words: TypeAlias = frozenset[int] | None
_MOST_WORDS = 64


def obstacle(program: Program) -> str | None:
    """Why the dependency-aware search does not apply to `program`; None if it does."""
    for thread in program.threads:
        found = _shape(thread) or _Flow(thread, program.bases).obstacle()
        if found is not None:
            return f"{thread.name}: {found}"
    return None


def selects_by_reads(thread: Thread, program: Program) -> bool:
    """Whether some select of `thread` depends on a read, while other threads may run."""
    others = frozenset(other.name for other in program.threads) - {thread.name}
    return _Flow(thread, program.bases).selects(_points_behind(thread, others))


def _points_behind(thread: Thread, others: frozenset[str]) -> frozenset[int]:
    """The points of `thread` that it reaches only after it has joined all `others`."""
    joined: dict[int, frozenset[str]] = {thread.entry: frozenset()}
    todo = [thread.entry]
    while todo:
        point = todo.pop()
        for edge in thread.outgoing[point]:
            now = joined[point] | {item.thread for item in edge.operations if isinstance(item, ops.Join)}
            known = joined.get(edge.target)
            if known is None or not known <= now:
                joined[edge.target] = now if known is None else known & now
                todo.append(edge.target)
    return frozenset(point for point, names in joined.items() if others <= names)


def _shape(thread: Thread) -> str | None:
    """Obstacles in the operations of a thread, wherever they are."""
    if not thread.started:
        return "it is started by another thread"
    if thread.joins:
        return "the scope of its branches ends"
    for edge in thread.edges:
        if edge.unordered:
            return "unordered accesses"
        for operation in edge.operations:
            match operation:
                case ops.Spawn() | ops.Join():
                    return "it starts or joins threads"
                case ops.Fence(address=address) if address is not None:
                    return "a fence that names a location"
                case ops.Store(exclusive=True):
                    return "a store that closes an exclusive load"
                case _:
                    pass
    return None


@record(frozen=True, slots=True)
class _Place:
    """An operation by its edge and its number there."""

    edge: int
    number: int
    operation: ops.Operation


class _Flow:
    """The control flow of one thread, and what registers may hold."""

    def __init__(self, thread: Thread, bases: Mapping[str, int]) -> None:
        self.thread = thread
        self.bases = bases
        self.places = [
            _Place(index, number, operation)
            for index, edge in enumerate(thread.edges)
            for number, operation in enumerate(edge.operations)
        ]

    def obstacle(self) -> str | None:
        reads = [place for place in self.places if reads_memory(place.operation)]
        writes = [place for place in self.places if writes_memory(place.operation)]
        if self.selects():
            return "a select whose condition was read"
        for write in writes:
            if any(self._follows(read, write) and self._may_meet(read, write) for read in reads):
                return "a load may follow a store of the same location"
        if any(self._closes_loop_before(edge, writes) for edge in self.thread.back_edges):
            return "a store inside or after a loop"
        for place in self.places:
            found = self._special(place, reads, writes)
            if found is not None:
                return found
        return None

    def _closes_loop_before(self, edge: int, writes: list[_Place]) -> bool:
        """Whether some write may come after an iteration of the loop that `edge` closes."""
        reached = self._reachable(self.thread.edges[edge].target)
        return any(self.thread.edges[write.edge].source in reached for write in writes)

    def _special(self, place: _Place, reads: list[_Place], writes: list[_Place]) -> str | None:
        match place.operation:
            case ops.Rmw(condition=condition) if condition != TRUE:
                events = (*reads, *writes, *(p for p in self.places if isinstance(p.operation, ops.Fence)))
                if any(self._follows(event, place) for event in events):
                    return "an RMW that may not write, followed by more"
            case ops.Rmw():
                is_behind = any(self._follows(place, read) for read in reads)
                if is_behind and any(self._follows(write, place) for write in writes):
                    return "an RMW between a load and a store"
            case ops.StoreConditional(address=address):
                if any(self._follows(write, place) for write in writes):
                    return "a store after a store-conditional"
                if self._is_read(address):
                    return "a store-conditional at an address that was read"
            case ops.Load(exclusive=True, address=address) if self._is_read(address):
                return "an exclusive load at an address that was read"
            case ops.Assert(condition=condition) if self._is_read(condition):
                if any(self._follows(write, place) for write in writes):
                    return "a store after an assertion"
            case ops.Choose(low=low, high=high) if self._is_read(low) or self._is_read(high):
                return "a choice in a range that was read"
            case _:
                pass
        return None

    def selects(self, apart: frozenset[int] = frozenset()) -> bool:
        """Whether some select depends on a read, on steps that do not begin at a point of `apart`."""
        edges = [edge for edge in self.thread.edges if edge.source not in apart]
        guards = (edge.guard for edge in edges)
        inside = (expr for edge in edges for item in edge.operations for expr in expressions_of(item))
        selections = (part for expr in (*guards, *inside) for part in _selections(expr))
        return any(
            self._is_read(selection.condition) and not _is_in_both(selection) for selection in selections
        )

    def _is_read(self, expr: Expr) -> bool:
        """Whether `expr` may depend on a value that was read."""
        return any(name in self._tainted_registers for name in registers_of(expr))

    @cached_property
    def _tainted_registers(self) -> frozenset[str]:
        """The registers that may hold a value that was read, or computed from one."""
        tainted: set[str] = set()
        while True:
            before = len(tainted)
            for place in self.places:
                names = registers_written(place.operation)
                inside = {name for e in expressions_of(place.operation) for name in registers_of(e)}
                if isinstance(place.operation, ops.Load | ops.Rmw | ops.StoreConditional) or inside & tainted:
                    tainted.update(names)
            if len(tainted) == before:
                return frozenset(tainted)

    def _follows(self, later: _Place, earlier: _Place) -> bool:
        """Whether `later` may be performed after `earlier` in the same run."""
        edges = self.thread.edges
        if edges[later.edge].source in self._reachable(edges[earlier.edge].target):
            return True
        return later.edge == earlier.edge and later.number > earlier.number

    def _reachable(self, point: int) -> frozenset[int]:
        found = self._reached_points.get(point)
        if found is None:
            seen, waiting = {point}, [point]
            while waiting:
                new = {edge.target for edge in self.thread.outgoing[waiting.pop()]} - seen
                seen |= new
                waiting += new
            found = self._reached_points[point] = frozenset(seen)
        return found

    @cached_property
    def _reached_points(self) -> dict[int, frozenset[int]]:
        return {}

    def _may_meet(self, a: _Place, b: _Place) -> bool:
        """Whether two accesses may be to one location."""
        ours, theirs = self._targets(a.operation), self._targets(b.operation)
        return ours is None or theirs is None or not ours.isdisjoint(theirs)

    def _targets(self, operation: ops.Operation) -> Words:
        match operation:
            case (
                ops.Load(address=a)
                | ops.Store(address=a)
                | ops.Rmw(address=a)
                | ops.StoreConditional(address=a)
            ):
                return self._words(a, self._registers)
            case _:
                return None

    @cached_property
    def _registers(self) -> Mapping[str, Words]:
        """The values that each register may hold at any time."""
        found: dict[str, Words] = {}
        for name, value in self.thread.registers:
            word = value if isinstance(value, int) else self.bases[value.name] + value.offset
            found[name] = frozenset({evaluate(Constant(word), {}, {})})
        while True:
            before = dict(found)
            for place in self.places:
                for name in registers_written(place.operation):
                    found[name] = _union_if_small(
                        found.get(name, _ZERO), self._result(place.operation, found)
                    )
            if found == before:
                return found

    def _result(self, operation: ops.Operation, registers: Mapping[str, Words]) -> Words:
        match operation:
            case ops.Set(value=value):
                return self._words(value, registers)
            case ops.StoreConditional():
                return frozenset({0, 1})
            case _:
                return None

    def _words(self, expr: Expr, registers: Mapping[str, Words]) -> Words:
        """The values that `expr` may have."""
        match expr:
            case Register(name=name):
                return registers.get(name, _ZERO)
            case Binary(op=BinaryOp.XOR, left=left, right=right) if left == right:
                return _ZERO
            case Binary(op=BinaryOp.AND, left=left, right=Constant(value=mask)) if 0 <= mask < _MOST_WORDS:
                known = self._words(left, registers)
                everything = range(mask + 1) if known is None else known
                return frozenset(word & mask for word in everything)
        parts = children(expr)
        choices = [self._words(part, registers) for part in parts]
        lists = [sorted(words) for words in choices if words is not None]
        if len(lists) < len(parts):
            return None
        names = [f"{index}" for index in range(len(parts))]
        whole = with_children(expr, tuple(Register(name) for name in names))
        found: set[int] = set()
        for words in product(*lists):
            found.add(evaluate(whole, dict(zip(names, words, strict=True)), self.bases))
            if len(found) > _MOST_WORDS:
                return None
        return frozenset(found)


_ZERO: Words = frozenset({0})


def _union_if_small(a: Words, b: Words) -> Words:
    if a is None or b is None or len(a | b) > _MOST_WORDS:
        return None
    return a | b


def _is_in_both(selection: Select) -> bool:
    """Whether the condition of a select occurs in both alternatives: then it is a dependency anyway."""
    return frozenset(registers_of(selection.condition)) <= _certain_registers(selection)


def _certain_registers(expr: Expr) -> frozenset[str]:
    """The registers that a value depends on whatever selects choose."""
    if isinstance(expr, Register):
        return frozenset({expr.name})
    if isinstance(expr, Select):
        return _certain_registers(expr.then) & _certain_registers(expr.otherwise)
    return frozenset[str]().union(*map(_certain_registers, children(expr)))


def _selections(expr: Expr) -> Iterator[Select]:
    if isinstance(expr, Select):
        yield expr
    for part in children(expr):
        yield from _selections(part)
