"""Which processes a process starts, where that is known before anything runs.

Most models start all processes first: `init { atomic { run P(0); run P(1) } }`, or in a loop between numbers.
Such a beginning does not depend on shared variables or choices, so it is followed here, once.
"""

from __future__ import annotations

from collections.abc import Mapping

from membar.languages.promela.actions import Action, Kind, Move, Start
from membar.languages.promela.automaton import Automaton
from membar.languages.promela.scheduling import HIGHEST
from membar.languages.promela.scope import Channel
from membar.languages.promela.variables import Built
from membar.program.dependencies import registers_written
from membar.program.expr import FALSE, MASK, TRUE, Constant, Expr
from membar.program.folding import fold
from membar.program.operations import Set
from membar.records import record

_LONGEST = 20_000
_MOST_STARTS = 255


@record(frozen=True, slots=True)
class Started:
    """A process that is started: by which action, with which arguments.

    `is_after_others` says whether those that were started before may have acted, and perhaps ended.
    """

    action: Action
    start: Start
    values: tuple[int, ...]
    channels: tuple[Channel | None, ...]
    is_after_others: bool


def has_starts(built: Built) -> bool:
    """Whether a process starts others."""
    return any(_start_of(action) is not None for action in built.automaton.all_actions())


def started_names(built: Built) -> list[str]:
    """The processes that statements of a process start, once for each statement."""
    starts = [_start_of(action) for action in built.automaton.all_actions()]
    return [start.process for start in starts if start is not None]


def repeated_starts(built: Built) -> bool:
    """Whether some statement may start a process again and again."""
    automaton = built.automaton
    for move in automaton.all_moves():
        if _start_of(move.action) is not None and _leads_to(
            automaton, automaton.follow_jumps(move.target), move
        ):
            return True
    return False


def _leads_to(automaton: Automaton, point: int, wanted: Move) -> bool:
    todo, seen = [point], {point}
    while todo:
        for move in automaton.moves(todo.pop()):
            if move.action is wanted.action:
                return True
            if move.target not in seen:
                seen.add(move.target)
                todo.append(move.target)
    return False


def starts_of(built: Built) -> list[Started] | None:
    """The processes that a process starts, in order; None if that is not known."""
    if not has_starts(built):
        return []
    automaton = built.automaton
    known = {name: value & MASK for name, value in built.registers.items() if isinstance(value, int)}
    known[HIGHEST] = 1  # a process that has to wait for others starts the same ones later
    point = automaton.follow_jumps(built.entry)
    found: list[Started] = []
    is_after_others = False
    for _ in range(_LONGEST):
        move = _only_move(automaton, point, known)
        if move is None:
            return None if _may_start(automaton, point) else found
        start = _start_of(move.action)
        for operation in move.action.reads:
            for register in registers_written(operation):
                known.pop(register, None)
        if start is not None:
            values = [fold(argument, known) for argument in start.arguments]
            numbers = tuple(value.value for value in values if isinstance(value, Constant))
            if len(numbers) < len(values) or len(found) == _MOST_STARTS:
                return None
            found.append(Started(move.action, start, numbers, start.channels, is_after_others))
        for effect in move.action.effects:
            if isinstance(effect, Start):
                continue
            value = fold(effect.value, known) if isinstance(effect, Set) else None
            for register in registers_written(effect):
                known.pop(register, None)
            if isinstance(effect, Set) and isinstance(value, Constant):
                known[effect.register] = value.value
        is_held = move.block is not None and automaton.is_inside(move.target)
        is_after_others |= bool(found) and not is_held
        point = move.target
    return None


def may_end(built: Built) -> bool:
    """Whether a process may come to its end."""
    automaton = built.automaton
    todo, seen = [built.entry], {built.entry}
    while todo:
        moves = automaton.moves(automaton.follow_jumps(todo.pop()))
        if not moves:
            return True
        targets = {move.target for move in moves} - seen
        seen |= targets
        todo += targets
    return False


def _start_of(action: Action) -> Start | None:
    return next((effect for effect in action.effects if isinstance(effect, Start)), None)


def _only_move(automaton: Automaton, point: int, known: Mapping[str, int]) -> Move | None:
    """The move that is done at a point, whatever others do; None if that is not known, or none is."""
    moves = automaton.moves(point)
    if len(moves) == 1 and moves[0].action.kind is not Kind.ELSE:
        return None if fold(moves[0].action.condition, known) == FALSE else moves[0]
    possible = []
    for move in moves:
        condition = _condition(automaton, move, known)
        if condition not in (TRUE, FALSE) or move.regions:
            return None
        if condition == TRUE:
            possible.append(move)
    return possible[0] if len(possible) == 1 else None


def _condition(automaton: Automaton, move: Move, known: Mapping[str, int]) -> Expr | None:
    action = move.action
    if action.kind is Kind.ELSE:
        others = [other for option in action.others for other in automaton.moves(option)]
        found = [_condition(automaton, other, known) for other in others]
        if TRUE in found:
            return FALSE
        return TRUE if all(item == FALSE for item in found) else None
    if action.kind is Kind.MEETING or action.idle:
        return None
    return fold(action.condition, known)


def _may_start(automaton: Automaton, point: int) -> bool:
    """Whether a process may be started from a point on."""
    todo, seen = [point], {point}
    while todo:
        for move in automaton.moves(todo.pop()):
            if _start_of(move.action) is not None:
                return True
            if move.target not in seen:
                seen.add(move.target)
                todo.append(move.target)
    return False
