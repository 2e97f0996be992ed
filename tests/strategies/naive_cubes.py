"""Backward reachability in a few lines: pre-images and covers of the certificates, repeated until closed.

Slow on purpose. It makes proofs that share nothing with the engine, and shows what a mistake in the pre-image
or in the cover does to verdicts.
"""

from __future__ import annotations

from dataclasses import replace

from membar.evidence.certificates.check import is_initial
from membar.evidence.certificates.cover import Cover
from membar.evidence.certificates.graph import Order, order
from membar.evidence.certificates.preimage import pre, roots
from membar.evidence.certificates.smt import Logic
from membar.systems.events import EventCube, EventKind
from membar.systems.mapping import with_places
from membar.systems.system import ParameterizedSystem
from membar.systems.terms import EventValue, Literal, Place


def search(
    system: ParameterizedSystem, *, nodes: int = 60, extra: tuple[EventCube, ...] = ()
) -> tuple[str, list[EventCube]]:
    """`safe` with the cubes that prove it, `unsafe`, or `limit` after that many cubes."""
    cubes: list[EventCube] = []
    cover = Cover(system, Logic(system))
    waiting = [one for cube in (*system.invariants, *system.unsafe) for one in roots(system, cube)]
    waiting += extra
    while waiting:
        cube = min(waiting, key=lambda one: (len(one.parameters), len(one.events)))
        waiting.remove(cube)
        if is_initial(system, cube, cover.logic):
            return "unsafe", cubes
        if cover.is_covered(cube):
            continue
        if len(cubes) == nodes:
            return "limit", cubes
        cubes.append(cube)
        cover.add(cube)
        waiting += [tidy(one) for transition in system.transitions for one in pre(system, cube, transition)]
    return "safe", cubes


def tidy(cube: EventCube) -> EventCube:
    """The cube without events that wait for nothing and are before nothing: they never close a cycle."""
    known = order(len(cube.events), cube.before, cube.together)
    if known is None:
        return cube
    kept = set(range(len(cube.events)))
    while useless := [number for number in kept if not _matters(cube, known, number, kept)]:
        kept -= set(useless[:1])
    return _restricted(cube, known, sorted(kept))


def _matters(cube: EventCube, known: Order, number: int, kept: set[int]) -> bool:
    event = cube.events[number]
    if event.kind is EventKind.READ and event.locations:
        return True
    return any(
        known.is_before(number, other) or known.is_together(number, other) for other in kept - {number}
    )


def _restricted(cube: EventCube, known: Order, kept: list[int]) -> EventCube:
    if len(kept) == len(cube.events):
        return cube
    numbers = {old: new for new, old in enumerate(kept)}

    def change(place: Place) -> Place:
        return replace(place, event=numbers[place.event]) if isinstance(place, EventValue) else place

    return EventCube(
        parameters=cube.parameters,
        literals=tuple(
            Literal(with_places(one.left, change), one.comparison, with_places(one.right, change))
            for one in cube.literals
        ),
        events=tuple(cube.events[number] for number in kept),
        before=frozenset((numbers[a], numbers[b]) for a in kept for b in kept if known.is_before(a, b)),
        together=frozenset(
            (numbers[a], numbers[b]) for a in kept for b in kept if a < b and known.is_together(a, b)
        ),
    )
