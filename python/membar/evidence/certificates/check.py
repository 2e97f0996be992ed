"""Whether cubes prove a system safe: they cover the unsafe states, exclude the initial ones, and are closed.

Closed: every step that leads into one of them starts in one of them. Then no run of any number of processes
leads from an initial state into them. The user's invariants are covered too, so they are proved, not trusted.
Cubes that are `Future`s are checked by the pre-image of section 3, all others by that of section 4.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations, product

from membar.evidence.certificates import generic
from membar.evidence.certificates.cover import Cover
from membar.evidence.certificates.formulas import disjunction
from membar.evidence.certificates.generic import Future, future, settle
from membar.evidence.certificates.graph import order
from membar.evidence.certificates.preimage import Backward, roots
from membar.evidence.certificates.quantified import quantified_script
from membar.evidence.certificates.smt import Logic
from membar.evidence.certificates.step_processes import instances, universe_of
from membar.records import record
from membar.systems.events import EventCube, EventKind
from membar.systems.mapping import literals_renamed, plain
from membar.systems.system import ParameterizedSystem, Transition
from membar.systems.terms import Access, Comparison, Constructor, EventValue, Literal

_WEAK_HEAD = """\
; Obligations of membar's proof of the system {name}: every (check-sat) must answer unsat.
; membar computed the cubes before each step (with the order of events in weak memory), and which cubes of the
; proof may cover them; this computation is not in the file. A solver checks the rest: that each state of such
; a cube is in a cube of the proof, and that no initial state is."""

# What is wrong where z3 does not see what seemed plain.
UNSEEN = "z3 does not confirm that the cubes cover the unsafe states, or exclude the initial ones"


@record(frozen=True, slots=True, kw_only=True)
class Certificate:
    """The result of checking a proof.

    Attributes:
        problem: what is wrong with it; None if it is a proof.
        cubes: how many cubes it has.
        obligations: how many questions were answered.
        seconds: how long that took.
    """

    problem: str | None
    cubes: int
    obligations: int
    seconds: float


def certify(
    system: ParameterizedSystem,
    cubes: Sequence[EventCube],
    *,
    should_stop: Callable[[], bool] = lambda: False,
) -> Certificate:
    """Checks a proof of `system` (under sc: of its sequential reading).

    Stops early, with that as the problem, when `should_stop` says so.
    """
    start = time.perf_counter()
    if any(order(len(cube.events), cube.before, cube.together) is None for cube in cubes):
        disorder = "the events of a cube have no order"
        return Certificate(problem=disorder, cubes=len(cubes), obligations=0, seconds=0.0)
    ground = _instances(system, cubes)
    cover = _cover(system, ground)
    obligations = 0
    problem = None
    for obligation in obligations_of(system, ground):
        obligations += 1
        if should_stop():
            problem = "the time for checking the proof ran out"
        elif not _is_met(cover, obligation):
            problem = obligation.failure
        if problem is not None:
            break
    if problem is None and not cover.logic.confirms_claims():
        problem = UNSEEN
    return Certificate(
        problem=problem, cubes=len(cubes), obligations=obligations, seconds=time.perf_counter() - start
    )


@record(frozen=True, slots=True)
class Obligation:
    """One obligation: a cube is covered, or excludes the initial states.

    `after` is the cube into which the step leads, where it is about a step.
    """

    cube: EventCube
    excludes_initial: bool
    failure: str
    after: EventCube | None = None


def obligations_of(system: ParameterizedSystem, cubes: Sequence[EventCube]) -> Iterator[Obligation]:
    """All obligations of (grounded) cubes."""
    is_generic = any(isinstance(cube, Future) for cube in cubes)
    for number, states in enumerate((*system.unsafe, *system.invariants)):
        kind = "an unsafe state" if number < len(system.unsafe) else "a state that an invariant excludes"
        for one in roots(system, states):
            root = future(one) if is_generic else one
            yield Obligation(root, excludes_initial=False, failure=f"{kind} is not covered")
    for cube in cubes:
        yield Obligation(cube, excludes_initial=True, failure="an initial state is covered")
    backward = Backward(system)
    for cube in cubes:
        for transition, before in steps_into(backward, cube):
            failure = f"`{transition.name}` leads into the cubes from outside"
            yield Obligation(before, excludes_initial=False, failure=failure, after=cube)


def steps_into(backward: Backward, cube: EventCube) -> Iterator[tuple[Transition, EventCube]]:
    """The cubes before each step into a cube, by the pre-image for cubes of its kind."""
    return generic.into(backward.system, cube) if isinstance(cube, Future) else backward.into(cube)


def _is_met(cover: Cover, obligation: Obligation) -> bool:
    if obligation.excludes_initial:
        return not is_initial(cover.system, obligation.cube, cover.logic)
    return cover.is_covered(obligation.cube, after=obligation.after)


def script(system: ParameterizedSystem, cubes: Sequence[EventCube]) -> str:
    """A proof as one SMT-LIB script; every answer must be `unsat`.

    Without weak memory it has the whole system and its invariant. With it, it has the obligations that membar
    computed, as its head says.
    """
    if not system.is_weak and not any(cube.events for cube in cubes):
        return quantified_script(system, cubes)
    ground = _instances(system, cubes)
    cover = _cover(system, ground)
    blocks = [_WEAK_HEAD.format(name=system.name.replace("\n", " "))]
    for obligation in obligations_of(system, ground):
        if obligation.excludes_initial:
            if isinstance(obligation.cube, Future) and settle(obligation.cube) is None:
                continue  # its events alone exclude that its reads see initial values
            question = initial_question(system, obligation.cube, cover.logic)
        else:
            question = cover.question(obligation.cube)
        blocks.append(f"(reset) ; if sat: {obligation.failure}\n{cover.logic.script(question)}")
    return "\n".join(blocks)


def _cover(system: ParameterizedSystem, cubes: Sequence[EventCube]) -> Cover:
    cover = Cover(system, Logic(system))
    for cube in cubes:
        cover.add(cube)
    return cover


def _instances(system: ParameterizedSystem, cubes: Sequence[EventCube]) -> list[EventCube]:
    return list(dict.fromkeys(one for cube in cubes for one in instances(system, cube)))


def is_initial(system: ParameterizedSystem, cube: EventCube, logic: Logic) -> bool:
    """Whether some initial state may be in a cube: pending reads return initial values."""
    if isinstance(cube, Future) and settle(cube) is None:
        return False
    contradicted = _contradicted_literal(system, cube)
    if contradicted is not None:
        logic.claim((*cube.literals, contradicted), None)
        return False
    return not logic.is_unsatisfiable(initial_question(system, cube, logic))


def _contradicted_literal(system: ParameterizedSystem, cube: EventCube) -> Literal | None:
    """The initial value of a cell that a literal of the cube syntactically contradicts; None if none does."""
    if len(system.init.alternatives) != 1:
        return None
    given = {
        one.left.symbol: one.right
        for one in system.init.alternatives[0]
        if one.comparison is Comparison.EQUAL
        and isinstance(one.left, Access)
        and isinstance(one.right, Constructor)
        and set(one.left.indices) <= set(system.init.parameters)
        and len(set(one.left.indices)) == len(one.left.indices)
    }
    for one in cube.literals:
        left, right = one.left, one.right
        if isinstance(left, Access) and isinstance(right, Constructor) and left.symbol in given:
            is_equal = given[left.symbol] == right
            if one.comparison is (Comparison.DIFFERENT if is_equal else Comparison.EQUAL):
                return Literal(left, Comparison.EQUAL, given[left.symbol])
    return None


def initial_question(system: ParameterizedSystem, cube: EventCube, logic: Logic) -> list[str]:
    """Satisfiable exactly if some initial state is in a cube."""
    universe = universe_of(system, cube)
    asked = [logic.all(cube.literals), logic.apart(cube.parameters)]
    for number, event in enumerate(cube.events):
        for place in event.locations if event.kind is EventKind.READ else ():
            seen = EventValue(number, place.symbol, place.indices)
            asked.append(logic.literal(Literal(seen, Comparison.EQUAL, Access(place.symbol, place.indices))))
    for chosen in product(universe, repeat=len(system.init.parameters)):
        names = dict(zip(system.init.parameters, chosen, strict=True))
        bodies = [literals_renamed(body, names) for body in system.init.alternatives]
        asked.append(disjunction(map(logic.all, bodies)))
    for excluded in system.invariants:
        for chosen in permutations(universe, len(excluded.parameters)):
            names = dict(zip(excluded.parameters, chosen, strict=True))
            asked.append(logic.negation(plain(literals_renamed(excluded.literals, names))))
    return asked
