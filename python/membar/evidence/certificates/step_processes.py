"""The processes of a cube and a step: those of the cube, further ones, or a fixed number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations

from membar.records import replace
from membar.systems.events import EventCube, Location
from membar.systems.mapping import Renaming, literals_renamed, process_renamed
from membar.systems.system import ParameterizedSystem, Transition
from membar.systems.terms import Process, ProcessConstant, ProcessVariable


def instances(system: ParameterizedSystem, cube: EventCube) -> Iterator[EventCube]:
    """The cube itself or, if the number of processes is fixed, the cube for each choice of them."""
    if system.size is None:
        yield cube
        return
    constants = [ProcessConstant(number) for number in range(1, system.size + 1)]
    for chosen in permutations(constants, len(cube.parameters)):
        yield cube_renamed(cube, dict(zip(cube.parameters, chosen, strict=True)), parameters=())


def universe_of(system: ParameterizedSystem, cube: EventCube) -> tuple[Process, ...]:
    """The processes that a cube is about: all, if their number is fixed; else its own, or one if it has none.

    There is always at least one process.
    """
    if system.size is not None:
        return tuple(ProcessConstant(number) for number in range(1, system.size + 1))
    return cube.parameters or (ProcessVariable("someone"),)


def cube_renamed(cube: EventCube, names: Renaming, *, parameters: tuple[ProcessVariable, ...]) -> EventCube:
    """The cube with other processes."""
    return replace(
        cube,
        parameters=parameters,
        literals=literals_renamed(cube.literals, names),
        events=tuple(
            replace(
                event,
                process=None if event.process is None else process_renamed(event.process, names),
                locations=tuple(
                    Location(one.symbol, tuple(process_renamed(index, names) for index in one.indices))
                    for one in event.locations
                ),
            )
            for event in cube.events
        ),
    )


def stage_of(system: ParameterizedSystem, parameters: tuple[ProcessVariable, ...]) -> tuple[Process, ...]:
    """The processes that a step with these parameters, and the cube after it, are about."""
    if system.size is None:
        return parameters
    return tuple(ProcessConstant(number) for number in range(1, system.size + 1))


def participants(
    system: ParameterizedSystem,
    cube: EventCube,
    transition: Transition,
    fits: Callable[[ProcessVariable, Process], bool],
) -> Iterator[tuple[dict[ProcessVariable, Process], tuple[ProcessVariable, ...]]]:
    """The processes that may be the transition's parameters: those of the cube, or further ones."""
    if system.size is not None:
        constants = [ProcessConstant(number) for number in range(1, system.size + 1)]
        for chosen in permutations(constants, len(transition.parameters)):
            names: dict[ProcessVariable, Process] = dict(zip(transition.parameters, chosen, strict=True))
            if all(fits(*pair) for pair in names.items()):
                yield names, ()
        return
    taken = {parameter.name for parameter in cube.parameters}
    fresh: list[ProcessVariable] = []
    for number in range(len(transition.parameters)):
        name = f"q{number}"
        while name in taken:
            name += "'"
        fresh.append(ProcessVariable(name))
    yield from _choices(transition.parameters, cube.parameters, fresh, {}, fits)


def _choices(
    wanted: tuple[ProcessVariable, ...],
    old: tuple[ProcessVariable, ...],
    fresh: Sequence[ProcessVariable],
    names: dict[ProcessVariable, Process],
    fits: Callable[[ProcessVariable, Process], bool],
) -> Iterator[tuple[dict[ProcessVariable, Process], tuple[ProcessVariable, ...]]]:
    if not wanted:
        used = [one for one in fresh if one in names.values()]
        yield names, (*old, *used)
        return
    unused = next(one for one in fresh if one not in names.values())
    for candidate in (*(one for one in old if one not in names.values()), unused):
        if fits(wanted[0], candidate):
            yield from _choices(wanted[1:], old, fresh, {**names, wanted[0]: candidate}, fits)
