"""Proofs that say too much: each is a proof with one cube that lacks some of its states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from membar.systems.events import EventCube


def tampered(cubes: Sequence[EventCube], number: int) -> Iterator[list[EventCube]]:
    """The proof with an order, a location or another process for the first event of a cube of two."""
    cube = cubes[number]
    first, second = cube.events
    other = next(one for one in cube.parameters if one != first.process)
    yield _with(cubes, number, replace(cube, before=cube.before | {(0, 1)}))
    wider = replace(first, locations=(*first.locations, *second.locations))
    yield _with(cubes, number, replace(cube, events=(wider, second)))
    yield _with(cubes, number, replace(cube, events=(replace(first, process=other), second)))


def without_a_literal(cubes: Sequence[EventCube]) -> Iterator[tuple[list[EventCube], EventCube]]:
    """The proof with one literal less, and the cube that lost it; for each literal of each cube."""
    for number, cube in enumerate(cubes):
        for position in range(len(cube.literals)):
            kept = cube.literals[:position] + cube.literals[position + 1 :]
            weaker = replace(cube, literals=kept)
            yield _with(cubes, number, weaker), weaker


def _with(cubes: Sequence[EventCube], number: int, cube: EventCube) -> list[EventCube]:
    return [*cubes[:number], cube, *cubes[number + 1 :]]
