"""Guides through small random programs, and by brute force whether a run follows them.

Every run of the machine is enumerated, history by history; a guide is matched against each in every way.
Nothing is shared with the search but the machine itself.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import membar
from membar.engines.reference.exploration_budget import Budget
from membar.engines.reference.machine import Machine
from membar.engines.reference.state import Move, State
from membar.engines.reference.witness_replay import replay
from membar.evidence.svcomp import UNREACHABLE, SvcompWitness, Waypoint
from membar.evidence.svcomp.places import UnfollowableError, routes
from membar.models.model import Operational
from membar.program.operations import Assert, Assume, Choose, Load, Set, Spawn, Store
from membar.program.program import Edge, Program
from membar.questions import engine_answer
from membar.questions.outcome import Violated, Witness
from membar.questions.task import Limits, Task
from membar.questions.witness import _of_program_itself
from membar.questions.witness.interleavings import following
from membar.questions.witness.watched import has_passed, restrict_to_route
from membar.source import SourceFile

PATH = "p.c"
MOST_RUNS = 1500
_STATEMENTS = ("x = {};", "y = {};", "x = y + {};", "y = x;", "{{ int r = x; y = r + {}; }}")


@dataclass(frozen=True, slots=True)
class Taken:
    """One step of a run."""

    move: Move
    before: State


@dataclass(frozen=True, slots=True)
class Case:
    """A program, with all of its runs that end with a failed assertion."""

    program: Program
    runs: tuple[tuple[Taken, ...], ...]


def text(dice: random.Random) -> str:
    """A program: one statement to a line."""

    def body() -> list[str]:
        return [dice.choice(_STATEMENTS).format(dice.randrange(1, 3)) for _ in range(dice.randrange(1, 3))]

    return "\n".join(
        [
            "#include <assert.h>",
            "#include <pthread.h>",
            "int x, y;",
            "static void *other(void *unused) {",
            *body(),
            *dice.choice([[], ["assert(x != 3);"]]),
            "return 0; }",
            "int main(void) { pthread_t t;",
            *dice.choice([[], ["x = 3;"]]),
            "pthread_create(&t, 0, other, 0);",
            *body(),
            f"assert(x != {dice.randrange(3)});",
            *dice.choice([[], ["assert(y == 1);"]]),
            "return 0; }",
            "",
        ]
    )


def cases(seed: int, count: int) -> Iterator[Case]:
    """Programs that can fail, and whose runs are not too many."""
    dice = random.Random(seed)
    while count:
        program = membar.parse(SourceFile(PATH, text(dice)))
        runs = failing(program)
        if runs:
            count -= 1
            yield Case(program, tuple(runs))


def failing(program: Program) -> list[tuple[Taken, ...]]:
    """Every run that ends with a failed assertion; none if there are too many runs."""
    machine = Machine(program, Operational.SC, None)
    found: list[tuple[Taken, ...]] = []
    todo: list[tuple[State, tuple[Taken, ...]]] = [(machine.initial(), ())]
    seen = 0
    while todo:
        state, run = todo.pop()
        moves = machine.moves(state).moves
        seen += not moves
        if seen > MOST_RUNS:
            return []
        for move in moves:
            longer = (*run, Taken(move, state))
            if move.after is None:
                found.append(longer)
                seen += 1
            else:
                todo.append((move.after, longer))
    return found


def edge_of(program: Program, move: Move) -> Edge:
    """The edge that a move takes."""
    assert move.edge is not None
    return program.threads[move.thread].edges[move.edge]


def guide(dice: random.Random, case: Case) -> SvcompWitness:
    """Some steps of a run, told; sometimes something else than what happened."""
    run = dice.choice(case.runs)
    names = {0: "0"}
    told: list[Waypoint] = []
    for taken in run[:-1]:
        edge = edge_of(case.program, taken.move)
        spawned = [item for item in edge.operations if isinstance(item, Spawn)]
        assert taken.move.after is not None
        if spawned:
            names[1] = "1"
            told.append(Waypoint(thread="0", line=line_of(edge), enters=True))
        elif edge.span and dice.random() < 0.3:
            when = taken.before if dice.random() < 0.5 else taken.move.after
            some = tuple((n, when.memory[i]) for i, n in enumerate(("x", "y")) if dice.random() < 0.4)
            before, after = (some, ()) if when is taken.before else ((), some)
            name = names[taken.move.thread]
            told.append(Waypoint(thread=name, line=line_of(edge), before=before, after=after))
    last = edge_of(case.program, run[-1].move)
    target = Waypoint(thread=names[run[-1].move.thread], line=line_of(last))
    found = SvcompWitness(
        specification=UNREACHABLE, hashes=(), main="0", waypoints=tuple(told), targets=(target,)
    )
    return _spoilt(dice, found) if dice.random() < 0.6 else found


def line_of(edge: Edge) -> int:
    """Where an edge is."""
    return edge.span.line if edge.span else 0


def _spoilt(dice: random.Random, right: SvcompWitness) -> SvcompWitness:
    told = list(right.waypoints)
    number = dice.randrange(len(told)) if told else 0
    match dice.randrange(5) if told else 4:
        case 0 if len(told) > 1:
            other = dice.randrange(len(told))
            told[number], told[other] = told[other], told[number]
        case 1:
            told[number] = replace(told[number], line=(told[number].line or 0) + dice.choice((-1, 1)))
        case 2:
            told[number] = replace(told[number], before=(("x", dice.randrange(4)),))
        case 3:
            told[number] = replace(told[number], after=(("y", dice.randrange(4)),))
        case _:
            line = (right.targets[0].line or 0) + dice.choice((-1, 1))
            return replace(right, targets=(replace(right.targets[0], line=line),))
    return replace(right, waypoints=tuple(told))


def is_followed(case: Case, wanted: SvcompWitness) -> bool:
    """By brute force: whether some run follows the guide."""
    return any(_matches(case.program, run, wanted.waypoints, wanted, {"0": 0}) for run in case.runs)


def _matches(
    program: Program,
    run: Sequence[Taken],
    told: Sequence[Waypoint],
    wanted: SvcompWitness,
    names: dict[str, int],
) -> bool:
    if not run:
        return False
    taken, *rest = run
    edge = edge_of(program, taken.move)
    if not rest:
        (target,) = wanted.targets
        is_there = names.get(target.thread) == taken.move.thread and line_of(edge) == target.line
        return not told and is_there
    if told and names.get(told[0].thread) == taken.move.thread and _is_at(program, taken, told[0]):
        spawned = [item for item in edge.operations if isinstance(item, Spawn)]
        more = {**names, "1": 1} if spawned and told[0].enters else names
        if _matches(program, rest, told[1:], wanted, more):
            return True
    return _matches(program, rest, told, wanted, names)


def _is_at(program: Program, taken: Taken, point: Waypoint) -> bool:
    edges = [edge for edge in program.threads[taken.move.thread].edges if line_of(edge) == point.line]
    edge = edge_of(program, taken.move)
    if not any(edge is each for each in edges):
        return False
    if any(map(_acts, edges)) and not _acts(edge):
        return False
    after = taken.move.after
    cells = {"x": 0, "y": 1}
    return (
        after is not None
        and all(taken.before.memory[cells[name]] == value for name, value in point.before)
        and all(after.memory[cells[name]] == value for name, value in point.after)
    )


def _acts(edge: Edge) -> bool:
    return not all(isinstance(operation, Set | Assume | Assert | Choose) for operation in edge.operations)


def found(case: Case, wanted: SvcompWitness) -> Witness | None:
    """By the search: a run that follows the guide."""
    machine = Machine(case.program, Operational.SC, None)
    try:
        for route in routes(case.program, PATH, wanted):
            witness = following(machine, route, Budget(Limits()), is_shown=lambda _: True)
            if witness is not None:
                return witness
    except UnfollowableError:
        return None
    return None


def found_alone(case: Case, wanted: SvcompWitness) -> Witness | None:
    """By the watched program: an execution in which each thread follows its own part, whatever the values."""
    bare = tuple(replace(point, before=(), after=()) for point in wanted.waypoints)
    wanted = replace(wanted, waypoints=bare)
    model = membar.load_model("sc")
    try:
        for route in routes(case.program, PATH, wanted):
            program = restrict_to_route(case.program, route, "assertions")
            outcome = engine_answer.answer(
                Task(program=program, model=model, properties=("assertions",)),
                engine_answer.load_engine("graphs"),
            )
            if isinstance(outcome, Violated) and outcome.witness and has_passed(outcome.witness, route):
                own = _of_program_itself(case.program, outcome.witness)
                assert replay(case.program, model, own) is None
                return own
    except UnfollowableError:
        return None
    return None


def is_passing(case: Case, wanted: SvcompWitness, witness: Witness) -> bool:
    """Whether an execution fails at the target, and each thread passes the lines of its own part.

    As far as it acts on memory there.
    """
    if f"(line {wanted.targets[0].line})" not in witness.message:
        return False
    for name in ("0", "1"):
        lines = [
            event.span.line
            for event in witness.execution.events
            if event.thread == int(name) and event.span is not None
        ]
        for point in wanted.waypoints:
            if point.thread != name or not _is_access(case.program, point):
                continue
            if point.line not in lines:
                return False
            del lines[: lines.index(point.line) + 1]
    return True


def _is_access(program: Program, point: Waypoint) -> bool:
    edges = [e for e in program.threads[int(point.thread)].edges if line_of(e) == point.line]
    return any(isinstance(operation, Load | Store) for edge in edges for operation in edge.operations)
