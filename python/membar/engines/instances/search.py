"""Breadth-first search of an instance for a bad state, and runs found or followed in it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from membar.engines.instances.layout import Layout
from membar.engines.instances.machine import Machine, Move, State
from membar.engines.instances.runs import run_of
from membar.systems.mapping import places, sequential
from membar.systems.run import ProcessRun
from membar.systems.system import AnyValue, Assign, ParameterizedSystem, Update

# How much of a schedule was done (0 where there is none), and the state; and where it was reached from.
Key: TypeAlias = tuple[int, State]
Trail: TypeAlias = dict[Key, tuple[Key, Move] | None]


def machine(system: ParameterizedSystem, processes: int, *, buffered: bool) -> Machine:
    """The instance of a system with this many processes."""
    plain = system if buffered else sequential(system)
    return Machine(plain, Layout(plain, processes), buffered)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exploration:
    """What a search found.

    Attributes:
        run: a shortest run into a bad state, if there is one.
        states: how many states were seen.
        limit: why not all of them were, if so.
        is_exact: no arbitrary number or abstract value was only tried as a few.
    """

    run: ProcessRun | None
    states: int
    limit: str | None = None
    is_exact: bool = True


def explore(
    instance: Machine,
    *,
    most_states: int | None = None,
    deadline: float | None = None,
    tick: Callable[[int], None] | None = None,
) -> Exploration:
    """Looks at every state of an instance, nearest first, until one is bad."""
    came: Trail = {}
    frontier: list[Key] = []
    for state in instance.initial():
        if (0, state) not in came:
            came[0, state] = None
            frontier.append((0, state))
        if limit := _limit(len(came), most_states, deadline):
            return Exploration(run=None, states=len(came), limit=limit, is_exact=_is_exact(instance))
    for key in frontier:  # grows while it is read: breadth first
        if instance.unsafe(key[1]) is not None:
            run = run_of(instance, *_way(came, key))
            return Exploration(run=run, states=len(came), is_exact=_is_exact(instance))
        for move in instance.moves(key[1]):
            if (0, move.after) not in came:
                came[0, move.after] = (key, move)
                frontier.append((0, move.after))
        if limit := _limit(len(came), most_states, deadline):
            return Exploration(run=None, states=len(came), limit=limit, is_exact=_is_exact(instance))
        if tick is not None and len(came) % 4096 < 16:
            tick(len(came))
    return Exploration(run=None, states=len(came), is_exact=_is_exact(instance))


def _limit(states: int, most: int | None, deadline: float | None) -> str | None:
    if most is not None and states > most:
        return f"more than {most} states"
    if deadline is not None and time.monotonic() > deadline:
        return "the time limit was reached"
    return None


def _is_exact(instance: Machine) -> bool:
    """Whether nothing arbitrary has infinitely many values: numbers only come from the text."""
    system, layout = instance.system, instance.layout
    infinite = {symbol.name for symbol in system.symbols if not layout.is_finite(symbol.type)}
    if not infinite:
        return True
    fixed = {place.symbol for literals in system.init.alternatives for place in places(literals)}
    free = {
        update.symbol
        for transition in system.transitions
        for update in transition.updates
        if _chooses(update)
    }
    return not (infinite - fixed) and not (infinite & free)


def _chooses(update: Update) -> bool:
    values = [update.value] if isinstance(update, Assign) else [case.value for case in update.cases]
    return any(isinstance(value, AnyValue) for value in values)


def _way(came: Trail, key: Key) -> tuple[State, list[Move]]:
    moves: list[Move] = []
    while (step := came[key]) is not None:
        key, move = step
        moves.append(move)
    return key[1], moves[::-1]


def followed(
    instance: Machine, schedule: Sequence[tuple[int, tuple[int, ...]]], *, most_states: int = 200_000
) -> ProcessRun | None:
    """A run that does these transitions, in this order, into a bad state; flushes and choices are searched.

    None if there is none, or if it was not found among `most_states` states.
    """
    came: Trail = {}
    frontier: list[Key] = []
    for state in instance.initial():
        came[0, state] = None
        frontier.append((0, state))
    for key in frontier:
        done, state = key
        if done == len(schedule) and instance.unsafe(state) is not None:
            return run_of(instance, *_way(came, key))
        following = [(done, move) for move in instance.flushes(state)]
        if done < len(schedule):
            following += [(done + 1, move) for move in instance.steps(state, *schedule[done])]
        for count, move in following:
            if (count, move.after) not in came:
                came[count, move.after] = (key, move)
                frontier.append((count, move.after))
        if len(came) > most_states:
            return None
    return None
