"""Orders of events: closures, cycles, and the classes of events at one instant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from membar.records import record

Pairs: TypeAlias = Iterable[tuple[int, int]]


@record(frozen=True, slots=True)
class Order:
    """The order of events, and which are at one instant.

    Attributes:
        instants: for each event, the event that stands for its instant.
        later: for each instant the set of those after it, as bits.
    """

    instants: tuple[int, ...]
    later: tuple[int, ...]

    def is_before(self, one: int, other: int) -> bool:
        """Whether event `one` is before event `other`."""
        return bool(self.later[self.instants[one]] >> self.instants[other] & 1)

    def is_together(self, one: int, other: int) -> bool:
        """Whether two events are at one instant."""
        return self.instants[one] == self.instants[other]


def order(events: int, before: Pairs, together: Pairs) -> Order | None:
    """The closure of an order of `events` events; None if it has a cycle."""
    instants = list(range(events))
    for one, other in together:
        old, new = instants[one], instants[other]
        instants = [new if instant == old else instant for instant in instants]
    later = [0] * events
    for one, other in before:
        later[instants[one]] |= 1 << instants[other]
    for middle in range(events):
        reached = later[middle]
        if reached:
            bit = 1 << middle
            later = [found | reached if found & bit else found for found in later]
    if any(found >> instant & 1 for instant, found in enumerate(later)):
        return None
    return Order(tuple(instants), tuple(later))
