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


def follow_run(
    machine: Machine, run: Sequence[_core.Step], *, ends_in_fault: bool = False
) -> tuple[Move, ...]:
    """The moves of the machine that `run` tells of.

    Args:
        machine: the reference's.
        run: the steps; the last may be the access to what is not a location.
        ends_in_fault: such an access follows the run.

    Raises:
        EngineLimitError: the machine does not make one of the moves, which is a bug.
        InputError: what is wrong with the access at the end.
    """
    state = machine.initial()
    moves: list[Move] = []
    for number, step in enumerate(run, start=1):
        move = _matching_move(machine, state, step)
        if move is None:
            fault = machine.moves(state).fault
            if fault is not None and number == len(run):
                raise InputError(fault)
            raise EngineLimitError(f"internal error, please report: step {number} of a run does not replay")
        moves.append(move)
        state = move.after or state
    if ends_in_fault:
        fault = machine.moves(state).fault
        if fault is None:
            raise EngineLimitError("internal error, please report: an access that fails does not replay")
        raise InputError(fault)
    return tuple(moves)


def witness(
    machine: Machine, run: Sequence[_core.Step], message: str | Callable[[Machine, State], str]
) -> Witness:
    """`run` as a witness, with buffer contents after each step; the message may be about its end."""
    moves = follow_run(machine, run)
    failure = moves[-1].failure if moves else None
    if failure is None and not isinstance(message, str):
        last = moves[-1].after if moves else machine.initial()
        message = "" if last is None else message(machine, last)
    return witness_of(machine, moves, failure if failure is not None else str(message))


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
    moves = follow_run(machine, [*way, *turn])
    if not cycle:
        return witness_of(machine, moves, message)
    states = [machine.initial(), *(move.after for move in moves)]
    if states[-1] != states[len(way)]:
        way += turn
        moves = follow_run(machine, [*way, *turn])
    return witness_of(machine, moves, message, cycle=len(way), fair=fair)


def last_state(machine: Machine, run: Sequence[_core.Step]) -> State:
    """The state that `run` ends in."""
    states = [move.after for move in follow_run(machine, run) if move.after is not None]
    return states[-1] if states else machine.initial()


def _matching_move(machine: Machine, state: State, step: _core.Step) -> Move | None:
    for move in machine.moves(state).moves:
        if move.thread != step.thread or move.edge != step.edge:
            continue
        if step.edge is None:
            if [move.acts[0].cell, move.acts[0].value] == step.values:
                return move
        elif _ends_with(move.choices, step.values) and _is_partner(move.partner, step.partner):
            return move
    return None


def _is_partner(found: Partner | None, wanted: _core.Partner | None) -> bool:
    if found is None or wanted is None:
        return found is None and wanted is None
    is_same = (found.thread, found.edge) == (wanted.thread, wanted.edge)
    return is_same and _ends_with(found.choices, wanted.values)


def _ends_with(choices: Sequence[int], values: Sequence[int]) -> bool:
    """Whether these values were chosen; before them comes which edge was taken, if there were several."""
    return not values or list(choices[-len(values) :]) == list(values)
