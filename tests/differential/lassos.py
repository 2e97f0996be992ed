"""Claims about runs: the core's search for lassos against a plain look at the whole product.

`python tests/differential/lassos.py --count 2000` runs the whole campaign and prints what it covered. Every
lasso that the core finds is followed by the reference machine, which asks the claim of it directly. Two and
three threads must find what one finds: the same lasso, after as many states. With partial-order reduction and
without, claims must be true or false, and the buffer bound must matter, alike.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

sys.path.insert(0, str(Path(__file__).parents[1]))  # run as a command, the tests are no package yet

from differential.states import MODELS, model
from membar import _core
from membar.diagnostics import EngineLimitError, InputError
from membar.engines.reference.lassos import letter_of
from membar.engines.reference.machine import Machine
from membar.engines.reference.state import MemoryAction, Move, State
from membar.engines.reference.witness_replay import replay
from membar.engines.states import claim_form, explore
from membar.engines.states.encoding import Kept, encode_states
from membar.models.model import Operational
from membar.program.predicate import StatePredicate
from membar.program.program import Program
from membar.program.temporal import Claim, ForbiddenRuns, predicates_of
from membar.properties.judge import Tally
from membar.properties.ltl.automaton import Automaton, Label, Transition
from membar.properties.ltl.reduction import components
from membar.properties.ltl.translation import automaton_of
from membar.questions.task import Limits, Options, Task
from strategies.claims import program_with_claim

FAIR = (
    frozenset[str](),
    frozenset({"buffers"}),
    frozenset({"processes"}),
    frozenset({"buffers", "processes"}),
)
JOBS = (1, 2, 3)

# Whose: an acceptance set, a queue (under pso with its cell), a thread.
Mark: TypeAlias = tuple[str, int, int | None]


class Node(NamedTuple):
    """A state of the program and one of the automaton."""

    state: State
    at: int


@dataclass(slots=True)
class Report:
    """What a campaign covered, and what went wrong."""

    wrong: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


class TooLargeError(Exception):
    """More states than the plain look is for."""


def as_automaton(claim: Claim) -> tuple[Automaton, frozenset[int]]:
    """The automaton of the runs that break a claim, and the states that are wrong to reach."""
    body = claim.body
    if not isinstance(body, ForbiddenRuns):
        return automaton_of(body, negated=True), frozenset()
    atoms = tuple(dict.fromkeys(edge.guard for edge in body.edges))
    # State 0 is the initial one.
    order = [body.initial, *(n for n in range(len(body.states)) if n != body.initial)]
    place = {state: number for number, state in enumerate(order)}
    transitions = tuple(
        Transition(
            place[edge.source],
            place[edge.target],
            Label(frozenset({atoms.index(edge.guard)})),
            frozenset(n for n, accepted in enumerate(body.accepting) if edge.source in accepted),
        )
        for edge in body.edges
    )
    leaving = {step.source for step in transitions}
    ends = frozenset(range(len(order))) - leaving if body.ends_are_errors else frozenset()
    return Automaton(atoms, len(order), transitions, len(body.accepting)), ends


@dataclass(frozen=True, slots=True)
class Product:
    """All of a program and the automaton of a claim: steps with marks, and states that are wrong to reach."""

    first: Node
    following: dict[Node, list[tuple[Node, frozenset[Mark]]]]
    everything: frozenset[Mark]
    ends: frozenset[Node]

    def goals(self) -> dict[Node, int]:
        """The nodes of components with every mark, by component; -1 for those that are wrong to reach."""
        numbers = {node: number for number, node in enumerate(self.following)}
        graph = {numbers[node]: [numbers[n] for n, _ in steps] for node, steps in self.following.items()}
        nodes = list(self.following)
        found: dict[Node, int] = {}
        for place, component in enumerate(components(graph, graph)):
            inside = [
                marks
                for number in component
                for target, marks in self.following[nodes[number]]
                if numbers[target] in component
            ]
            if inside and self.everything <= frozenset().union(*inside):
                found |= {nodes[number]: place for number in component}
        return found | dict.fromkeys(self.ends, -1)


def shortest(product: Product) -> tuple[int, int] | None:
    """How long the way to the nearest goal is, and a shortest cycle with every mark from one as near."""
    goals = product.goals()
    level, seen, length = {product.first}, {product.first}, 0
    while level and not level & goals.keys():
        level = {target for node in level for target, _ in product.following[node]} - seen
        seen |= level
        length += 1
    entries = level & goals.keys()
    if not entries:
        return None
    return length, min(0 if goals[entry] < 0 else _cycle(product, goals, entry) for entry in entries)


def _cycle(product: Product, goals: dict[Node, int], entry: Node) -> int:
    level: set[tuple[Node, frozenset[Mark]]] = {(entry, frozenset())}
    seen: set[tuple[Node, frozenset[Mark]]] = set()
    length = 0
    while True:
        length += 1
        level = {
            (target, had | marks)
            for node, had in level
            for target, marks in product.following[node]
            if goals.get(target) == goals[entry]
        } - seen
        seen |= level
        if any(node == entry and had >= product.everything for node, had in level):
            return length


def product_of(
    program: Program, discipline: Operational, bound: int, fair: frozenset[str], most: int
) -> Product:
    """The whole product.

    Raises:
        TooLargeError: it has more nodes than `most`.
    """
    machine = Machine(program, discipline, bound)
    claim = program.claims[0]
    automaton, ends = as_automaton(claim)
    predicates = tuple(dict.fromkeys(predicates_of([claim])))
    following: dict[Node, list[tuple[Node, frozenset[Mark]]]] = {}
    first = Node(machine.initial(), 0)
    todo = [first]
    wrong: set[Node] = set()
    everything: set[Mark] = {("set", number, None) for number in range(automaton.sets)}
    everything |= _queues(machine, fair)
    while todo:
        node = todo.pop()
        if node in following:
            continue
        if len(following) > most:
            raise TooLargeError
        if node.at in ends:
            wrong.add(node)
        following[node] = [
            (Node(after, step.target), marks | {("set", number, None) for number in step.marks})
            for step in _open(machine, automaton, predicates, node)
            for after, marks in _steps(machine, node.state, everything, may_stay=not claim.is_endless)
        ]
        todo += [target for target, _ in following[node]]
    return Product(first, following, frozenset(everything), frozenset(wrong))


def is_broken(program: Program, discipline: Operational, bound: int, fair: frozenset[str], most: int) -> bool:
    """Whether some fair run breaks the claim: all of the product, then its components."""
    return bool(product_of(program, discipline, bound, fair, most).goals())


def found_shortest(
    program: Program, discipline: Operational, bound: int, fair: frozenset[str]
) -> tuple[int, int] | None:
    """How long the way in and the cycle of the core's shortest lasso are."""
    lowered = encode_states(program, discipline, (), predicates_of(program.claims))
    space = _core.StateSpace(lowered.form, discipline=discipline.value, bound=bound, registers=Kept.ALL.value)
    answer = space.find_run(
        claim_form(program.claims[0], lowered.predicates),
        fair_buffers="buffers" in fair,
        fair_processes="processes" in fair,
        shortest=True,
    )
    return None if answer.lasso is None else (len(answer.lasso.prefix), len(answer.lasso.cycle))


def _queues(machine: Machine, fair: frozenset[str]) -> set[Mark]:
    """All that must be treated fairly."""
    threads = range(len(machine.program.threads))
    cells: Sequence[int | None] = (
        [cell.id for cell in machine.program.cells] if machine.discipline is Operational.PSO else [None]
    )
    found: set[Mark] = set()
    if "buffers" in fair:
        found |= {("queue", thread, cell) for thread in threads for cell in cells}
    if "processes" in fair:
        found |= {("thread", thread, None) for thread in threads}
    return found


def _open(
    machine: Machine, automaton: Automaton, predicates: Sequence[StatePredicate], node: Node
) -> Iterator[Transition]:
    """What the automaton can do in a state; it does not see those inside atomic blocks."""
    if machine.inside(node.state) is not None:
        yield Transition(node.at, node.at, Label(), frozenset())
        return
    letter = letter_of(machine.program, predicates, node.state)
    holding = frozenset(n for n, atom in enumerate(automaton.atoms) if atom in letter)
    yield from (step for step in automaton.leaving[node.at] if step.label.takes(holding))


def _steps(
    machine: Machine, state: State, everything: set[Mark], *, may_stay: bool
) -> list[tuple[State, frozenset[Mark]]]:
    """The states that may follow, with what each step treats fairly."""
    found = machine.moves(state)
    if found.fault is not None:
        raise InputError(found.fault)
    fairness = frozenset(mark for mark in everything if mark[0] != "set")
    is_inside = machine.inside(state) is not None
    if not found.moves:
        is_dead = found.blocked or found.held_back or is_inside or not may_stay
        return [] if is_dead else [(state, fairness)]
    able = {thread for move in found.moves if move.edge is not None for thread in _movers(move)}
    able |= _held(machine, state)
    return [
        (
            move.after,
            frozenset(mark for mark in fairness if _is_fair(state, move, able, mark, is_inside=is_inside)),
        )
        for move in found.moves
        if move.after is not None
    ]


def _movers(move: Move) -> set[int]:
    return {move.thread} if move.partner is None else {move.thread, move.partner.thread}


def _held(machine: Machine, state: State) -> set[int]:
    """Threads that could move if there were more room."""
    roomy = Machine(machine.program, machine.discipline, None)
    moves = [move for move in roomy.moves(state).moves if move.edge is not None]
    return {thread for move in moves for thread in _movers(move)}


def _is_fair(state: State, move: Move, able: set[int], mark: Mark, *, is_inside: bool) -> bool:
    """Whether a move out of a state serves a thread or queue, or, unless nobody sees it, the state does."""
    kind, thread, cell = mark
    if kind == "thread":
        is_served, is_idle = move.edge is not None and thread in _movers(move), thread not in able
    else:
        waiting = [where for where, _ in state.locals[thread].buffer if cell in (None, where)]
        flushed = (
            [act.cell for act in move.acts if act.did is MemoryAction.FLUSHED] if move.edge is None else []
        )
        is_served = move.thread == thread and any(cell in (None, where) for where in flushed)
        is_idle = not waiting
    return is_served or (is_idle and not is_inside)


def compare(
    program: Program,
    name: str,
    bound: int,
    fair: frozenset[str],
    report: Report,
    *,
    most: int,
) -> None:
    """Compares the two on one program."""
    who = f"{program.name} {name}({bound}) fair {sorted(fair)}"
    discipline = model(name).operational
    if discipline is None:
        raise AssertionError("only models with a store-buffer reading are compared")
    try:
        expected = is_broken(program, discipline, bound, fair, most)
    except (EngineLimitError, InputError, TooLargeError) as error:
        report.counts[type(error).__name__] += 1
        return
    options = Options(buffers=bound, buffers_chosen_by_user=True, fair=fair)
    limits = Limits(states=20 * most)
    task = Task(program=program, model=model(name), properties=("claims",), limits=limits, options=options)
    report.counts["broken" if expected else "true"] += 1
    try:
        tally = explore(task)
        whole = explore(task, reduced=False)
        several = [explore(replace(task, options=replace(options, jobs=jobs)), round_size=5) for jobs in JOBS]
    except (EngineLimitError, InputError) as error:
        report.wrong.append(f"{who}: {error}")
        return
    if any(_told(found) != _told(several[0]) for found in several):
        report.wrong.append(f"{who}: the number of threads matters: {[_told(found) for found in several]}")
    report.counts["states"] += whole.statistics.nodes or 0
    report.counts["states reduced"] += tally.statistics.nodes or 0
    if not expected and tally.buffers_held != whole.buffers_held:
        report.wrong.append(f"{who}: with reduction the bound matters: {tally.buffers_held is not None}")
    for found in (tally, whole, several[0]):
        if (found.lasso is not None) is not expected:
            report.wrong.append(f"{who}: {'no ' if expected else 'a '}run was found")
        elif found.lasso is not None:
            report.counts["ends forever"] += found is tally and found.lasso.cycle == len(found.lasso.steps)
            problem = replay(program, model(name), found.lasso)
            if problem is not None:
                report.wrong.append(f"{who}: {problem}")


def _told(found: Tally) -> tuple[object, ...]:
    """All that a search finds, but for time and memory."""
    return found.lasso, found.limit, found.statistics.nodes, found.buffers_held, found.unfit, found.notes


def campaign(count: int, *, first: int = 0, most: int = 1500) -> Report:
    """Compares the two on many programs, each under one model and one kind of fairness."""
    report = Report()
    for seed in range(first, first + count):
        name, bound = MODELS[seed % len(MODELS)]
        fair = FAIR[seed // len(MODELS) % len(FAIR)]
        compare(program_with_claim(seed, may_be_endless=True), name, bound, fair, report, most=most)
    return report


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    chosen = parser.parse_args(arguments)
    report = campaign(chosen.count, first=chosen.first)
    for key, number in sorted(report.counts.items()):
        sys.stdout.write(f"{key}: {number}\n")
    sys.stdout.write("\n".join(report.wrong[:12]) or "no disagreement")
    sys.stdout.write("\n")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
