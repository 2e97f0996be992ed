"""Proofs that say too much: each is a proof with one cube that lacks some of its states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from membar.systems.events import Event, EventCube, EventKind


def tampered(cubes: Sequence[EventCube]) -> Iterator[list[EventCube]]:
    """The proof with an order, a location, another process or a further event in each cube of two events."""
    for number, cube in enumerate(cubes):
        if len(cube.events) == 2:
            yield from _tampered(cubes, number)


def _tampered(cubes: Sequence[EventCube], number: int) -> Iterator[list[EventCube]]:
    cube = cubes[number]
    first, second = cube.events
    other = next(one for one in cube.parameters if one != first.process)
    yield _with(cubes, number, replace(cube, before=cube.before | {(0, 1)}))
    wider = replace(first, locations=(*first.locations, *second.locations))
    yield _with(cubes, number, replace(cube, events=(wider, second)))
    yield _with(cubes, number, replace(cube, events=(replace(first, process=other), second)))
    waited = {event.process for event in cube.events if event.fence}
    for process in set(cube.parameters) - waited:
        fact = Event(process=process, kind=EventKind.READ, locations=(), fence=True)
        yield _with(cubes, number, replace(cube, events=(*cube.events, fact), before=cube.before | {(2, 0)}))


def without_a_literal(cubes: Sequence[EventCube]) -> Iterator[tuple[list[EventCube], EventCube]]:
    """The proof with one literal less, and the cube that lost it; for each literal of each cube."""
    for number, cube in enumerate(cubes):
        for position in range(len(cube.literals)):
            kept = cube.literals[:position] + cube.literals[position + 1 :]
            weaker = replace(cube, literals=kept)
            yield _with(cubes, number, weaker), weaker


def _with(cubes: Sequence[EventCube], number: int, cube: EventCube) -> list[EventCube]:
    return [*cubes[:number], cube, *cubes[number + 1 :]]
