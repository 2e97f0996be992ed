"""Decodes the core's result into cubes of events over the system's own terms.

Of past events the core keeps only which pending reads they precede, per process and per location. Here each
such mark becomes an event again, which waits for nothing: a read of the process, a fence of the process, or
a write to the location by some process.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias

from membar.records import field, record
from membar.systems.events import Event, EventCube, EventKind, Location
from membar.systems.linear import linear
from membar.systems.system import ParameterizedSystem
from membar.systems.terms import (
    Access,
    Basic,
    Comparison,
    Constructor,
    Enumeration,
    EventValue,
    Linear,
    Literal,
    Place,
    Process,
    ProcessConstant,
    ProcessVariable,
    Term,
)

# Symbol (-1 for a process), node (-1 for a cell), reader (-1 for none), indices or the process.
CorePlace: TypeAlias = tuple[int, int, int, list[int]]
CoreEvents: TypeAlias = tuple[
    list[list[CorePlace]],
    list[tuple[int, int]],
    list[tuple[int, list[int]]],
    list[tuple[int, list[int]]],
    list[tuple[CorePlace, list[int]]],
]
CoreCube: TypeAlias = tuple[
    int,
    list[tuple[CorePlace, int]],
    list[tuple[str, CorePlace, CorePlace]],
    list[tuple[str, list[tuple[int, CorePlace]], int]],
    CoreEvents,
]


def event_cube(system: ParameterizedSystem, cube: CoreCube, *, fixed: bool) -> EventCube:
    """A cube of the core; `fixed`: its process n is the constant `#n`."""
    slots = cube[0]
    processes: tuple[Process, ...]
    if fixed:
        processes = tuple(ProcessConstant(number + 1) for number in range(slots))
    else:
        processes = tuple(ProcessVariable(f"p{number + 1}") for number in range(slots))
    return _Reader(system, processes).read(cube)


@record(slots=True)
class _Reader:
    """The names of processes, and the events read so far."""

    system: ParameterizedSystem
    processes: tuple[Process, ...]
    events: list[Event] = field(default_factory=list)
    before: set[tuple[int, int]] = field(default_factory=set)
    together: set[tuple[int, int]] = field(default_factory=set)
    # The event of a node and a reader, and the first event of a node.
    of_reader: dict[tuple[int, int], int] = field(default_factory=dict)
    of_node: list[int] = field(default_factory=list)

    def read(self, cube: CoreCube) -> EventCube:
        _, within, comparisons, sums, events = cube
        self._read_events(events)
        literals = [literal for place, values in within for literal in self._among(place, values)]
        literals += [
            Literal(self._term(left), Comparison(sign), self._term(right))
            for sign, left, right in comparisons
        ]
        literals += [self._sum(sign, parts, constant) for sign, parts, constant in sums]
        return EventCube(
            parameters=tuple(one for one in self.processes if isinstance(one, ProcessVariable)),
            literals=tuple(literals),
            events=tuple(self.events),
            before=frozenset(self.before),
            together=frozenset(self.together),
        )

    def _read_events(self, events: CoreEvents) -> None:
        nodes, order, program, flushed, stored = events
        for node, reads in enumerate(nodes):
            self._read_node(node, reads)
        self.before |= {(self.of_node[first], self.of_node[then]) for first, then in order}
        for slot, after in program:
            own = {node for node, reader in self.of_reader if reader == slot}
            self._mark(
                Event(process=self.processes[slot], kind=EventKind.READ, locations=()), set(after) - own
            )
        for slot, after in flushed:
            process = self.processes[slot]
            self._mark(Event(process=process, kind=EventKind.READ, locations=(), fence=True), after)
        for place, after in stored:
            self._mark(Event(process=None, kind=EventKind.WRITE, locations=(self._location(place),)), after)

    def _read_node(self, node: int, reads: Sequence[CorePlace]) -> None:
        for reader in sorted({place[2] for place in reads}):
            locations = tuple(self._location(place) for place in reads if place[2] == reader)
            number = len(self.events)
            self.events.append(
                Event(process=self.processes[reader], kind=EventKind.READ, locations=locations)
            )
            self.of_reader[node, reader] = number
            if len(self.of_node) == node:
                self.of_node.append(number)
            else:
                self.together.add((self.of_node[node], number))

    def _mark(self, event: Event, nodes: Iterable[int]) -> None:
        """What is before the event is before each of the nodes: one event for each of them."""
        for node in sorted(nodes):
            self.before.add((len(self.events), self.of_node[node]))
            self.events.append(event)

    def _indices(self, place: CorePlace) -> tuple[Process, ...]:
        return tuple(self.processes[index] for index in place[3])

    def _location(self, place: CorePlace) -> Location:
        return Location(self.system.symbols[place[0]].name, self._indices(place))

    def _place(self, place: CorePlace) -> Place:
        symbol, node, reader, _ = place
        name = self.system.symbols[symbol].name
        if node < 0:
            return Access(name, self._indices(place))
        return EventValue(self.of_reader[node, reader], name, self._indices(place))

    def _term(self, place: CorePlace) -> Term:
        return self.processes[place[3][0]] if place[0] < 0 else self._place(place)

    def _among(self, place: CorePlace, values: int) -> list[Literal]:
        """That a place has one of the values, bit n for constructor n."""
        kind = self.system.symbols[place[0]].type
        if not isinstance(kind, Enumeration):
            raise TypeError(f"{kind} has no constructors")
        names = kind.constructors
        allowed = [name for number, name in enumerate(names) if values >> number & 1]
        where = self._place(place)
        if len(allowed) == 1:
            return [Literal(where, Comparison.EQUAL, Constructor(kind, allowed[0]))]
        return [
            Literal(where, Comparison.DIFFERENT, Constructor(kind, name))
            for name in names
            if name not in allowed
        ]

    def _sum(self, sign: str, parts: Sequence[tuple[int, CorePlace]], constant: int) -> Literal:
        kind = self.system.symbols[parts[0][1][0]].type
        if not isinstance(kind, Basic):
            raise TypeError(f"{kind} is no type of numbers")
        terms = [(Fraction(factor), self._place(place)) for factor, place in parts]
        return Literal(linear(kind, Fraction(0), terms), Comparison(sign), Linear(kind, Fraction(-constant)))
