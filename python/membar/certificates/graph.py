"""Orders of events: closures, cycles, and the classes of events at one instant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from membar.records import record

Pairs: TypeAlias = Iterable[tuple[int, int]]


@record(frozen=True, slots=True)
class Order:
    """Which events are before which, and which are at one instant; None where that is a contradiction."""

    instants: tuple[int, ...]
    before: frozenset[tuple[int, int]]

    def is_before(self, one: int, other: int) -> bool:
        """Whether event `one` is before event `other`."""
        return (self.instants[one], self.instants[other]) in self.before

    def is_together(self, one: int, other: int) -> bool:
        """Whether two events are at one instant."""
        return self.instants[one] == self.instants[other]


def order(events: int, before: Pairs, together: Pairs) -> Order | None:
    """The closure of an order of `events` events; None if it has a cycle."""
    instants = list(range(events))
    for one, other in together:
        old, new = instants[one], instants[other]
        instants = [new if instant == old else instant for instant in instants]
    closed = {(instants[one], instants[other]) for one, other in before}
    for middle in set(instants):
        into = [one for one, other in closed if other == middle]
        out = [other for one, other in closed if one == middle]
        closed |= {(one, other) for one in into for other in out}
    if any(one == other for one, other in closed):
        return None
    return Order(tuple(instants), frozenset(closed))
