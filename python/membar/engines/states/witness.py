"""Replays runs found by the core on the reference's store-buffer machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from membar.diagnostics import EngineLimitError, InputError
from membar.engines.reference.machine import Machine
from membar.engines.reference.runs import witness_of
from membar.engines.reference.state import Move, Partner, State
from membar.questions.outcome import Witness

if TYPE_CHECKING:
    from membar import _core


def followed(machine: Machine, run: Sequence[_core.Step], *, ends_in_fault: bool = False) -> tuple[Move, ...]:
    """The moves of the machine that `run` tells of.

    Raises:
        EngineLimitError: the machine does not make one of them, which is a bug.
        InputError: where `ends_in_fault`, what is wrong with the access that follows the run.
    """
    state = machine.initial()
    moves: list[Move] = []
    for number, step in enumerate(run, start=1):
        move = _matching(machine, state, step)
        if move is None:
            raise EngineLimitError(f"internal error, please report: step {number} of a run does not replay")
        moves.append(move)
        state = move.after or state
    if ends_in_fault:
        fault = machine.moves(state).fault
        if fault is None:
            raise EngineLimitError("internal error, please report: an access that fails does not replay")
        raise InputError(fault)
    return tuple(moves)


def lasso(
    machine: Machine,
    prefix: Sequence[_core.Step | None],
    cycle: Sequence[_core.Step | None],
    message: str,
    *,
    fair: Sequence[str],
) -> Witness:
    """A run that goes on forever as a witness. None stands for the program having ended.

    The core resets dead registers, so a cycle may come back to a state that differs in
    them; from its second iteration on it does not.
    """
    way = [step for step in prefix if step is not None]
    turn = [step for step in cycle if step is not None]
    moves = followed(machine, [*way, *turn])
    if not cycle:
        return witness_of(machine, moves, message)
    states = [machine.initial(), *(move.after for move in moves)]
    if states[-1] != states[len(way)]:
        way += turn
        moves = followed(machine, [*way, *turn])
    return witness_of(machine, moves, message, cycle=len(way), fair=fair)


def witness(
    machine: Machine, run: Sequence[_core.Step], message: str | Callable[[Machine, State], str]
) -> Witness:
    """`run` as a witness, with buffer contents after each step; the message may be about its end."""
    moves = followed(machine, run)
    failure = moves[-1].failure if moves else None
    if failure is None and not isinstance(message, str):
        last = moves[-1].after if moves else machine.initial()
        message = "" if last is None else message(machine, last)
    return witness_of(machine, moves, failure if failure is not None else str(message))


def _matching(machine: Machine, state: State, step: _core.Step) -> Move | None:
    for move in machine.moves(state).moves:
        if move.thread != step.thread or move.edge != step.edge:
            continue
        if step.edge is None:
            if [move.acts[0].cell, move.acts[0].value] == step.values:
                return move
        elif _ends_with(move.choices, step.values) and _is_partner(move.partner, step.partner):
            return move
    return None


def _is_partner(met: Partner | None, told: _core.Partner | None) -> bool:
    if met is None or told is None:
        return met is None and told is None
    return (met.thread, met.edge) == (told.thread, told.edge) and _ends_with(met.choices, told.values)


def _ends_with(choices: Sequence[int], values: list[int]) -> bool:
    """Whether the choices of a move (its edge may be the first) end with what was read and chosen."""
    return not values or list(choices[-len(values) :]) == values
