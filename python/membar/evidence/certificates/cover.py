"""Whether a set of cubes covers a cube: z3 finds no state of it outside all of them.

A cube covers states of another through a mapping of processes and events: its processes are processes there,
its pending reads are pending reads there, and the order that it requires of them holds there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product

from membar.evidence.certificates.demands import Bits, Demand, Demands, Owner, demands_of
from membar.evidence.certificates.generic import Future, embeddings
from membar.evidence.certificates.graph import Order, order
from membar.evidence.certificates.smt import Logic
from membar.evidence.certificates.step_processes import cube_renamed, universe_of
from membar.records import field, record
from membar.systems import terms as t
from membar.systems.events import Event, EventCube, EventKind
from membar.systems.mapping import literals_renamed, with_places
from membar.systems.system import ParameterizedSystem


@record(frozen=True)
class Covered:
    """A cube whose states are to be covered, with precomputed facts about it."""

    cube: EventCube
    universe: tuple[t.Process, ...]
    bits: Bits

    @cached_property
    def order(self) -> Order | None:
        """The closure of its order; None if it is cyclic, so that the cube is empty."""
        return order(len(self.cube.events), self.cube.before, self.cube.together)

    @cached_property
    def until(self) -> list[list[int]]:
        """For each event, the events before it or at its instant."""
        found = self.order
        numbers = range(len(self.cube.events))
        return [
            [
                one
                for one in numbers
                if found and (found.is_before(one, other) or found.is_together(one, other))
            ]
            for other in numbers
        ]

    @cached_property
    def _demands(self) -> dict[Owner, set[Demand]]:
        return demands_of(self.cube)

    @cached_property
    def _demanded_bits(self) -> dict[Owner, int]:
        return {owner: self.bits.bits_of(demands) for owner, demands in self._demands.items()}

    @cached_property
    def _excluded_bits(self) -> dict[Owner, int]:
        return {owner: self.bits.contradicted_bits(demands) for owner, demands in self._demands.items()}

    def refused_demands(self, owner: Owner, *, exactly: bool) -> int:
        """Demands that are not stated of cells, if `exactly`; else those that are contradicted.

        A shortcut: z3 would find out.
        """
        return ~self._demanded_bits.get(owner, 0) if exactly else self._excluded_bits.get(owner, 0)

    @cached_property
    def symbols(self) -> frozenset[tuple[EventKind, str]]:
        """The symbols that are read or written."""
        return symbols_of(self.cube.events)


@record(frozen=True)
class Cover:
    """The cubes of a proof."""

    system: ParameterizedSystem
    logic: Logic
    candidates: dict[Demands, list[Candidate]] = field(default_factory=dict)
    bits: Bits = field(default_factory=Bits)
    _numbers: dict[t.Literal, int] = field(default_factory=dict)

    def add(self, cube: EventCube) -> None:
        """Adds a cube."""
        candidate = Candidate(cube)
        self.candidates.setdefault(self._demands(candidate), []).append(candidate)

    def remove(self, cube: EventCube) -> None:
        """Removes a cube."""
        candidate = Candidate(cube)
        self.candidates[self._demands(candidate)].remove(candidate)

    def _demands(self, candidate: Candidate) -> Demands:
        found = demands_of(candidate.cube)
        return Demands(
            tuple(self.bits.assign_bits(found.get(parameter, ())) for parameter in candidate.cube.parameters),
            self.bits.assign_bits(found.get(None, ())),
            candidate.symbols,
        )

    def is_covered(self, cube: EventCube, *, after: EventCube | None = None) -> bool:
        """Whether every state of `cube` is in one of the cubes; the most likely one is `after`, a step later.

        Where one of them plainly says no more than `cube`, that is a claim, of which z3 is asked at the end.
        """
        if after is not None and _is_part(cube, after):
            self.logic.claim(cube.literals, after.literals)
            return True
        target = self._target(cube)
        if target.order is None:
            return True
        known = frozenset(map(self._number, cube.literals))
        for candidate, chosen, events in self._matches(target, exactly=True):
            instance, numbers = self._literals_of(candidate, chosen, events)
            if numbers <= known:
                self.logic.claim(cube.literals, instance)
                return True
        found: list[list[t.Conjunction]] = [[], [], []]
        for candidate, chosen, events in self._matches(target, exactly=False):
            instance, numbers = self._literals_of(candidate, chosen, events)
            unknown = len(numbers - known)
            found[max(min(unknown, len(found)), 1) - 1].append(instance)
        asked = self._question(cube, ())
        for stage in ([], *found):  # first without any, then with those that say least beyond the cube
            asked += [self.logic.negation(instance) for instance in stage]
            if self.logic.is_unsatisfiable(asked):
                return True
        return False

    def _number(self, literal: t.Literal) -> int:
        return self._numbers.setdefault(literal, len(self._numbers))

    def _matches(
        self, target: Covered, *, exactly: bool
    ) -> Iterator[tuple[Candidate, tuple[t.Process, ...], Mapping[int, int]]]:
        """Choices of processes and events of the target for those of each candidate."""
        refused = [(process, target.refused_demands(process, exactly=exactly)) for process in target.universe]
        of_variables, symbols = target.refused_demands(None, exactly=exactly), target.symbols
        for demands, alike in self.candidates.items():
            if demands.variables & of_variables or not demands.symbols <= symbols:
                continue
            for chosen in _renamings(demands, refused):
                for candidate in alike:
                    for events in _embeddings(candidate, target, chosen):
                        yield candidate, chosen, events

    def _literals_of(
        self, candidate: Candidate, chosen: tuple[t.Process, ...], events: Mapping[int, int]
    ) -> tuple[t.Conjunction, frozenset[int]]:
        """The literals of a candidate about processes and events, with their numbers."""
        key = (chosen, tuple(events.items()))
        if key not in candidate.said:
            names = dict(zip(candidate.cube.parameters, chosen, strict=True))
            literals = _with_events(literals_renamed(candidate.cube.literals, names), events)
            candidate.said[key] = (literals, frozenset(map(self._number, literals)))
        return candidate.said[key]

    def question(self, cube: EventCube) -> list[str]:
        """Satisfiable exactly if a state of `cube` is in none of the cubes."""
        target = self._target(cube)
        found = [self._literals_of(*match)[0] for match in self._matches(target, exactly=False)]
        return self._question(cube, found)

    def _target(self, cube: EventCube) -> Covered:
        return Covered(cube, universe_of(self.system, cube), self.bits)

    def _question(self, cube: EventCube, found: Sequence[t.Conjunction]) -> list[str]:
        known = [self.logic.all(cube.literals), self.logic.apart(cube.parameters)]
        return known + [self.logic.negation(instance) for instance in found]


@record(frozen=True)
class Candidate:
    """A cube of the proof, prepared for many look-ups.

    Attributes:
        cube: the cube.
        said: what it says of processes and events that it was asked about, with the numbers of the literals.
        events: its events, for processes that it was asked about.
    """

    cube: EventCube
    said: dict[
        tuple[tuple[t.Process, ...], tuple[tuple[int, int], ...]], tuple[t.Conjunction, frozenset[int]]
    ] = field(default_factory=dict, repr=False, compare=False)
    events: dict[tuple[t.Process, ...], tuple[Event, ...]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @cached_property
    def symbols(self) -> frozenset[tuple[EventKind, str]]:
        """The symbols that are read or written."""
        if isinstance(self.cube, Future):
            return symbols_of(self.cube.events)
        waiting = [self.cube.events[number] for number in self.waiting]
        return symbols_of((*waiting, *(self.cube.events[number] for number, _ in self.facts)))

    @cached_property
    def order(self) -> Order:
        """The closure of its order.

        Raises:
            ValueError: there is none; such a cube has no states, and no place in a proof.
        """
        found = order(len(self.cube.events), self.cube.before, self.cube.together)
        if found is None:
            raise ValueError("a cube whose events have no order")
        return found

    @cached_property
    def waiting(self) -> tuple[int, ...]:
        """The pending reads."""
        return tuple(
            number
            for number, event in enumerate(self.cube.events)
            if event.kind is EventKind.READ and event.locations
        )

    @cached_property
    def ordered_pending_reads(self) -> tuple[tuple[int, int], ...]:
        """The pending reads that are ordered."""
        pairs = product(self.waiting, self.waiting)
        return tuple(pair for pair in pairs if self.order.is_before(*pair))

    @cached_property
    def simultaneous_pending_reads(self) -> tuple[tuple[int, int], ...]:
        """The pending reads at one instant."""
        pairs = product(self.waiting, self.waiting)
        return tuple(pair for pair in pairs if self.order.is_together(*pair))

    def events_of(self, chosen: tuple[t.Process, ...]) -> tuple[Event, ...]:
        """Its events, for the chosen processes."""
        if chosen not in self.events:
            names = dict(zip(self.cube.parameters, chosen, strict=True))
            self.events[chosen] = cube_renamed(self.cube, names, parameters=()).events
        return self.events[chosen]

    @cached_property
    def facts(self) -> tuple[tuple[int, int], ...]:
        """The other events, each with a pending read that it is at or before.

        Nothing but earlier events is ever put before them, so all that they mean is: what comes before the
        event comes before that read. Each such fact may be known through another event.
        """
        found = {
            (event, read): (number, read)
            for number, event in enumerate(self.cube.events)
            if number not in self.waiting
            for read in self.waiting
            if self.order.is_before(number, read) or self.order.is_together(number, read)
        }
        return tuple(found.values())


def symbols_of(events: Sequence[Event]) -> frozenset[tuple[EventKind, str]]:
    """The symbols that are read and those that are written."""
    return frozenset((event.kind, place.symbol) for event in events for place in event.locations)


def _is_part(cube: EventCube, whole: EventCube) -> bool:
    """Whether a cube contains every literal of another, about the same processes and events."""
    if len(whole.literals) > len(cube.literals) or len(whole.events) > len(cube.events):
        return False
    if not set(whole.literals) <= set(cube.literals) or not set(whole.parameters) <= set(cube.parameters):
        return False
    if isinstance(whole, Future) and not (
        isinstance(cube, Future) and whole.sources <= cube.sources and whole.coherence <= cube.coherence
    ):
        return False
    return (
        whole.before <= cube.before
        and whole.together <= cube.together
        and all(old == new for old, new in zip(whole.events, cube.events, strict=False))
    )


def _renamings(wanted: Demands, refused: Sequence[tuple[t.Process, int]]) -> Iterator[tuple[t.Process, ...]]:
    """Injective choices of processes that contradict none of their demands."""
    columns = []
    for demands in wanted.processes:
        columns.append([process for process, refusal in refused if not demands & refusal])
        if not columns[-1]:
            return
    for chosen in product(*columns):
        if len(set(chosen)) == len(chosen):
            yield chosen


def _embeddings(
    candidate: Candidate, target: Covered, chosen: tuple[t.Process, ...]
) -> Iterator[Mapping[int, int]]:
    """Choices of events for pending ones, such that every order that the candidate requires holds."""
    if not candidate.cube.events:
        yield {}
        return
    found = target.order
    if found is None:
        return
    if isinstance(candidate.cube, Future):
        names = dict(zip(candidate.cube.parameters, chosen, strict=True))
        yield from embeddings(candidate.cube, target.cube, found, names)
        return
    events = candidate.events_of(chosen)
    partners: list[list[int]] = []
    for number in candidate.waiting:
        partners.append(
            [other for other, event in enumerate(target.cube.events) if _does(event, events[number])]
        )
        if not partners[-1]:
            return
    for choice in product(*partners):
        images = dict(zip(candidate.waiting, choice, strict=True))
        if _is_ordered(candidate, found, images) and all(
            any(_does(target.cube.events[other], events[fact]) for other in target.until[images[number]])
            for fact, number in candidate.facts
        ):
            yield images


def _is_ordered(candidate: Candidate, known: Order, images: Mapping[int, int]) -> bool:
    return all(
        known.is_before(images[one], images[other]) for one, other in candidate.ordered_pending_reads
    ) and all(
        known.is_together(images[one], images[other]) for one, other in candidate.simultaneous_pending_reads
    )


def _does(event: Event, wanted: Event) -> bool:
    """Whether an event does at least what is required.

    A wanted read of nothing only says what comes before it: earlier reads of its process, which are before
    every event of the process, and with a fence earlier writes, which are before writes and fences.
    """
    if wanted.process is not None and event.process != wanted.process:
        return False
    is_write = event.kind is EventKind.WRITE
    if wanted.kind is EventKind.READ:
        if wanted.fence and not event.fence and not (is_write and not wanted.locations):
            return False
        if not wanted.locations:
            return True
    return event.kind is wanted.kind and all(place in event.locations for place in wanted.locations)


def _with_events(literals: t.Conjunction, events: Mapping[int, int]) -> t.Conjunction:
    if not events:
        return literals

    def change(place: t.Place) -> t.Place:
        if isinstance(place, t.EventValue):
            return t.EventValue(events[place.event], place.symbol, place.indices)
        return place

    return tuple(
        t.Literal(with_places(one.left, change), one.comparison, with_places(one.right, change))
        for one in literals
    )
