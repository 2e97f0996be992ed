"""Compares answers with and without awaits, and verdicts about termination with an operational search.

An empty answer is agreement; the real tests and the seeded mistakes call these very functions.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from membar.diagnostics import EngineLimitError, InputError
from membar.engines import graphs
from membar.engines.reference.axiomatic import explore as reference
from membar.engines.reference.exploration_budget import Budget, LimitHitError
from membar.engines.reference.machine import Machine
from membar.engines.reference.state import State
from membar.engines.reference.witness_replay import replay
from membar.models.model import Model
from membar.program.operations import Assume
from membar.program.printer import print_program
from membar.program.program import Program
from membar.properties import PROPERTIES
from membar.properties.judge import Tally
from membar.properties.property import has_operation
from membar.questions.task import Limits, Options, Task, Unrolling

Disagreements: TypeAlias = list[str]
BOUND = 2
_MOST_STATES = 5_000
_SECONDS = 0.5


def task_of(program: Program, model: Model, *off: str, seconds: float | None = None) -> Task:
    """Everything is asked of `program`, with these reductions off."""
    options = Options(unrolling=Unrolling(exact=BOUND), reductions_off=frozenset(off))
    limits = Limits(seconds=seconds)
    return Task(program=program, model=model, properties=tuple(PROPERTIES), options=options, limits=limits)


def answer(tally: Tally) -> dict[str, object]:
    """What awaits must not change; the first failed assertion ends a search."""
    if tally.failed_assertion is not None:
        return {"assertion": True}
    return {
        "outcomes": frozenset(tally.outcomes),
        "flags": frozenset(tally.flags),
        "race": tally.race is not None,
    }


def whole(tally: Tally) -> dict[str, object]:
    """What two engines must agree on."""
    if tally.failed_assertion is not None:
        return answer(tally)
    return {
        **answer(tally),
        "executions": tally.statistics.executions,
        "blocked": tally.statistics.blocked,
        "stuck": tally.stuck is not None,
    }


def switching(programs: Iterable[Program], model: Model) -> Disagreements:
    """Where `graphs` answers differently with and without awaits."""
    found: Disagreements = []
    for program in programs:
        try:
            with_awaits = graphs.explore(task_of(program, model, seconds=_SECONDS))
            without = graphs.explore(task_of(program, model, "await", seconds=_SECONDS))
        except (InputError, EngineLimitError):
            continue
        if with_awaits.limit or without.limit:
            continue  # models that allow nearly everything
        if answer(with_awaits) != answer(without):
            found.append(
                f"{model.name}: {answer(with_awaits)} with awaits, {answer(without)} without\n"
                f"{print_program(program)}"
            )
        elif with_awaits.loops_cut and not (without.loops_cut or without.failed_assertion):
            found.append(f"{model.name}: cut only with awaits\n{print_program(program)}")
    return found


def engines(programs: Iterable[Program], model: Model) -> tuple[Disagreements, int]:
    """Where `graphs` differs from the reference about programs that wait, or its witness does not replay.

    Gives also how many programs the reference finished.
    """
    found: Disagreements = []
    finished = 0
    for program in programs:
        try:
            expected = reference(task_of(program, model, seconds=_SECONDS))
            tally = graphs.explore(task_of(program, model, "latest"))
        except (InputError, EngineLimitError):
            continue
        if expected.limit is not None:
            continue
        finished += 1
        if whole(tally) != whole(expected):
            found.append(f"{model.name}: {whole(tally)} is not {whole(expected)}\n{print_program(program)}")
        for witness in (tally.stuck, expected.stuck):
            mismatch = None if witness is None else replay(program, model, witness)
            if mismatch is not None:
                found.append(f"{model.name}: does not replay: {mismatch}\n{print_program(program)}")
    return found, finished


def machines(programs: Iterable[Program], model: Model) -> tuple[Disagreements, int, int]:
    """Where the states of the store-buffer machine say otherwise about waiting forever.

    Gives also how many programs wait forever, and how many do not although they have loops that wait.
    """
    found: Disagreements = []
    yes = no = 0
    for program in programs:
        if has_operation(program, Assume):
            continue  # the machine cannot tell a run that does not count from one that waits
        try:
            tally = graphs.explore(task_of(program, model))
            expected = has_lasting_wait(program, model)
        except (InputError, EngineLimitError, LimitHitError):
            continue
        if tally.loops_cut is not None or tally.failed_assertion is not None:
            continue  # some loop does more than wait, or the search has ended early
        if (tally.stuck is not None) is not expected:
            found.append(f"{model.name}: waits forever: {expected} by the machine\n{print_program(program)}")
        yes += expected
        no += not expected and bool(tally.statistics.blocked)
    return found, yes, no


def has_lasting_wait(program: Program, model: Model) -> bool:
    """Whether the machine can come to states that it cannot leave and in which it still runs.

    Nothing there depends on what a waiting loop is: it is a set of states, closed under all moves, with
    more than one move and no end. A fair run that gets there stays there.
    """
    discipline = model.operational
    assert discipline is not None
    machine = Machine(program, discipline, 16)
    budget = Budget(Limits(states=_MOST_STATES), None)
    after: dict[State, set[State]] = {}
    ends: set[State] = set()
    todo = [machine.initial()]
    while todo:
        state = todo.pop()
        if state in after:
            continue
        budget.count_state(len(after))
        moves = machine.moves(state)
        if moves.fault is not None:
            raise InputError(moves.fault)
        targets = {move.after for move in moves.moves if move.after is not None}
        after[state] = targets
        if not targets or any(move.after is None for move in moves.moves):
            ends.add(state)
        todo.extend(targets)
    # States from which some end can be reached are not lost.
    before: dict[State, set[State]] = {}
    for state, targets in after.items():
        for target in targets:
            before.setdefault(target, set()).add(state)
    saved = set(ends)
    open_states = list(ends)
    while open_states:
        for earlier in before.get(open_states.pop(), ()):
            if earlier not in saved:
                saved.add(earlier)
                open_states.append(earlier)
    return len(saved) < len(after)
