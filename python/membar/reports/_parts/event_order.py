"""The order in which events of an execution are shown: time downwards, close to memory order.

Program order is always kept. Reads-from, coherence and from-read are added edge by edge as long as no
cycle arises. If all of them fit, the order is an interleaving that explains every value (the execution is
sequentially consistent); those that do not fit are what is strange about it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from membar.program.execution import Event, Execution
from membar.records import record
from membar.reports._parts import relations
from membar.reports._parts.event import units

Pair = tuple[int, int]


@record(frozen=True, slots=True, kw_only=True)
class Order:
    """Steps one after another, with the relations that contradict this order.

    Attributes:
        steps: events grouped by step, from first to last.
        broken_rf: (write, read) where the read stands before the write it sees.
        broken_co: (write, write) where the overwritten one stands after.
        broken_fr: (read, write) where the read stands after a write that it does not see.
    """

    steps: tuple[tuple[Event, ...], ...]
    broken_rf: tuple[Pair, ...]
    broken_co: tuple[Pair, ...]
    broken_fr: tuple[Pair, ...]

    @property
    def is_interleaving(self) -> bool:
        """Whether reading downwards explains every value."""
        return not (self.broken_rf or self.broken_co or self.broken_fr)


def order_of(execution: Execution) -> Order:
    """The order in which `execution` is told."""
    steps = units(execution)
    unit_of = {event.id: index for index, unit in enumerate(steps) for event in unit}
    graph = _Graph(len(steps))
    for pairs in (
        relations.immediate_po(execution),
        relations.reduction(relations.closure(execution.spawn_join)),
    ):
        for a, b in pairs:
            if a in unit_of and b in unit_of:
                graph.add(unit_of[a], unit_of[b])
    for pairs in (
        execution.rf,
        relations.immediate_co(execution),
        relations.immediate_fr(execution),
    ):
        for a, b in pairs:
            if a in unit_of and b in unit_of:
                graph.add(unit_of[a], unit_of[b])
    ranks = {
        unit: rank for rank, unit in enumerate(graph.topological_order(tuple(u[0].thread for u in steps)))
    }

    def backward(pair: Pair) -> bool:
        a, b = (unit_of.get(x) for x in pair)
        return a is not None and b is not None and ranks[a] > ranks[b]

    rank_of = {event: ranks[unit] for event, unit in unit_of.items()}
    return Order(
        steps=tuple(steps[unit] for unit in sorted(ranks, key=ranks.__getitem__)),
        broken_rf=tuple(sorted(filter(backward, execution.rf))),
        broken_co=tuple(sorted(_overwritten_later(execution, rank_of))),
        broken_fr=tuple(sorted(_seen_later(execution, rank_of))),
    )


def _overwritten_later(execution: Execution, rank_of: Mapping[int, int]) -> Iterator[Pair]:
    """Pairs of coherence whose second write stands first."""
    for chain in execution.co:
        first = _first_behind(chain, rank_of)
        for at, write in enumerate(chain):
            if first[at + 1] < rank_of.get(write, -1):
                yield from ((write, late) for late in chain[at + 1 :] if _stands_before(late, write, rank_of))


def _seen_later(execution: Execution, rank_of: Mapping[int, int]) -> Iterator[Pair]:
    """Reads, with the writes before them that overwrite what they see."""
    places = {write: (chain, at) for chain in execution.co for at, write in enumerate(chain)}
    firsts = {chain: _first_behind(chain, rank_of) for chain in execution.co}
    for write, read in execution.rf:
        if write not in places:
            continue
        chain, at = places[write]
        if firsts[chain][at + 1] < rank_of.get(read, -1):
            yield from ((read, late) for late in chain[at + 1 :] if _stands_before(late, read, rank_of))


def _first_behind(chain: Sequence[int], rank_of: Mapping[int, int]) -> list[int]:
    """The smallest rank of each place of a chain and what is behind it: mostly all of it is in order."""
    result = [len(rank_of)]
    for event in reversed(chain):
        result.append(min(result[-1], rank_of.get(event, len(rank_of))))
    return result[::-1]


def _stands_before(one: int, other: int, rank_of: Mapping[int, int]) -> bool:
    return one in rank_of and rank_of[one] < rank_of[other]


class _Graph:
    """A directed graph that stays acyclic: an edge that would close a cycle is not taken."""

    def __init__(self, size: int) -> None:
        self.after: list[set[int]] = [set() for _ in range(size)]

    def reaches(self, start: int, goal: int) -> bool:
        """Whether a path leads from `start` to `goal`."""
        seen, todo = {start}, [start]
        while todo:
            point = todo.pop()
            if point == goal:
                return True
            fresh = self.after[point] - seen
            seen |= fresh
            todo.extend(fresh)
        return False

    def add(self, start: int, end: int) -> None:
        """Takes the edge unless it is a loop or would close a cycle."""
        if end not in self.after[start] and start != end and not self.reaches(end, start):
            self.after[start].add(end)

    def topological_order(self, threads: tuple[int, ...]) -> list[int]:
        """A topological order that stays with a thread as long as it can."""
        waiting = [0] * len(self.after)
        for targets in self.after:
            for target in targets:
                waiting[target] += 1
        ready = {unit for unit, count in enumerate(waiting) if count == 0}
        result: list[int] = []
        current = -1
        while ready:
            unit = min(ready, key=lambda u: (threads[u] != current, u))
            ready.remove(unit)
            current = threads[unit]
            result.append(unit)
            for target in self.after[unit]:
                waiting[target] -= 1
                if waiting[target] == 0:
                    ready.add(target)
        return result
