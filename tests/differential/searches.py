"""Compares the two searches of the core with one another, and the exactly-once search with the reference."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

import membar
from membar.diagnostics import EngineLimitError, InputError
from membar.engines import graphs
from membar.engines.reference.axiomatic import explore as reference
from membar.models import load
from membar.models.model import EXACTLY_ONCE, Model
from membar.models.monotone import watches_under
from membar.program.atomicity import require_single_accesses
from membar.program.encoding import encode_program
from membar.program.expand import expand
from membar.program.printer import print_program
from membar.program.program import Program
from membar.properties.final_state import Observer
from membar.questions.task import Options, Task, Unrolling
from strategies.programs import BARE, FEATURES, Features

if TYPE_CHECKING:
    from membar import _core

Disagreements: TypeAlias = list[str]
# What a search answers: counts, final states with their counts, remarks, failures, faults.
Answer: TypeAlias = tuple[int, int, int, list[tuple[tuple[int, ...], int]], list[int], list[int], list[int]]

BOUND = 2
# A mistaken search need not end.
SECONDS = 5.0


def claiming() -> tuple[str, ...]:
    """The shipped models that say they are for the exactly-once search."""
    return tuple(name for name in load.names() if membar.load_model(name).claims.search == EXACTLY_ONCE)


def features_of(name: str) -> Features:
    """What random programs for a model may have."""
    return FEATURES.get(name, BARE)


def encoded(program: Program, model: Model, *, observed: bool = True) -> tuple[_core.Plan, bytes]:
    """A program and a model as the core takes them; with nothing in the final states if not `observed`."""
    assert model.plan is not None
    plan, compiled = graphs.compile_for_core(model.plan)
    expanded = expand(program)
    require_single_accesses(expanded)
    terms = Observer(program).terms if observed else ()
    watched = watches_under(model, expanded, terms, bound=BOUND)
    return compiled, encode_program(expanded, plan.tags, terms, watched).form


def answer(found: _core.Findings) -> Answer:
    """All that must be the same whatever the search."""
    counts = found.executions, found.blocked, found.stuck
    return *counts, found.states, found.flags, found.failures, found.faults


def complete(found: _core.Findings) -> tuple[object, ...]:
    """All that must be the same however few of the blocked executions are looked at.

    Where several threads fail in one execution it counts for the first of them.
    """
    broken = bool(found.failures), bool(found.faults)
    return found.executions, found.stuck > 0, found.cut, found.states, found.flags, *broken


def once(
    program: Program,
    model: Model,
    *,
    order: int | None = None,
    jobs: int = 1,
    in_place: bool = False,
) -> _core.Findings:
    """The exactly-once search, or with `order` its dependency-aware variant.

    It looks out for what must not happen; the workers of the former share all they can.
    """
    compiled, form = encoded(program, model)
    return compiled.search_exactly_once(
        form,
        bound=BOUND,
        order=order,
        jobs=jobs,
        in_place=in_place,
        seconds=SECONDS,
        verify=True,
    )


def general(program: Program, model: Model) -> _core.Findings:
    """The general search."""
    compiled, form = encoded(program, model)
    return compiled.search(form, bound=BOUND)


def searches(
    programs: Iterable[Program],
    model: Model,
    *,
    order: int | None = None,
    jobs: int = 1,
) -> Disagreements:
    """Where the exactly-once search differs from the general one, comes twice, or meets a surprise.

    With `order` the dependency-aware search. As neither comes to an execution twice and both ask the model
    about every one, equal numbers of executions for every final state are equal sets of executions.
    """
    found: Disagreements = []
    for program in programs:
        try:
            expected = general(program, model)
        except OverflowError:  # a thread that is started twice
            continue
        problem = difference(program, model, expected, order=order, jobs=jobs)
        if problem:
            found.append(f"{model.name}: {problem}\n{print_program(program)}")
    return found


def difference(
    program: Program,
    model: Model,
    expected: _core.Findings,
    *,
    order: int | None = None,
    jobs: int = 1,
) -> str:
    """What is wrong with the exactly-once search's answer; nothing if it is right."""
    problem, found = _answered(program, model, order=order, jobs=jobs)
    if found is None:
        return problem
    if answer(found) != answer(expected):
        return f"{answer(found)} is not {answer(expected)}"
    if found.cut and not expected.cut:
        return "cut a loop that the general search did not"
    if not found.waits:
        return ""
    problem, patient = _answered(program, model, jobs=jobs, in_place=True)
    if patient is None:
        return f"in place: {problem}"
    if complete(patient) != complete(found) or patient.blocked > found.blocked:
        return f"in place: {complete(patient)} is not {complete(found)}"
    return ""


def _answered(
    program: Program,
    model: Model,
    *,
    order: int | None = None,
    jobs: int = 1,
    in_place: bool = False,
) -> tuple[str, _core.Findings | None]:
    """The search's answer, or what must not happen and did."""
    try:
        found = once(program, model, order=order, jobs=jobs, in_place=in_place)
    except (OverflowError, RuntimeError) as problem:
        return f"no answer: {problem}", None
    if found.stopped is not None:
        return "did not end", None
    if found.duplicates:
        return f"{found.duplicates} executions came twice", None
    if found.surprises:
        return f"{found.surprises} maximal additions were not consistent", None
    if found.contradictions:
        return f"the model is asked in two ways, with {found.contradictions} different answers", None
    return "", found


def references(
    programs: Iterable[Program], model: Model, *, algorithm: str = "exactly-once search"
) -> Disagreements:
    """Where the engine, which takes the search named `algorithm`, differs from the reference."""
    found: Disagreements = []
    off = frozenset({"latest"})
    options = Options(unrolling=Unrolling(exact=BOUND), stops_early=False, reductions_off=off)
    for program in programs:
        task = Task(program=program, model=model, properties=("condition", "assertions"), options=options)
        try:
            expected = reference(task)
        except (InputError, EngineLimitError):
            continue
        tally = graphs.explore(task)
        assert tally.algorithm == algorithm
        pairs = [
            (frozenset(tally.outcomes), frozenset(expected.outcomes)),
            (tally.statistics.executions, expected.statistics.executions),
            (tally.statistics.blocked, expected.statistics.blocked),
            (tally.positive, expected.positive),
            (tally.negative, expected.negative),
            (tally.flags, expected.flags),
            (tally.race is None, expected.race is None),
            (tally.failed_assertion is None, expected.failed_assertion is None),
            (tally.stuck is None, expected.stuck is None),
        ]
        if any(ours != theirs for ours, theirs in pairs):
            found.append(f"{model.name}: {pairs}\n{print_program(program)}")
    return found
