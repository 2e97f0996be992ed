"""Replays runs found by the core on the reference's store-buffer machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from membar.diagnostics import EngineLimitError, InputError
from membar.engines.reference.machine import Machine
from membar.engines.reference.runs import witness_of
from membar.engines.reference.state import Move, Partner, State
from membar.questions.outcome import Witness

if TYPE_CHECKING:
    from membar import _core
    from membar.engines.buffers.question import Lowered


def shown_moves(question: Lowered, run: Sequence[_core.Step]) -> list[_core.Step]:
    """`run` of an unbounded search, without the values of channels, which that search keeps in memory."""

    def shown(thread: int, edge: int, values: list[int]) -> list[int]:
        hidden = question.unchannelled.hidden.get((thread, edge), ())
        flags = (*hidden, *[False] * (len(values) - len(hidden)))
        return [value for value, is_hidden in zip(values, flags, strict=False) if not is_hidden]

    steps: list[_core.Step] = []
    for step in run:
        if step.edge is None:
            steps.append(step)
            continue
        other = step.partner
        theirs = None if other is None else shown(other.thread, other.edge, other.values)
        steps.append(step.showing(shown(step.thread, step.edge, step.values), theirs))
    return steps


def followed(machine: Machine, run: Sequence[_core.Step]) -> tuple[Move, ...]:
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


def witness(machine: Machine, run: Sequence[_core.Step], message: str) -> Witness:
    """`run` as a witness, with the buffer contents after each step."""
    moves = followed(machine, run)
    failure = moves[-1].failure if moves else None
    return witness_of(machine, moves, failure or message)


def last_state(machine: Machine, run: Sequence[_core.Step]) -> State:
    """The state that `run` ends in."""
    states = [move.after for move in followed(machine, run) if move.after is not None]
    return states[-1] if states else machine.initial()


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


def _ends_with(choices: Sequence[int], values: Sequence[int]) -> bool:
    """Whether these values were chosen; before them comes which edge was taken, if there were several."""
    return not values or list(choices[-len(values) :]) == list(values)


def _is_partner(found: Partner | None, wanted: _core.Partner | None) -> bool:
    if wanted is None:
        return True
    if found is None:
        return False
    is_same = (found.thread, found.edge) == (wanted.thread, wanted.edge)
    return is_same and _ends_with(found.choices, wanted.values)
