"""Constructors that cubes require, as bit sets: they distinguish most pairs of cubes at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from membar.records import field, record
from membar.systems.events import EventCube, EventKind
from membar.systems.terms import Access, Comparison, Constructor, Process

# A symbol, a constructor, and whether the cell is that, or is not.
Demand: TypeAlias = tuple[str, str, bool]
Owner: TypeAlias = "Process | None"


def demands_of(cube: EventCube) -> dict[Owner, set[Demand]]:
    """The constructors that a cube requires of the cells of each process, and (under None) of variables."""
    found: dict[Owner, set[Demand]] = {}
    for literal in cube.literals:
        left, right = literal.left, literal.right
        if not isinstance(left, Access) or not isinstance(right, Constructor) or len(left.indices) > 1:
            continue
        if literal.comparison in {Comparison.EQUAL, Comparison.DIFFERENT}:
            owner = left.indices[0] if left.indices else None
            is_equal = literal.comparison is Comparison.EQUAL
            found.setdefault(owner, set()).add((left.symbol, right.name, is_equal))
    return found


@record(frozen=True, slots=True)
class Demands:
    """The demands of a cube on each process's own cells and on variables, and the symbols of its events."""

    processes: tuple[int, ...]
    variables: int
    symbols: frozenset[tuple[EventKind, str]]


@record(frozen=True, slots=True)
class Bits:
    """A number for each demand, and for each symbol its demands."""

    numbers: dict[Demand, int] = field(default_factory=dict)
    of_symbol: dict[str, list[Demand]] = field(default_factory=dict)

    def assign_bits(self, demands: Iterable[Demand]) -> int:
        """The set of demands as bits; new ones get numbers."""
        for demand in demands:
            if demand not in self.numbers:
                self.numbers[demand] = len(self.numbers)
                self.of_symbol.setdefault(demand[0], []).append(demand)
        return self.bits_of(demands)

    def bits_of(self, demands: Iterable[Demand]) -> int:
        """The demands that have numbers, as bits."""
        found = 0
        for demand in demands:
            number = self.numbers.get(demand)
            if number is not None:
                found |= 1 << number
        return found

    def contradicted_bits(self, demands: Iterable[Demand]) -> int:
        """The demands that contradict these."""
        found = 0
        for symbol, name, is_equal in demands:
            if is_equal:
                for other in self.of_symbol.get(symbol, ()):
                    if (other[1] == name) is not other[2]:
                        found |= 1 << self.numbers[other]
        return found
