"""Decodes the core's result into cubes of events over the system's own terms.

Of past events the core keeps only which pending reads they precede, per process and per location. Here each
such mark becomes an event again, without pending reads: a read of the process, a fence of the process, or a
write to the location by some process.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from membar.records import field, record
from membar.systems import terms as t
from membar.systems.events import Event, EventCube, EventKind, Location
from membar.systems.linear import linear
from membar.systems.system import ParameterizedSystem, Symbol

if TYPE_CHECKING:
    from membar import _core


def event_cube(system: ParameterizedSystem, cube: _core.Cube, *, fixed: bool) -> EventCube:
    """A cube of the core; `fixed`: its process n is the constant `#n`."""
    processes: tuple[t.Process, ...]
    if fixed:
        processes = tuple(t.ProcessConstant(number + 1) for number in range(cube.processes))
    else:
        processes = tuple(t.ProcessVariable(f"p{number + 1}") for number in range(cube.processes))
    return _Reader(system, processes).read(cube)


@record(slots=True)
class _Reader:
    """The names of processes, and the events read so far."""

    system: ParameterizedSystem
    processes: tuple[t.Process, ...]
    events: list[Event] = field(default_factory=list)
    before: set[tuple[int, int]] = field(default_factory=set)
    together: set[tuple[int, int]] = field(default_factory=set)
    # The event of a node and a reader, and the first event of a node.
    of_reader: dict[tuple[int, int], int] = field(default_factory=dict)
    of_node: list[int] = field(default_factory=list)

    def read(self, cube: _core.Cube) -> EventCube:
        self._read_events(cube.events)
        literals = [
            literal for place, values in cube.within for literal in self._value_is_one_of(place, values)
        ]
        literals += [
            t.Literal(self._term(one.left), t.Comparison(one.relation), self._term(one.right))
            for one in cube.comparisons
        ]
        literals += map(self._sum, cube.sums)
        return EventCube(
            parameters=tuple(one for one in self.processes if isinstance(one, t.ProcessVariable)),
            literals=tuple(literals),
            events=tuple(self.events),
            before=frozenset(self.before),
            together=frozenset(self.together),
        )

    def _read_events(self, events: _core.CubeEvents) -> None:
        for node, reads in enumerate(events.reads):
            self._read_node(node, reads)
        self.before |= {(self.of_node[first], self.of_node[then]) for first, then in events.order}
        for slot, after in events.program:
            own = {node for node, reader in self.of_reader if reader == slot}
            self._mark(
                Event(process=self.processes[slot], kind=EventKind.READ, locations=()), set(after) - own
            )
        for slot, after in events.flushed:
            process = self.processes[slot]
            self._mark(Event(process=process, kind=EventKind.READ, locations=(), fence=True), after)
        for place, after in events.stored:
            self._mark(Event(process=None, kind=EventKind.WRITE, locations=(self._location(place),)), after)

    def _read_node(self, node: int, reads: Sequence[_core.CubePlace]) -> None:
        for reader in sorted({place.reader for place in reads if place.reader is not None}):
            locations = tuple(self._location(place) for place in reads if place.reader == reader)
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

    def _indices(self, place: _core.CubePlace) -> tuple[t.Process, ...]:
        return tuple(self.processes[index] for index in place.index)

    def _location(self, place: _core.CubePlace) -> Location:
        return Location(self._symbol(place).name, self._indices(place))

    def _symbol(self, place: _core.CubePlace) -> Symbol:
        if place.symbol is None:
            raise TypeError("a process is not a variable")
        return self.system.symbols[place.symbol]

    def _place(self, place: _core.CubePlace) -> t.Place:
        name = self._symbol(place).name
        if place.node is None or place.reader is None:
            return t.Access(name, self._indices(place))
        return t.EventValue(self.of_reader[place.node, place.reader], name, self._indices(place))

    def _term(self, place: _core.CubePlace) -> t.Term:
        return self.processes[place.index[0]] if place.symbol is None else self._place(place)

    def _value_is_one_of(self, place: _core.CubePlace, values: int) -> list[t.Literal]:
        """That a place has one of the values, bit n for constructor n."""
        kind = self._symbol(place).type
        if not isinstance(kind, t.Enumeration):
            raise TypeError(f"{kind} has no constructors")
        names = kind.constructors
        allowed = [name for number, name in enumerate(names) if values >> number & 1]
        where = self._place(place)
        if len(allowed) == 1:
            return [t.Literal(where, t.Comparison.EQUAL, t.Constructor(kind, allowed[0]))]
        return [
            t.Literal(where, t.Comparison.DIFFERENT, t.Constructor(kind, name))
            for name in names
            if name not in allowed
        ]

    def _sum(self, one: _core.CubeSum) -> t.Literal:
        from fractions import Fraction  # most systems have no numbers

        kind = self._symbol(one.parts[0][1]).type
        if not isinstance(kind, t.Basic):
            raise TypeError(f"{kind} is not a type of numbers")
        terms = [(Fraction(factor), self._place(place)) for factor, place in one.parts]
        return t.Literal(
            linear(kind, Fraction(0), terms),
            t.Comparison(one.relation),
            t.Linear(kind, Fraction(-one.constant)),
        )
