"""Whether a set of cubes covers a cube: z3 finds no state of it that is in none of them.

A cube covers states of another through a choice of processes and events: its processes are processes there,
its events are events there that do at least as much, in an order that is known there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import z3

from membar.certificates.graph import Order, order
from membar.certificates.smt import Logic
from membar.systems.events import Event, EventCube, EventKind, Location
from membar.systems.mapping import Renaming, literals_renamed, process_renamed, with_places
from membar.systems.system import ParameterizedSystem
from membar.systems.terms import (
    Access,
    Comparison,
    Conjunction,
    Constructor,
    EventValue,
    Literal,
    Place,
    Process,
    ProcessConstant,
    ProcessVariable,
)


@dataclass(frozen=True)
class Covered:
    """A cube whose states are to be covered, with what is known of it."""

    cube: EventCube
    universe: tuple[Process, ...]

    @cached_property
    def order(self) -> Order | None:
        """The closure of its order; None if there is none, so that the cube is empty."""
        return order(len(self.cube.events), self.cube.before, self.cube.together)

    @cached_property
    def literals(self) -> frozenset[Literal]:
        """What is said."""
        return frozenset(self.cube.literals)

    @cached_property
    def values(self) -> dict[tuple[str, tuple[Process, ...]], Constructor]:
        """The cells that certainly have a certain constructor as value (a shortcut: z3 would find out)."""
        return {
            (literal.left.symbol, literal.left.indices): literal.right
            for literal in self.cube.literals
            if literal.comparison is Comparison.EQUAL
            and isinstance(literal.left, Access)
            and isinstance(literal.right, Constructor)
        }

    @cached_property
    def symbols(self) -> frozenset[tuple[EventKind, str]]:
        """Which symbols are read or written."""
        return symbols_of(self.cube.events)


@dataclass(frozen=True)
class Cover:
    """The cubes of a proof."""

    system: ParameterizedSystem
    logic: Logic
    candidates: list[Candidate] = field(default_factory=list)

    def add(self, cube: EventCube) -> None:
        """One cube more."""
        self.candidates.append(Candidate(cube))

    def is_covered(self, cube: EventCube) -> bool:
        """Whether every state of `cube` is in one of the cubes."""
        target = self._target(cube)
        if target.order is None:
            return True
        found: list[Conjunction] = []
        for candidate in self.candidates:
            for instance in _instances(candidate, target):
                if all(literal in target.literals for literal in instance):
                    return True
                found.append(instance)
        return bool(self._question(cube, found).check() == z3.unsat)

    def question(self, cube: EventCube) -> z3.Solver:
        """Satisfiable exactly if a state of `cube` is in none of the cubes."""
        target = self._target(cube)
        found = [instance for candidate in self.candidates for instance in _instances(candidate, target)]
        return self._question(cube, found)

    def _target(self, cube: EventCube) -> Covered:
        universe: tuple[Process, ...] = cube.parameters
        if self.system.size is not None:
            universe = tuple(ProcessConstant(number) for number in range(1, self.system.size + 1))
        return Covered(cube, universe)

    def _question(self, cube: EventCube, found: Sequence[Conjunction]) -> z3.Solver:
        solver = z3.Solver(ctx=self.logic.context)
        solver.add(self.logic.all(cube.literals), self.logic.apart(cube.parameters))
        solver.add([z3.Not(self.logic.all(instance)) for instance in found])
        return solver


@dataclass(frozen=True)
class Candidate:
    """A cube of the proof, prepared for being looked up again and again."""

    cube: EventCube

    @cached_property
    def demands(self) -> tuple[tuple[Demand, ...], ...]:
        """What it says of constructors, by the last of its processes that a literal speaks of."""
        found: list[list[Demand]] = [[] for _ in range(len(self.cube.parameters) + 1)]
        position = {parameter: number for number, parameter in enumerate(self.cube.parameters)}
        for literal in self.cube.literals:
            left, right = literal.left, literal.right
            if not isinstance(left, Access) or not isinstance(right, Constructor):
                continue
            if literal.comparison in {Comparison.EQUAL, Comparison.DIFFERENT}:
                where = tuple(
                    position[index] if isinstance(index, ProcessVariable) else index for index in left.indices
                )
                last = max((number + 1 for number in where if isinstance(number, int)), default=0)
                found[last].append((left.symbol, where, right, literal.comparison is Comparison.EQUAL))
        return tuple(map(tuple, found))

    @cached_property
    def symbols(self) -> frozenset[tuple[EventKind, str]]:
        """Which symbols are read or written."""
        return symbols_of(self.cube.events)


# A symbol, its indices (the cube's processes by number), a constructor, and whether the cell is that.
Demand: TypeAlias = tuple[str, tuple[int | ProcessConstant, ...], Constructor, bool]


def symbols_of(events: Sequence[Event]) -> frozenset[tuple[EventKind, str]]:
    """Which symbols are read and which are written."""
    return frozenset((event.kind, place.symbol) for event in events for place in event.locations)


def _instances(candidate: Candidate, target: Covered) -> Iterator[Conjunction]:
    """What the candidate says, for each choice of processes and events of the target for its own."""
    cube = candidate.cube
    if len(cube.parameters) > len(target.universe) or not candidate.symbols <= target.symbols:
        return
    for chosen in _renamings(candidate, target, ()):
        names = dict(zip(cube.parameters, chosen, strict=True))
        literals = None
        for events in _embeddings(cube, target, names):
            if literals is None:
                literals = literals_renamed(cube.literals, names)
            yield _with_events(literals, events) if events else literals


def _renamings(
    candidate: Candidate, target: Covered, chosen: tuple[Process, ...]
) -> Iterator[tuple[Process, ...]]:
    """Injective choices of processes that nothing contradicts."""
    for symbol, where, wanted, equal in candidate.demands[len(chosen)]:
        indices = tuple(chosen[index] if isinstance(index, int) else index for index in where)
        known = target.values.get((symbol, indices))
        if known is not None and (known == wanted) is not equal:
            return
    if len(chosen) == len(candidate.cube.parameters):
        yield chosen
        return
    for process in target.universe:
        if process not in chosen:
            yield from _renamings(candidate, target, (*chosen, process))


def _embeddings(candidate: EventCube, target: Covered, names: Renaming) -> Iterator[tuple[int, ...]]:
    """Choices of events that do at least as much, in an order that is known; two may be one."""
    if not candidate.events:
        yield ()
        return
    found = target.order
    if found is None:
        return
    partners = [
        [number for number, other in enumerate(target.cube.events) if _does(other, event, names)]
        for event in candidate.events
    ]
    yield from _extended(candidate, found, partners, ())


def _extended(
    candidate: EventCube, known: Order, partners: Sequence[Sequence[int]], chosen: tuple[int, ...]
) -> Iterator[tuple[int, ...]]:
    if len(chosen) == len(candidate.events):
        yield chosen
        return
    for number in partners[len(chosen)]:
        further = (*chosen, number)
        if all(
            known.is_before(further[one], further[other])
            for one, other in candidate.before
            if max(one, other) == len(chosen)
        ) and all(
            known.is_together(further[one], further[other])
            for one, other in candidate.together
            if max(one, other) == len(chosen)
        ):
            yield from _extended(candidate, known, partners, further)


def _does(event: Event, wanted: Event, names: Renaming) -> bool:
    """Whether an event does at least what is wanted.

    A wanted read of nothing only says what comes before it: earlier reads of its process, which are before
    every event of the process, and with a fence earlier writes, which are before writes and fences.
    """
    if wanted.process is not None and event.process != process_renamed(wanted.process, names):
        return False
    is_write = event.kind is EventKind.WRITE
    if wanted.kind is EventKind.READ:
        if wanted.fence and not event.fence and not (is_write and not wanted.locations):
            return False
        if not wanted.locations:
            return True
    return event.kind is wanted.kind and all(
        Location(place.symbol, tuple(process_renamed(index, names) for index in place.indices))
        in event.locations
        for place in wanted.locations
    )


def _with_events(literals: Conjunction, events: tuple[int, ...]) -> Conjunction:
    def change(place: Place) -> Place:
        if isinstance(place, EventValue):
            return EventValue(events[place.event], place.symbol, place.indices)
        return place

    return tuple(
        Literal(with_places(one.left, change), one.comparison, with_places(one.right, change))
        for one in literals
    )
