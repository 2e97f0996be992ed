"""Replays runs found by the core on the reference's store-buffer machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from membar.diagnostics import EngineLimitError, InputError
from membar.engines.reference.machine import Machine
from membar.engines.reference.runs import witness_of
from membar.engines.reference.state import Move, Partner, State
from membar.questions.outcome import Witness

if TYPE_CHECKING:
    from membar.engines.buffers.question import Lowered

# Thread, edge and values of who receives in the same step.
CorePartner: TypeAlias = tuple[int, int, list[int]]
# Thread, edge (None: a flush), the values read and chosen, or the cell and the value flushed, who receives.
CoreMove: TypeAlias = tuple[int, int | None, list[int], CorePartner | None]


def shown_moves(question: Lowered, run: Sequence[CoreMove]) -> list[CoreMove]:
    """`run` without the values that only the core has read: those of channels kept in memory."""

    def shown(thread: int, edge: int, values: list[int]) -> list[int]:
        hidden = question.unchannelled.hidden.get((thread, edge), ())
        flags = (*hidden, *[False] * (len(values) - len(hidden)))
        return [value for value, is_hidden in zip(values, flags, strict=False) if not is_hidden]

    moves: list[CoreMove] = []
    for thread, edge, values, partner in run:
        if edge is None:
            moves.append((thread, None, values, None))
            continue
        other = partner and (partner[0], partner[1], shown(*partner))
        moves.append((thread, edge, shown(thread, edge, values), other))
    return moves


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
    thread, edge, values, partner = step
    for move in machine.moves(state).moves:
        if move.thread != thread or move.edge != edge:
            continue
        if edge is None:
            if [move.acts[0].cell, move.acts[0].value] == values:
                return move
        elif _ends_with(move.choices, values) and _is_partner(move.partner, partner):
            return move
    return None


def _ends_with(choices: Sequence[int], values: Sequence[int]) -> bool:
    """Whether these values were chosen; before them comes which edge was taken, if there were several."""
    return not values or list(choices[-len(values) :]) == list(values)


def _is_partner(found: Partner | None, wanted: CorePartner | None) -> bool:
    if wanted is None:
        return True
    if found is None:
        return False
    thread, edge, values = wanted
    return (found.thread, found.edge) == (thread, edge) and _ends_with(found.choices, values)
