"""Guesses for the generic analysis: parts of a future that no small instance reaches, perhaps provable.

A future contains much that does not matter, and a search from it may never end. Keeping only some of its
processes and pending reads gives a larger set of states; if these are unreachable too, one such cube
represents all its futures. A guess is first tested on all states of a few processes, and then proved by the
search itself: a guess from which an initial state is reached was wrong.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping
from itertools import combinations, permutations, product
from typing import TypeAlias

from membar.engines.instances.layout import Value
from membar.engines.instances.machine import InstanceMachine, State
from membar.engines.instances.search import machine
from membar.evidence.certificates.generic import Future
from membar.evidence.certificates.graph import order
from membar.evidence.certificates.preimage import is_choice
from membar.evidence.certificates.step_processes import cube_renamed
from membar.records import record
from membar.systems import terms as t
from membar.systems.events import Event, EventKind
from membar.systems.mapping import places, with_places
from membar.systems.system import ParameterizedSystem

_MOST_PROCESSES = 3
_MOST_READS = 2
_MOST_STATES = 6000
_LONGEST_BUFFER = 2
Binding: TypeAlias = Mapping[t.ProcessVariable, int]


def weaker(cube: Future) -> list[Future]:
    """Parts of a future that say less, the smallest first: some processes, their reads, and their registers.

    A read that is one step with a write is kept with it.
    """
    found: dict[Future, None] = {}
    waiting = [n for n, event in enumerate(cube.events) if event.kind is EventKind.READ and event.locations]
    for size in range(1, _MOST_PROCESSES + 1):
        for chosen in combinations(cube.parameters, size):
            own = [number for number in waiting if cube.events[number].process in chosen]
            for count in range(min(_MOST_READS, len(own)) + 1):
                for reads in combinations(own, count):
                    for registers in (False, True):
                        part = _part(cube, _with_partners(cube, reads), chosen, registers=registers)
                        if part is not None:
                            found[part] = None
    return sorted(found, key=lambda one: (len(one.parameters), len(one.literals) + len(one.events)))


def _with_partners(cube: Future, events: Collection[int]) -> list[int]:
    """The events, and those that are at one instant with them."""
    linked = [pair for pair in cube.together if set(pair) & set(events)]
    return sorted({*events, *(number for pair in linked for number in pair)})


def _part(
    cube: Future, events: Collection[int], processes: Collection[t.Process], *, registers: bool
) -> Future | None:
    """What a future says of some events and processes, renamed; None if that is nothing, or all."""
    numbers = {old: new for new, old in enumerate(events)}
    known = order(len(cube.events), cube.before, cube.together)
    literals = tuple(
        _renumber(literal, numbers)
        for literal in cube.literals
        if _is_about(literal, numbers, processes, registers=registers)
    )
    kept = tuple(cube.events[number] for number in events)
    named = _processes_in(literals, kept)
    is_all = len(literals) == len(cube.literals) and len(kept) == len(cube.events)
    if known is None or not literals or is_all or not named <= set(processes):
        return None
    parameters = tuple(one for one in cube.parameters if one in named)
    names = {old: t.ProcessVariable(f"g{number}") for number, old in enumerate(parameters)}
    pairs = [(one, other) for one in events for other in events]
    earlier = [(one, other) for one, other in pairs if one < other]
    found = cube_renamed(
        Future(
            parameters=parameters,
            literals=literals,
            events=kept,
            before=frozenset((numbers[a], numbers[b]) for a, b in pairs if known.is_before(a, b)),
            together=frozenset((numbers[a], numbers[b]) for a, b in earlier if known.is_together(a, b)),
            coherence=frozenset((numbers[a], numbers[b]) for a, b in pairs if (a, b) in cube.coherence),
        ),
        names,
        parameters=tuple(names.values()),
    )
    return found if isinstance(found, Future) else None


def _is_about(
    literal: t.Literal, numbers: Mapping[int, int], processes: Collection[t.Process], *, registers: bool
) -> bool:
    """Whether a literal speaks only of these events and processes (and of registers, if they are kept)."""
    sides = (literal.left, literal.right)
    if any(isinstance(side, t.ProcessVariable) and side not in processes for side in sides):
        return False
    return all(
        (place.event in numbers if isinstance(place, t.EventValue) else registers)
        and all(index in processes for index in place.indices)
        for place in places((literal,))
    )


def _renumber(literal: t.Literal, numbers: Mapping[int, int]) -> t.Literal:
    def change(place: t.Place) -> t.Place:
        if isinstance(place, t.EventValue):
            return t.EventValue(numbers[place.event], place.symbol, place.indices)
        return place

    return t.Literal(
        with_places(literal.left, change), literal.comparison, with_places(literal.right, change)
    )


def _processes_in(literals: t.Conjunction, events: Collection[Event]) -> set[t.Process]:
    """The processes that literals and events speak of."""
    found: set[t.Process] = {event.process for event in events if event.process is not None}
    found |= {index for event in events for place in event.locations for index in place.indices}
    found |= {index for place in places(literals) for index in place.indices}
    terms = [term for literal in literals for term in (literal.left, literal.right)]
    return found | {term for term in terms if isinstance(term, t.ProcessVariable)}


@record(frozen=True, slots=True)
class _View:
    """A state as futures see it: registers, and what reads of each weak cell may still find."""

    registers: tuple[Value | None, ...]
    readable: tuple[frozenset[Value], ...]


class Instances:
    """The states of a few processes: what they show is no guess worth making."""

    def __init__(self, system: ParameterizedSystem, most: int) -> None:
        sizes = range(2, most + 1) if system.size is None else (system.size,)
        machines = [machine(system, size, buffered=True) for size in sizes]
        self._views = [(one, list(dict.fromkeys(_views(one)))) for one in machines]

    def show(self, cube: Future) -> bool:
        """Whether some state has the registers of a future, and values for its reads. May say so wrongly."""
        if any(is_choice(place.symbol) for place in places(cube.literals)):
            return True
        reads = [place for place in dict.fromkeys(places(cube.literals)) if isinstance(place, t.EventValue)]
        plain = tuple(one for one in cube.literals if not any(place in reads for place in places((one,))))
        others = tuple(one for one in cube.literals if one not in plain)
        for instance, views in self._views:
            for numbers in permutations(instance.layout.numbers, len(cube.parameters)):
                binding = dict(zip(cube.parameters, numbers, strict=True))
                cells = [instance.cell(read.symbol, read.indices, binding) for read in reads]
                for view in views:
                    if not all(map(_BoundView(instance, binding, view, {}).holds, plain)):
                        continue
                    for values in product(*(view.readable[cell] for cell in cells)):
                        look = _BoundView(instance, binding, view, dict(zip(reads, values, strict=True)))
                        if all(map(look.holds, others)):
                            return True
        return False


def _views(instance: InstanceMachine) -> Iterator[_View]:
    """What is seen of the states with short buffers, as far as they are looked at."""
    first = dict.fromkeys(instance.initial())
    seen, waiting = set(first), deque(first)
    while waiting and len(seen) < _MOST_STATES:
        for move in instance.moves(waiting.popleft()):
            after = move.after
            if after not in seen and all(len(buffer) <= _LONGEST_BUFFER for buffer in after.buffers):
                seen.add(after)
                waiting.append(after)
    cells = instance.layout.cells
    for state in seen:
        pending = [pair for buffer in state.buffers for entry in buffer for pair in entry]
        known = zip(cells, state.memory, strict=True)
        registers = tuple(None if cell.symbol.weak else value for cell, value in known)
        yield _View(registers, _readable(state, pending))


def _readable(state: State, pending: Collection[tuple[int, Value]]) -> tuple[frozenset[Value], ...]:
    return tuple(
        frozenset((value, *(late for place, late in pending if place == cell)))
        for cell, value in enumerate(state.memory)
    )


@record(frozen=True, slots=True)
class _BoundView:
    """A view, with processes for names and values for reads."""

    instance: InstanceMachine
    binding: Binding
    view: _View
    seen: Mapping[t.Place, Value]

    def holds(self, literal: t.Literal) -> bool:
        """Whether a literal is true."""
        left, right = self._value(literal.left), self._value(literal.right)
        if literal.comparison is t.Comparison.EQUAL:
            return left == right
        if literal.comparison is t.Comparison.DIFFERENT:
            return left != right
        if left is None or right is None or isinstance(left, str) or isinstance(right, str):
            return True
        return left < right if literal.comparison is t.Comparison.LESS else left <= right

    def _value(self, term: t.Term) -> Value | None:
        match term:
            case t.EventValue():
                return self.seen[term]
            case t.Access(symbol=symbol, indices=indices):
                return self.view.registers[self.instance.cell(symbol, indices, self.binding)]
            case t.Constructor(name=name):
                return name
            case t.Linear(constant=constant, terms=terms):
                total = constant
                for factor, place in terms:
                    inner = self._value(place)
                    if inner is None or isinstance(inner, str):
                        return None
                    total += factor * inner
                return total
            case _:
                return self.instance.process(term, self.binding)
