"""Breadth-first search of an instance for an error state, and runs found or replayed in it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

from membar.engines.instances.layout import Layout
from membar.engines.instances.machine import InstanceMachine, Move, State
from membar.engines.instances.runs import run_of
from membar.records import record
from membar.systems.mapping import places, sequential
from membar.systems.run import ProcessRun
from membar.systems.system import AnyValue, Assign, ParameterizedSystem, Update

# Where a state was reached from.
Trail: TypeAlias = dict[State, tuple[State, Move] | None]
# The steps of one process; how much of each lane was done, and the state.
Lane: TypeAlias = tuple[tuple[int, tuple[int, ...]], ...]
Point: TypeAlias = tuple[tuple[int, ...], State]


def machine(system: ParameterizedSystem, processes: int, *, buffered: bool) -> InstanceMachine:
    """The instance of a system with this many processes."""
    plain = system if buffered else sequential(system)
    return InstanceMachine(plain, Layout(plain, processes), buffered)


@record(frozen=True, slots=True, kw_only=True)
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
    instance: InstanceMachine,
    *,
    most_states: int | None = None,
    deadline: float | None = None,
    tick: Callable[[int], None] | None = None,
) -> Exploration:
    """Looks at every state of an instance, nearest first, until one is bad."""
    came: Trail = {}
    frontier: list[State] = []
    for state in instance.initial():
        if state not in came:
            came[state] = None
            frontier.append(state)
        if limit := _limit(len(came), most_states, deadline):
            return Exploration(run=None, states=len(came), limit=limit, is_exact=_is_exact(instance))
    for state in frontier:  # grows while it is read: breadth first
        if instance.unsafe(state) is not None:
            run = run_of(instance, *_way(came, state))
            return Exploration(run=run, states=len(came), is_exact=_is_exact(instance))
        for move in instance.moves(state):
            if move.after not in came:
                came[move.after] = (state, move)
                frontier.append(move.after)
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


def _is_exact(instance: InstanceMachine) -> bool:
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


def _way(came: Trail, state: State) -> tuple[State, list[Move]]:
    moves: list[Move] = []
    while (step := came[state]) is not None:
        state, move = step
        moves.append(move)
    return state, moves[::-1]


def follow_schedule(
    instance: InstanceMachine, schedule: Sequence[tuple[int, tuple[int, ...]]], *, most_states: int = 100_000
) -> ProcessRun | None:
    """A run that does these transitions into a bad state; flushes, choices and initial values are searched.

    On plain memory the order is that of `schedule`. With store buffers only each acting process's own order:
    a backward search orders a read and a later write of memory by what is read, not by when it is done.
    None if there is none, or if it was not found among `most_states` states.
    """
    lanes = _lanes(instance, schedule)
    seen = 0
    for first in instance.initial():
        run, count = _followed_from(instance, lanes, first, most_states - seen)
        seen += count
        if run is not None or seen >= most_states:
            return run
    return None


def _lanes(instance: InstanceMachine, schedule: Sequence[tuple[int, tuple[int, ...]]]) -> tuple[Lane, ...]:
    """The steps of each process that acts; all of them in one lane on plain memory."""
    lanes: dict[int, list[tuple[int, tuple[int, ...]]]] = {}
    for number, processes in schedule:
        transition = instance.system.transitions[number]
        actor = 0
        if instance.buffered and transition.acting is not None:
            actor = processes[transition.parameters.index(transition.acting)]
        lanes.setdefault(actor, []).append((number, processes))
    return tuple(map(tuple, lanes.values()))


def _followed_from(
    instance: InstanceMachine, lanes: tuple[Lane, ...], first: State, most_states: int
) -> tuple[ProcessRun | None, int]:
    """Depth first, steps before flushes: the run, if there is one, and how many states were seen."""
    start = ((0,) * len(lanes), first)
    came: dict[Point, tuple[Point, Move] | None] = {start: None}
    waiting = [start]
    ends = tuple(map(len, lanes))
    while waiting and len(came) <= most_states:
        point = waiting.pop()
        done, state = point
        if done == ends and instance.unsafe(state) is not None:
            moves: list[Move] = []
            while (step := came[point]) is not None:
                point, move = step
                moves.append(move)
            return run_of(instance, first, moves[::-1]), len(came)
        following = [(done, move) for move in instance.flushes(state)]
        for lane in reversed(range(len(lanes))):
            if done[lane] < ends[lane]:
                further = (*done[:lane], done[lane] + 1, *done[lane + 1 :])
                following += [(further, move) for move in instance.steps(state, *lanes[lane][done[lane]])]
        for progress, move in following:
            if (progress, move.after) not in came:
                came[progress, move.after] = (point, move)
                waiting.append((progress, move.after))
    return None, len(came)
