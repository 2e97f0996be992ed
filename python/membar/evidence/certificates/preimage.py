"""Pre-images of cubes of events, straight from the definitions.

`pre` returns cubes for all states from which one step of a transition leads into a cube. For weak memory it
follows section 4 of Conchon, Declerck and Zaïdi, "Parameterized Model Checking on the TSO Weak Memory Model",
with its errata: a step's reads and writes become events before all events of the cube; the order in which
writes of a location reach memory is the order of steps (their Theorem 1); a pending read of the cube takes
the new write's value, or a value from before it. Every order that is added holds in all such futures, so a
cycle means that there are none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TypeVar

from membar.evidence.certificates.graph import order
from membar.evidence.certificates.relevance import Cell, Facts, Leaving, cell_of, leaving
from membar.evidence.certificates.step_processes import instances, participants, stage_of, universe_of
from membar.records import field, record, replace
from membar.systems import terms as t
from membar.systems.events import Event, EventCube, EventKind, Location
from membar.systems.mapping import (
    Renaming,
    literals_renamed,
    place_renamed,
    places,
    places_of,
    process_renamed,
    value_renamed,
    with_places,
)
from membar.systems.system import (
    AnyValue,
    Assign,
    Case,
    Cube,
    ParameterizedSystem,
    Transition,
    Update,
    Value,
)

# A value chosen by `?`: a variable of its own, `?0`, `?1`, …, which no declared symbol can be called.
CHOICE = "?"


@record(frozen=True, slots=True)
class Option:
    """One possible value of a cell: `value` where `conditions` hold; None where it does not change."""

    conditions: t.Conjunction
    value: Value | None


def roots(system: ParameterizedSystem, cube: Cube) -> Iterator[EventCube]:
    """A cube of states as cubes of events (several if the number of processes is fixed).

    What its processes see, they see at one instant, and whatever they have read was read before it.
    """
    readers: dict[t.Process, dict[Location, None]] = {}
    for place in places(cube.literals):
        if isinstance(place, t.Access) and place.reader is not None:
            readers.setdefault(place.reader, {})[Location(place.symbol, place.indices)] = None
    numbers = {reader: number for number, reader in enumerate(readers)}
    views = EventCube(
        parameters=cube.parameters,
        literals=as_events(cube.literals, numbers),
        events=tuple(
            Event(process=reader, kind=EventKind.READ, locations=tuple(found))
            for reader, found in readers.items()
        ),
        together=frozenset((0, number) for number in range(1, len(numbers))),
    )
    for ground in instances(system, views):
        others = [
            Event(process=process, kind=EventKind.READ, locations=())
            for process in universe_of(system, ground)
            if ground.events and process not in {event.process for event in ground.events}
        ]
        yield replace(
            ground,
            events=(*ground.events, *others),
            before=frozenset((len(ground.events) + number, 0) for number in range(len(others))),
        )


def pre(system: ParameterizedSystem, cube: EventCube, transition: Transition) -> Iterator[EventCube]:
    """Cubes that, with `cube` itself, are all states from which the transition leads into `cube`.

    Steps that change nothing of what `cube` says start in it, and are left out. Where the number of processes
    is fixed, `cube` must be grounded, and so are the results.
    """
    for step in steps(TransitionPreimage, system, cube, transition):
        yield from step.results()


S = TypeVar("S", bound="TransitionPreimage")


def steps(
    kind: type[S],
    system: ParameterizedSystem,
    cube: EventCube,
    transition: Transition,
    *,
    told: Facts | None = None,
    left: Leaving | None = None,
) -> Iterator[S]:
    """The transition, for each choice of processes that may lead into the cube by it.

    Whoever asks about many steps has what the cube says, and what the transition leaves, at hand.
    """
    told = told or Facts(cube)
    left = left or leaving(transition)
    if not told.allows(left):
        return

    def fits(parameter: t.ProcessVariable, process: t.Process) -> bool:
        return told.allows_of(left.of_parameters[parameter], process)

    for names, parameters in participants(system, cube, transition, fits):
        stage = stage_of(system, parameters)
        yield kind(system, cube, transition, names, parameters, stage, told, left)


class Backward:
    """Pre-images of many cubes of one system."""

    def __init__(self, system: ParameterizedSystem) -> None:
        self.system = system
        self._left = [(transition, leaving(transition)) for transition in system.transitions]

    def into(self, cube: EventCube) -> Iterator[tuple[Transition, EventCube]]:
        """The cubes before each transition, with the transition."""
        told = Facts(cube)
        for transition, left in self._left:
            for step in steps(TransitionPreimage, self.system, cube, transition, told=told, left=left):
                for before in step.results():
                    yield transition, before


@record(frozen=True)
class TransitionPreimage:
    """One transition by known processes into one cube."""

    system: ParameterizedSystem
    cube: EventCube
    transition: Transition
    names: Mapping[t.ProcessVariable, t.Process]
    parameters: tuple[t.ProcessVariable, ...]
    universe: tuple[t.Process, ...]
    told: Facts
    leaving: Leaving

    def results(self) -> Iterator[EventCube]:
        """The cubes before the step."""
        if not any(
            self.told.may_change_mentioned_cell(update, self.names) for update in self.transition.updates
        ):
            return
        if self._is_elsewhere():
            return
        for changed, conditions in self._registers():
            if not changed and not self._may_satisfy():
                continue
            choices = _Choices(self.cube)
            values = {place: choices.term(place.symbol, value) for place, value in changed.items()}
            kept = tuple(substitute(literal, values) for literal in self.cube.literals)
            known = drop_true_literals(
                (*literals_renamed(self.transition.guard, self.names), *conditions, *kept)
            )
            if known is None:  # most steps lead elsewhere: no need to look at their events
                continue
            for others in self._others():
                for written, further in self._writes():
                    yield from self._cubes_for(
                        (*known, *others, *further), written, choices, changed=bool(changed)
                    )

    def _is_elsewhere(self) -> bool:
        """Whether the cube contradicts the values that the step leaves in cells of several processes."""
        said = self.told.cells
        return any(
            said.get((symbol, tuple(process_renamed(index, self.names) for index in indices)), value) != value
            for (symbol, indices), value in self.leaving.cells
        )

    def _may_satisfy(self) -> bool:
        """Whether a pending read may take its value from the step."""
        return any(self.told.waits_for(update, self.names) for update in self.transition.updates)

    def _others(self) -> Iterator[t.Conjunction]:
        """One alternative of each universal guard for each process that is not a parameter."""
        others = [one for one in self.universe if one not in self.names.values()]
        columns = [
            [literals_renamed(body, {**self.names, each.variable: other}) for body in each.alternatives]
            for each in self.transition.universal
            for other in others
        ]
        for choice in product(*columns):
            yield tuple(literal for body in choice for literal in body)

    def _options(self, update: Update, cell: Cell) -> list[Option]:
        """How an update may set a cell; empty if it concerns other cells."""
        symbol, indices = cell
        if update.symbol != symbol:
            return []
        if isinstance(update, Assign):
            is_mine = cell_of(update, self.names) == cell
            return [Option((), value_renamed(update.value, self.names))] if is_mine else []
        names = {**self.names, **dict(zip(update.binders, indices, strict=True))}
        return list(_cases(update.cases, names))

    def _registers(self) -> Iterator[tuple[dict[t.Place, Value], t.Conjunction]]:
        """The earlier values of the cells in the cube, and under which conditions."""
        columns: list[list[tuple[t.Place, Option]]] = []
        for update in self.transition.updates:
            for place in self.told.accesses.get(update.symbol, ()):
                options = self._options(update, (place.symbol, place.indices))
                if options:
                    columns.append([(place, option) for option in options])
        for choice in product(*columns):
            changed = {place: option.value for place, option in choice if option.value is not None}
            yield changed, tuple(literal for _, option in choice for literal in option.conditions)

    def _writes(self) -> Iterator[tuple[dict[Location, Value], t.Conjunction]]:
        """The writes to weak memory, and under which conditions."""
        columns: list[list[tuple[Location, Option]]] = []
        for update in self.transition.updates:
            symbol = self.system.symbol[update.symbol]
            if not symbol.weak:
                continue
            cells: Iterator[tuple[t.Process, ...]] = product(self.universe, repeat=symbol.dimensions)
            for indices in cells:
                options = self._options(update, (symbol.name, indices))
                if options:
                    columns.append([(Location(symbol.name, indices), option) for option in options])
        for choice in product(*columns):
            written = {place: option.value for place, option in choice if option.value is not None}
            yield written, tuple(literal for _, option in choice for literal in option.conditions)

    def read_locations(self) -> tuple[Location, ...]:
        """Every weak location that the step reads."""
        others = [one for one in self.universe if one not in self.names.values()]
        found = [*_renamed_places(places(self.transition.guard), self.names)]
        for each in self.transition.universal:
            for other, body in product(others, each.alternatives):
                found += _renamed_places(places(body), {**self.names, each.variable: other})
        for update in self.transition.updates:
            if isinstance(update, Assign):
                found += _renamed_places(places_of(update.value), self.names)
                continue
            for indices in product(self.universe, repeat=len(update.binders)):
                inner = {**self.names, **dict(zip(update.binders, indices, strict=True))}
                for case in update.cases:
                    found += _renamed_places((*places(case.condition), *places_of(case.value)), inner)
        return tuple(
            dict.fromkeys(
                Location(place.symbol, place.indices)
                for place in found
                if self.system.symbol[place.symbol].weak
            )
        )

    def _cubes_for(
        self, literals: t.Conjunction, written: Mapping[Location, Value], choices: _Choices, *, changed: bool
    ) -> Iterator[EventCube]:
        """The cubes for one choice of everything but the sources of reads."""
        if self.transition.acting is None or not self.system.is_weak:
            yield from simplify(replace(self.cube, parameters=self.parameters, literals=literals))
            return
        actor = self.names[self.transition.acting]
        if not changed and not any((place.symbol, place.indices) in self.told.waiting for place in written):
            return
        writes = {place: choices.term(place.symbol, value) for place, value in written.items()}
        for found in self.with_events(literals, writes, actor):
            if changed or any(
                new.locations != old.locations
                for new, old in zip(found.events, self.cube.events, strict=False)
            ):
                yield found

    def with_events(
        self, literals: t.Conjunction, writes: Mapping[Location, t.Term], actor: t.Process
    ) -> Iterator[EventCube]:
        """The cubes with the step's own events before all others."""
        old = self.cube.events
        events, before, together = list(old), set(self.cube.before), set(self.cube.together)
        reads = self.read_locations()
        waits = self.transition.fence or self.transition.atomic
        reader, writer = None, None
        if reads or waits:
            reader = len(events)
            before |= {(reader, n) for n, event in enumerate(old) if _after_read(event, actor, reads)}
            events.append(Event(process=actor, kind=EventKind.READ, locations=reads, fence=waits))
        if writes:
            writer = len(events)
            before |= {(writer, n) for n, event in enumerate(old) if _after_write(event, actor, writes)}
            events.append(Event(process=actor, kind=EventKind.WRITE, locations=tuple(writes)))
            if self.transition.atomic and reader is not None:
                together.add((reader, writer))
        numbers = {} if reader is None else {actor: reader}
        plain = as_events(literals, numbers)
        sources = {place: event_term(term, numbers) for place, term in writes.items()}
        for found in self._sources(writer, actor, sources):
            yield from simplify(
                EventCube(
                    parameters=self.parameters,
                    literals=tuple(substitute(literal, found.values) for literal in plain),
                    events=tuple(
                        without(event, found.satisfied.get(number, ())) for number, event in enumerate(events)
                    ),
                    before=frozenset(before | found.before),
                    together=frozenset(together),
                )
            )

    def _sources(
        self, writer: int | None, actor: t.Process, written: Mapping[Location, t.Term]
    ) -> Iterator[_Sources]:
        """Which pending reads take the new values: all of the acting process, any of the others."""
        if writer is None:
            yield _Sources()
            return
        waiting = [
            (number, location)
            for number, event in enumerate(self.cube.events)
            if event.kind is EventKind.READ
            for location in event.locations
            if location in written
        ]
        own = {number for number, _ in waiting if self.cube.events[number].process == actor}
        for choice in product(*((True,) if number in own else (True, False) for number, _ in waiting)):
            found = _Sources()
            for (number, location), taken in zip(waiting, choice, strict=True):
                if taken:
                    value = t.EventValue(number, location.symbol, location.indices)
                    found.values[value] = written[location]
                    found.satisfied[number] = (*found.satisfied.get(number, ()), location)
                if number not in own:
                    found.before.add((writer, number) if taken else (number, writer))
            yield found


@record(slots=True)
class _Sources:
    """The sources of some pending reads, and the order that this implies."""

    values: dict[t.Place, t.Term] = field(default_factory=dict)
    satisfied: dict[int, tuple[Location, ...]] = field(default_factory=dict)
    before: set[tuple[int, int]] = field(default_factory=set)


class _Choices:
    """Gives each `?` its own variable, new to the cube."""

    def __init__(self, cube: EventCube) -> None:
        self._cube = cube
        self._next: int | None = None

    def term(self, symbol: str, value: Value) -> t.Term:
        """The value, or a new variable for `?`."""
        if not isinstance(value, AnyValue):
            return value
        number = self._first() if self._next is None else self._next
        self._next = number + 1
        return t.Access(f"{CHOICE}{number} {symbol}")

    def _first(self) -> int:
        """The first number that the cube does not use."""
        return 1 + max(
            (choice_of(place.symbol)[0] for place in places(self._cube.literals) if is_choice(place.symbol)),
            default=-1,
        )


def is_choice(symbol: str) -> bool:
    """Whether a symbol stands for a value chosen by `?`."""
    return symbol.startswith(CHOICE)


def choice_of(symbol: str) -> tuple[int, str]:
    """The number of a choice, and the symbol whose type it has."""
    number, name = symbol.removeprefix(CHOICE).split(" ")
    return int(number), name


def _cases(cases: Sequence[Case], names: Renaming) -> Iterator[Option]:
    """The ways to reach the first matching case."""
    unmatched: list[t.Conjunction] = [()]
    for case in cases:
        condition = literals_renamed(case.condition, names)
        for way in unmatched:
            found = drop_true_literals((*way, *condition))
            if found is not None:
                yield Option(found, value_renamed(case.value, names))
        ways = [drop_true_literals((*way, t.negation(literal))) for way in unmatched for literal in condition]
        unmatched = [way for way in ways if way is not None]
    for way in unmatched:
        yield Option(way, None)


def drop_true_literals(literals: t.Conjunction) -> t.Conjunction | None:
    """A conjunction without literals that are certainly true; None if one is certainly false."""
    kept: dict[t.Literal, None] = {}
    values: dict[t.Term, t.Term] = {}
    for literal in literals:
        left, right = literal.left, literal.right
        is_value = isinstance(right, t.Constructor)
        truth = None if is_value and isinstance(left, t.Access | t.EventValue) else _truth(literal)
        if truth is False:
            return None
        if truth is None:
            kept[literal] = None
            fixes = is_value and literal.comparison is t.Comparison.EQUAL
            if fixes and values.setdefault(left, right) != right:
                return None
    return tuple(kept)


def _truth(literal: t.Literal) -> bool | None:
    """Whether a literal about known processes or equal terms is true; None if it depends on the state."""
    left, right = literal.left, literal.right
    if left == right:
        return literal.comparison in {t.Comparison.EQUAL, t.Comparison.AT_MOST}
    known = isinstance(left, t.ProcessConstant) and isinstance(right, t.ProcessConstant)
    apart = known or (isinstance(left, t.ProcessVariable) and isinstance(right, t.ProcessVariable))
    apart = apart or (isinstance(left, t.Constructor) and isinstance(right, t.Constructor))
    if apart and literal.comparison in {t.Comparison.EQUAL, t.Comparison.DIFFERENT}:
        return literal.comparison is t.Comparison.DIFFERENT
    if isinstance(left, t.ProcessConstant) and isinstance(right, t.ProcessConstant):
        return left.number < right.number
    return None


def simplify(cube: EventCube) -> Iterator[EventCube]:
    """The cube without literals that are certainly true; nothing if it is certainly empty."""
    literals = drop_true_literals(cube.literals)
    if literals is not None and order(len(cube.events), cube.before, cube.together) is not None:
        yield replace(cube, literals=literals)


def _renamed_places(found: Sequence[t.Place], names: Renaming) -> list[t.Place]:
    return [place_renamed(place, names) for place in found]


def _after_read(event: Event, actor: t.Process, reads: Sequence[Location]) -> bool:
    """Whether an event is after a new read: of the same process, or a write of what it reads."""
    return event.process == actor or (
        event.kind is EventKind.WRITE and any(place in reads for place in event.locations)
    )


def _after_write(event: Event, actor: t.Process, writes: Mapping[Location, t.Term]) -> bool:
    """Whether an event is after a new write, whatever the sources of reads are."""
    if event.kind is EventKind.WRITE:
        return event.process == actor or any(place in writes for place in event.locations)
    return event.process == actor and event.fence


def without(event: Event, satisfied: tuple[Location, ...]) -> Event:
    """An event that no longer waits for some locations."""
    if not satisfied:
        return event
    return replace(event, locations=tuple(place for place in event.locations if place not in satisfied))


def substitute(literal: t.Literal, values: Mapping[t.Place, t.Term]) -> t.Literal:
    """A literal with places replaced by values."""
    if not values:
        return literal

    def change(place: t.Place) -> t.Term:
        return values.get(place, place)

    left, right = with_places(literal.left, change), with_places(literal.right, change)
    if left is literal.left and right is literal.right:
        return literal
    return t.Literal(left, literal.comparison, right)


def event_term(term: t.Term, numbers: Mapping[t.Process, int]) -> t.Term:
    """A term whose reads of weak memory are replaced by values of their events."""

    def change(place: t.Place) -> t.Term:
        if isinstance(place, t.Access) and place.reader is not None:
            return t.EventValue(numbers[place.reader], place.symbol, place.indices)
        return place

    return with_places(term, change)


def as_events(literals: t.Conjunction, numbers: Mapping[t.Process, int]) -> t.Conjunction:
    """Reads of weak memory as values of their events."""
    found: list[t.Literal] = []
    for one in literals:
        left, right = event_term(one.left, numbers), event_term(one.right, numbers)
        is_same = left is one.left and right is one.right
        found.append(one if is_same else t.Literal(left, one.comparison, right))
    return tuple(found)
