"""Runs found by the core, followed step by step on the reference's store-buffer machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from membar.diagnostics import EngineLimitError, InputError
from membar.engines.reference.machine import Machine
from membar.engines.reference.runs import witness_of
from membar.engines.reference.state import Move, State
from membar.outcome import Witness

# Thread, edge (None for a flush), and the values read and chosen, or the cell and the value flushed.
CoreMove: TypeAlias = tuple[int, int | None, list[int]]


def followed(machine: Machine, run: Sequence[CoreMove]) -> tuple[Move, ...]:
    """The moves of the machine that `run` tells of.

    Raises:
        EngineLimitError: the machine does not make one of them, which is a bug.
        InputError: the run ends in an access to what is no location.
    """
    state = machine.initial()
    moves: list[Move] = []
    for number, step in enumerate(run, start=1):
        move = _matching(machine, state, step)
        if move is None:
            fault = machine.moves(state).fault
            if fault is not None and number == len(run):
                raise InputError(fault)
            raise EngineLimitError(f"internal error, please report: step {number} of a run does not replay")
        moves.append(move)
        state = move.after or state
    return tuple(moves)


def witness(machine: Machine, run: Sequence[CoreMove], message: str) -> Witness:
    """`run` as a witness, with the buffer contents after each step."""
    moves = followed(machine, run)
    failure = moves[-1].failure if moves else None
    return witness_of(machine, moves, failure or message)


def last_state(machine: Machine, run: Sequence[CoreMove]) -> State:
    """The state that `run` ends in."""
    states = [move.after for move in followed(machine, run) if move.after is not None]
    return states[-1] if states else machine.initial()


def _matching(machine: Machine, state: State, step: CoreMove) -> Move | None:
    thread, edge, values = step
    for move in machine.moves(state).moves:
        if move.thread != thread or move.edge != edge:
            continue
        if edge is None:
            if [move.acts[0].cell, move.acts[0].value] == values:
                return move
        elif not values or list(move.choices[-len(values) :]) == values:
            return move
    return None
