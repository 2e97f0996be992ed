"""Checks, without a search, whether an infinite run violates a claim of the program.

A run is a prefix and a cycle. It is replayed on the machine; then each claim is evaluated on its states,
formulas by definition, automata by trying every run of the automaton.
"""

from __future__ import annotations

from collections.abc import Sequence

from membar.engines.reference.machine import Machine
from membar.engines.reference.runs import followed_moves
from membar.engines.reference.state import MemoryAction, Move, State, look
from membar.models.model import Model, Operational
from membar.program.predicate import StatePredicate
from membar.program.program import Program
from membar.program.temporal import Claim, ForbiddenRuns, predicates_of
from membar.properties.ltl.lasso import Lasso, holds
from membar.properties.ltl.reduction import components
from membar.questions.outcome import Witness
from membar.records import record

BUFFERS = "buffers"
PROCESSES = "processes"


@record(frozen=True, slots=True)
class Run:
    """States and moves of a run: after the last move comes state number `cycle` again, if there is a cycle.

    A cycle that begins at the last state has no moves: nothing more happens there.
    """

    states: tuple[State, ...]
    moves: tuple[Move, ...]
    cycle: int | None


def replay_error(program: Program, model: Model, witness: Witness) -> str | None:
    """None if `witness`, a run with a cycle, breaks a claim and is as fair as it says; else what is wrong."""
    if model.operational is None:
        return f"the model {model.name} has no store-buffer semantics"
    machine = Machine(program, model.operational, None)
    run = run_of(machine, witness)
    if run is None:
        return "its steps are not enabled"
    problem = _no_cycle(machine, run) or _unfairness(machine, run, witness.fair)
    return problem or (None if broken_claims(machine, run) else "it violates no claim")


def run_of(machine: Machine, witness: Witness) -> Run | None:
    """The run that a witness tells of; None if it is not possible."""
    moves = tuple(followed_moves(machine, witness))
    states = (machine.initial(), *(move.after for move in moves if move.after is not None))
    if len(moves) < len(witness.steps) or len(states) != len(moves) + 1:
        return None
    return Run(states, moves, witness.cycle)


def broken_claims(machine: Machine, run: Run) -> list[Claim]:
    """The claims that are false of a run, of which they do not see what is inside atomic blocks."""
    seen = _seen(machine, run)
    return [claim for claim in machine.program.claims if _is_broken(machine.program, claim, seen)]


def _seen(machine: Machine, run: Run) -> Run:
    """The run without the states inside atomic blocks; its moves are those that lead to the others.

    A cycle that is never seen is none, and one that begins inside a block begins where it is seen next.
    """
    kept = [place for place, state in enumerate(run.states) if machine.inside(state) is None]
    if len(kept) == len(run.states):
        return run
    cycle = run.cycle
    if cycle is not None:
        later = [place for place in kept if place >= cycle]
        if not later:
            cycle = None
        elif machine.inside(run.states[cycle]) is None:
            cycle = kept.index(cycle)
        else:  # the last state is inside too: the cycle closes at its first visible state
            kept.append(later[0])
            cycle = kept.index(later[0])
    return Run(
        tuple(run.states[place] for place in kept), tuple(run.moves[place - 1] for place in kept[1:]), cycle
    )


def _is_broken(program: Program, claim: Claim, run: Run) -> bool:
    if claim.is_endless and run.cycle == len(run.moves):
        return False
    predicates = tuple(dict.fromkeys(predicates_of([claim])))
    letters = [letter_of(program, predicates, state) for state in run.states]
    if isinstance(claim.body, ForbiddenRuns):
        return _can_reach_end(claim.body, letters, run) or (
            run.cycle is not None and _accepts(claim.body, lasso_of(letters, run.cycle))
        )
    return run.cycle is not None and not holds(claim.body, lasso_of(letters, run.cycle))


def letter_of(
    program: Program, predicates: Sequence[StatePredicate], state: State
) -> frozenset[StatePredicate]:
    """The predicates that hold in a state."""
    return frozenset(p for p in predicates if p.holds(lambda seen: look(program, state, seen)))


def lasso_of(letters: Sequence[frozenset[StatePredicate]], cycle: int) -> Lasso:
    """The letters of a run; its last state is left out where the cycle comes back to an earlier one."""
    if cycle == len(letters) - 1:
        return Lasso(tuple(letters[:cycle]), (letters[cycle],))
    return Lasso(tuple(letters[:cycle]), tuple(letters[cycle:-1]))


def _can_reach_end(automaton: ForbiddenRuns, letters: Sequence[frozenset[StatePredicate]], run: Run) -> bool:
    """Whether the automaton can come to a state without leaving edges on the way."""
    if not automaton.ends_are_errors:
        return False
    leaving = {edge.source for edge in automaton.edges}
    at = {automaton.initial}
    stays = run.cycle == len(run.moves)
    for letter in (*letters[:-1], *((letters[-1],) * len(automaton.states) if stays else ())):
        if not at <= leaving:
            return True
        at = {edge.target for edge in automaton.edges if edge.source in at and edge.guard in letter}
    return not at <= leaving


def _accepts(automaton: ForbiddenRuns, lasso: Lasso) -> bool:
    letters = lasso.letters
    size = len(letters)
    following: dict[int, list[int]] = {}
    todo = [automaton.initial * size]
    while todo:
        node = todo.pop()
        if node in following:
            continue
        state, position = divmod(node, size)
        following[node] = [
            edge.target * size + lasso.following(position)
            for edge in automaton.edges
            if edge.source == state and edge.guard in letters[position]
        ]
        todo += following[node]
    for component in components(following, following):
        inside = any(target in component for node in component for target in following[node])
        visited = {node // size for node in component}
        if inside and all(visited & accepted for accepted in automaton.accepting):
            return True
    return False


def _no_cycle(machine: Machine, run: Run) -> str | None:
    """Why the run does not go on forever as it says."""
    if run.cycle is None or not 0 <= run.cycle < len(run.states):
        return "its cycle has no start"
    if run.cycle == len(run.moves):
        found = machine.moves(run.states[-1])
        return "its last state has a successor" if found.moves or found.blocked else None
    return None if run.states[run.cycle] == run.states[-1] else "its cycle does not close"


def _unfairness(machine: Machine, run: Run, fair: Sequence[str]) -> str | None:
    """Which queue or thread waits forever, although fairness was asked for."""
    if run.cycle is None or run.cycle == len(run.moves):
        return None
    steps = list(zip(run.states[run.cycle :], run.moves[run.cycle :], strict=False))
    outside = [state for state, _ in steps if machine.inside(state) is None]
    for index, thread in enumerate(machine.program.threads):
        moves = any(index in _moving_threads(move) for _, move in steps)
        if PROCESSES in fair and not moves and all(_can_move(machine, state, index) for state in outside):
            return f"{thread.name} can always move and never does"
        if BUFFERS in fair:
            for queue in _queues(machine, index, run):
                if not any(_is_served(state, move, index, queue) for state, move in steps):
                    return f"a store of {thread.name} waits forever"
    return None


def _moving_threads(move: Move) -> set[int]:
    partner = set() if move.partner is None else {move.partner.thread}
    return set() if move.edge is None else {move.thread} | partner


def _can_move(machine: Machine, state: State, thread: int) -> bool:
    return any(thread in _moving_threads(move) for move in machine.moves(state).moves)


def _queues(machine: Machine, thread: int, run: Run) -> set[int | None]:
    """The queues of a thread: one, or under pso one per cell."""
    if machine.discipline is not Operational.PSO:
        return {None}
    return {cell for state in run.states for cell, _ in state.locals[thread].buffer if cell >= 0}


def _is_served(state: State, move: Move, thread: int, queue: int | None) -> bool:
    """Whether the queue is empty, or the move flushes it."""
    waiting = [cell for cell, _ in state.locals[thread].buffer if queue is None or cell == queue]
    flushes = (act.cell for act in move.acts if act.did is MemoryAction.FLUSHED and move.edge is None)
    return not waiting or (move.thread == thread and any(queue is None or cell == queue for cell in flushes))
