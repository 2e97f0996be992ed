"""Futures of weak memory without the reduction: section 3 of Conchon, Declerck and Zaïdi, corrected.

Here writes of a location may reach memory in any order, whatever the order of the steps (`coherence`), and a
read may take its value from any earlier write (`sources`). A read comes before every write that reaches
memory after its source; that is known only once the source is. Slow, and meant for comparison: whatever the
reduction of section 4 proves or refutes must be proved or refuted here too, and a proof of this kind relies
on no theorem about schedules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from membar.evidence.certificates.graph import Order, order
from membar.evidence.certificates.preimage import (
    TransitionPreimage,
    as_events,
    event_term,
    simplify,
    steps,
    substitute,
    without,
)
from membar.records import field, field_names, record, replace
from membar.systems.events import Event, EventCube, EventKind, Location
from membar.systems.mapping import Renaming, process_renamed
from membar.systems.system import ParameterizedSystem, Transition
from membar.systems.terms import Conjunction, EventValue, Place, Process, Term


@record(frozen=True, slots=True, kw_only=True)
class Future(EventCube):
    """A cube of events in which all writes of a location are ordered. A later number is an earlier step.

    Attributes:
        sources: reads that have found their source: the read, the location, the write.
        coherence: pairs of writes with a location in common: the first reaches memory first.
    """

    sources: frozenset[tuple[int, Location, int]] = frozenset()
    coherence: frozenset[tuple[int, int]] = frozenset()


def future(cube: EventCube) -> Future:
    """A cube of events without writes."""
    return Future(**{name: getattr(cube, name) for name in field_names(cube)})


def pre(system: ParameterizedSystem, cube: Future, transition: Transition) -> Iterator[EventCube]:
    """Futures that together are all from which the transition leads into `cube`."""
    for step in future_steps(system, cube, transition):
        yield from step.results()


def into(system: ParameterizedSystem, cube: Future) -> Iterator[tuple[Transition, EventCube]]:
    """The futures before each transition, with the transition."""
    for transition in system.transitions:
        for before in pre(system, cube, transition):
            yield transition, before


def future_steps(system: ParameterizedSystem, cube: Future, transition: Transition) -> Iterator[GenericStep]:
    """The transition, for each choice of processes."""
    return steps(GenericStep, system, cube, transition)


@record(slots=True)
class _Links:
    """Consequences of a new write for old events; not `possible` if a process would miss its writes."""

    values: dict[Place, Term] = field(default_factory=dict)
    satisfied: dict[int, tuple[Location, ...]] = field(default_factory=dict)
    sources: set[tuple[int, Location, int]] = field(default_factory=set)
    coherence: set[tuple[int, int]] = field(default_factory=set)
    before: set[tuple[int, int]] = field(default_factory=set)
    possible: bool = True


class GenericStep(TransitionPreimage):
    """One transition by known processes into one future."""

    def with_events(
        self, literals: Conjunction, writes: Mapping[Location, Term], actor: Process
    ) -> Iterator[EventCube]:
        """The futures with the step's own events before all others of its process."""
        old = self.future
        events, before, together = list(old.events), set(old.before), set(old.together)
        reads = self.read_locations()
        waits = self.transition.fence or self.transition.atomic
        reader, writer = None, None
        if writes:
            writer = len(events)
            before |= {(writer, n) for n, event in enumerate(old.events) if _stays_after(event, actor)}
            events.append(Event(process=actor, kind=EventKind.WRITE, locations=tuple(writes)))
        if reads or waits:
            reader = len(events)
            before |= {(reader, n) for n, event in enumerate(old.events) if event.process == actor}
            events.append(Event(process=actor, kind=EventKind.READ, locations=reads, fence=waits))
            if writer is not None:
                (together if self.transition.atomic else before).add((reader, writer))
        numbers = {} if reader is None else {actor: reader}
        plain = as_events(literals, numbers)
        values = {place: event_term(term, numbers) for place, term in writes.items()}
        for found in self._links(writer, actor, values):
            yield from simplify(
                Future(
                    parameters=self.parameters,
                    literals=tuple(substitute(literal, found.values) for literal in plain),
                    events=tuple(
                        without(event, found.satisfied.get(number, ())) for number, event in enumerate(events)
                    ),
                    before=frozenset(before | found.before),
                    together=frozenset(together),
                    sources=old.sources | found.sources,
                    coherence=old.coherence | found.coherence,
                )
            )

    @property
    def future(self) -> Future:
        """The future after the step."""
        return self.cube if isinstance(self.cube, Future) else future(self.cube)

    def _links(self, writer: int | None, actor: Process, values: Mapping[Location, Term]) -> Iterator[_Links]:
        """Every order in memory, and every choice of reads that take the new value."""
        if writer is None:
            yield _Links()
            return
        old = self.future
        rivals = [n for n, event in enumerate(old.events) if _writes_one_of(event, values)]
        waiting = [
            (number, location)
            for number, event in enumerate(old.events)
            if event.kind is EventKind.READ
            for location in event.locations
            if location in values
        ]
        orders = product(
            *((False,) if old.events[rival].process == actor else (False, True) for rival in rivals)
        )
        for late in orders:
            for taken in product((True, False), repeat=len(waiting)):
                found = _Links()
                for rival, is_late in zip(rivals, late, strict=True):
                    found.coherence.add((rival, writer) if is_late else (writer, rival))
                found.before |= found.coherence
                self._order_overtaken_reads(found, writer, actor, values)
                for (number, location), takes in zip(waiting, taken, strict=True):
                    if takes:
                        self._satisfy_read(found, writer, number, location, values[location])
                if found.possible:
                    yield found

    def _order_overtaken_reads(
        self, found: _Links, writer: int, actor: Process, values: Mapping[Location, Term]
    ) -> None:
        """Reads whose source reaches memory before the new write come before it."""
        for read, location, source in self.future.sources:
            if location in values and (source, writer) in found.coherence:
                found.before.add((read, writer))
                found.possible &= self.future.events[read].process != actor

    def _satisfy_read(self, found: _Links, writer: int, read: int, location: Location, value: Term) -> None:
        """Lets a pending read take the new value, so that it comes before what reaches memory later."""
        events = self.future.events
        found.values[EventValue(read, location.symbol, location.indices)] = value
        found.satisfied[read] = (*found.satisfied.get(read, ()), location)
        found.sources.add((read, location, writer))
        if events[read].process != self.actor:
            found.before.add((writer, read))
        later = [
            other
            for other, event in enumerate(events)
            if location in event.locations and (writer, other) in found.coherence
        ]
        edges = _read_before(self.future, read, later)
        found.possible &= edges is not None
        found.before |= edges or set()

    @property
    def actor(self) -> Process | None:
        """The process that accesses weak memory."""
        acting = self.transition.acting
        return None if acting is None else self.names[acting]


def _stays_after(event: Event, actor: Process) -> bool:
    """Whether an event comes after an earlier write of the process in memory too."""
    return event.process == actor and (event.kind is EventKind.WRITE or event.fence)


def _writes_one_of(event: Event, locations: Mapping[Location, Term]) -> bool:
    return event.kind is EventKind.WRITE and any(place in locations for place in event.locations)


def _read_before(cube: Future, read: int, writes: Sequence[int]) -> set[tuple[int, int]] | None:
    """Orders a read before writes; None if one of them is an earlier one of its own process.

    The write of the same atomic step is at the same instant.
    """
    known = order(len(cube.events), (), cube.together)
    process = cube.events[read].process
    found = set()
    for write in writes:
        if known is not None and known.is_together(read, write):
            continue
        if cube.events[write].process == process and write > read:
            return None
        found.add((read, write))
    return found


def settle(cube: Future) -> Future | None:
    """The future if all pending reads return initial values; None if that is impossible."""
    before = set(cube.before)
    for read, event in enumerate(cube.events):
        for location in event.locations if event.kind is EventKind.READ else ():
            writes = [
                number
                for number, other in enumerate(cube.events)
                if other.kind is EventKind.WRITE and location in other.locations
            ]
            edges = _read_before(cube, read, writes)
            if edges is None:
                return None
            before |= edges
    if order(len(cube.events), before, cube.together) is None:
        return None
    return replace(cube, before=frozenset(before))


def embeddings(cube: Future, target: EventCube, known: Order, names: Renaming) -> Iterator[dict[int, int]]:
    """Choices of events of `target` for all of `cube` that preserve everything that it requires of them."""
    if isinstance(target, Future):
        yield from _Embedding(cube, target, known, names).extensions({})


@record(frozen=True)
class _Embedding:
    """A search for the events of one future in another one."""

    cube: Future
    target: Future
    known: Order
    names: Renaming

    def extensions(self, chosen: dict[int, int]) -> Iterator[dict[int, int]]:
        """The ways to choose the remaining events."""
        number = len(chosen)
        if number == len(self.cube.events):
            if self._keeps_sources(chosen):
                yield chosen
            return
        for other in range(len(self.target.events)):
            if self._is_like(number, other) and all(
                self._is_kept(one, chosen[one], number, other) for one in chosen
            ):
                yield from self.extensions({**chosen, number: other})

    def _is_like(self, number: int, other: int) -> bool:
        wanted, event = self.cube.events[number], self.target.events[other]
        return (
            wanted.kind is event.kind
            and wanted.process is not None
            and process_renamed(wanted.process, self.names) == event.process
            and (event.fence or not wanted.fence)
            and all(self._place(place) in event.locations for place in wanted.locations)
        )

    def _place(self, place: Location) -> Location:
        return Location(place.symbol, tuple(process_renamed(one, self.names) for one in place.indices))

    def _is_kept(self, one: int, image: int, other: int, chosen: int) -> bool:
        """Whether everything required of two events holds for their images; `one` is the later step."""
        cube, target, known = self.cube, self.target, self.known
        if cube.events[one].process == cube.events[other].process and not image < chosen:
            return False
        pairs = (((one, other), (image, chosen)), ((other, one), (chosen, image)))
        return all(
            (pair not in cube.before or known.is_before(*there))
            and (pair not in cube.together or known.is_together(*there))
            and (pair not in cube.coherence or there in target.coherence)
            for pair, there in pairs
        )

    def _keeps_sources(self, chosen: Mapping[int, int]) -> bool:
        return all(
            (chosen[read], self._place(location), chosen[write]) in self.target.sources
            for read, location, write in self.cube.sources
        )
