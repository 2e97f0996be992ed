"""Sets of events as bit masks, and relations as rows of bit masks.

A set is an `int` whose bit `i` says whether event `i` is in it. A relation is a list of such masks: bit `j`
of row `i` says whether the pair `(i, j)` is in it. Lists are never changed once they are built.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import and_, or_
from typing import Final, TypeAlias

from membar.limits import budget
from membar.program.pairs import Pairs, members

__all__ = ["members"]

Mask: TypeAlias = int
Rows: TypeAlias = list[int]
Pair: TypeAlias = tuple[int, int]
_MANY: Final = 256


def mask_of(events: Iterable[int]) -> Mask:
    """The set of these events."""
    mask = 0
    for event in events:
        mask |= 1 << event
    return mask


def rows_of(pairs: Iterable[Pair], size: int) -> Rows:
    """The relation of these pairs over `size` events."""
    if isinstance(pairs, Pairs):
        return [*pairs.rows, *([0] * (size - len(pairs.rows)))]
    rows = [0] * size
    for source, target in pairs:
        rows[source] |= 1 << target
    return rows


def pairs_of(rows: Rows) -> frozenset[Pair]:
    """The relation as a set of pairs."""
    return frozenset((source, target) for source, row in enumerate(rows) for target in members(row))


def chains(orders: Iterable[tuple[int, ...]], size: int) -> Rows:
    """The union of strict total orders, each given as a sequence."""
    rows = [0] * size
    for order in orders:
        later = 0
        for event in reversed(order):
            rows[event] = later
            later |= 1 << event
    return rows


def union(left: Rows, right: Rows) -> Rows:
    """Pairs of either."""
    if not any(left):  # as the relations of many fences and kinds are; here and below
        return right
    return list(map(or_, left, right))


def intersection(left: Rows, right: Rows) -> Rows:
    """Pairs of both."""
    if not any(left):
        return left
    return list(map(and_, left, right))


def difference(left: Rows, right: Rows) -> Rows:
    """Pairs of `left` that are not in `right`."""
    if not any(left):
        return left
    return [a & ~b for a, b in zip(left, right, strict=True)]


def complement(rows: Rows) -> Rows:
    """All pairs that are not in it."""
    universe = (1 << len(rows)) - 1
    return [universe & ~row for row in rows]


def sequence(left: Rows, right: Rows) -> Rows:
    """Pairs `(a, c)` with some `b` such that `left` has `(a, b)` and `right` has `(b, c)`."""
    if not any(left):
        return left
    if not any(right):
        return right
    if len(left) > _MANY:
        return _long_sequence(left, right)
    result = []
    for row in left:
        reached, rest = 0, row
        while rest:
            low = rest & -rest
            reached |= right[low.bit_length() - 1]
            rest ^= low
        result.append(reached)
    return result


def _long_sequence(left: Rows, right: Rows) -> Rows:
    """As `sequence`; what follows an event in its thread follows the event before it, and is taken over."""
    result = [0] * len(left)
    spend = budget.current().spend
    before, reached = 0, 0
    for event in range(len(left) - 1, -1, -1):
        row = left[event]
        if not row:
            continue
        spend()
        if before & ~row:
            before, reached = 0, 0
        for middle in members(row & ~before):
            reached |= right[middle]
        before = row
        result[event] = reached
    return result


def _last_first(rows: Rows) -> list[int] | None:
    """The events, each behind those that it leads to; None if there is a cycle."""
    new = (1 << len(rows)) - 1
    order: list[int] = []
    for start in range(len(rows)):
        if not new >> start & 1:
            continue
        path, on_path = [start], 1 << start
        new ^= 1 << start
        while path:
            row = rows[path[-1]]
            if row & on_path:
                return None
            following = row & new
            if following:
                low = following & -following
                path.append(low.bit_length() - 1)
                on_path |= low
                new ^= low
            else:
                on_path ^= 1 << path[-1]
                order.append(path.pop())
    return order


def _long_plus(rows: Rows, order: list[int]) -> Rows:
    """The closure of a relation without cycles: what an event leads to is closed before the event is."""
    result = [0] * len(rows)
    spend = budget.current().spend
    for event in order:
        spend()
        reached = rest = rows[event]
        while rest:
            low = rest & -rest
            beyond = result[low.bit_length() - 1]
            reached |= beyond
            rest &= ~(beyond | low)
        result[event] = reached
    return result


def inverse(rows: Rows) -> Rows:
    """The pairs reversed."""
    result = [0] * len(rows)
    bit = 1
    for row in rows:
        rest = row
        while rest:
            low = rest & -rest
            result[low.bit_length() - 1] |= bit
            rest ^= low
        bit <<= 1
    return result


def plus(rows: Rows) -> Rows:
    """Transitive closure (Warshall; for many events without a cycle, from the last to the first)."""
    if not any(rows):
        return rows
    if len(rows) > _MANY and (order := _last_first(rows)) is not None:
        return _long_plus(rows, order)
    result = list(rows)
    size = len(result)
    for middle in range(size):
        through = result[middle]
        if through:
            bit = 1 << middle
            for source in range(size):
                if result[source] & bit:
                    result[source] |= through
    return result


def optional(rows: Rows) -> Rows:
    """Reflexive closure."""
    return [row | 1 << event for event, row in enumerate(rows)]


def star(rows: Rows) -> Rows:
    """Reflexive and transitive closure."""
    return optional(plus(rows))


def identity(mask: Mask, size: int) -> Rows:
    """Each event of the set with itself."""
    return [mask & 1 << event for event in range(size)]


def product(left: Mask, right: Mask, size: int) -> Rows:
    """Every event of `left` with every event of `right`."""
    return [right if left >> event & 1 else 0 for event in range(size)]


def domain(rows: Rows) -> Mask:
    """Events that start a pair."""
    mask, bit = 0, 1
    for row in rows:
        if row:
            mask |= bit
        bit <<= 1
    return mask


def range_(rows: Rows) -> Mask:
    """Events that end a pair."""
    mask = 0
    for row in rows:
        mask |= row
    return mask


def restrict_domain(mask: Mask, rows: Rows) -> Rows:
    """`[mask] ; rows`."""
    if not any(rows):
        return rows
    return [row if mask >> event & 1 else 0 for event, row in enumerate(rows)]


def restrict_range(rows: Rows, mask: Mask) -> Rows:
    """`rows ; [mask]`."""
    if not any(rows):
        return rows
    return [row & mask for row in rows]


def is_irreflexive(rows: Rows) -> bool:
    """Whether no event is related to itself."""
    return not any(row >> event & 1 for event, row in enumerate(rows))


def is_acyclic(rows: Rows) -> bool:
    """Whether no path leads back to where it started.

    Peels off events without a way on. Going downwards takes a whole program-order chain in one round.
    """
    if not any(rows):
        return True
    alive = (1 << len(rows)) - 1
    downwards = range(len(rows) - 1, -1, -1)
    while alive:
        before = alive
        for event in downwards:
            if alive >> event & 1 and not rows[event] & alive:
                alive ^= 1 << event
        if alive == before:
            return False
    return True


def shortest_path(rows: Rows, source: int, target: int) -> tuple[int, ...] | None:
    """A shortest path of at least one edge from `source` to `target`, both included, if any."""
    came_from: dict[int, int] = {}
    frontier = [source]
    while frontier:
        reached: list[int] = []
        for event in frontier:
            for successor in members(rows[event]):
                if successor not in came_from:
                    came_from[successor] = event
                    reached.append(successor)
        if target in came_from:
            path = [target]
            while True:
                path.append(came_from[path[-1]])
                if path[-1] == source:
                    return tuple(reversed(path))
        frontier = reached
    return None


def shortest_cycle(rows: Rows) -> tuple[int, ...] | None:
    """A shortest cycle, first event repeated at the end; None if the relation is acyclic."""
    best: tuple[int, ...] | None = None
    for event in range(len(rows)):
        cycle = shortest_path(rows, event, event)
        if cycle is not None and (best is None or len(cycle) < len(best)):
            best = cycle
    return best
