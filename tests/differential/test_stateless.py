"""The exactly-once search: equal to the general search and the reference; what it needs of models holds."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import fields, replace
from itertools import pairwise

import pytest

import membar
import tiers
from differential.comparisons import shipped
from differential.searches import claiming, features_of, general, once, references, searches
from membar.diagnostics import EngineLimitError
from membar.engines.reference.axiomatic import explore
from membar.models import load
from membar.models.evaluate import Evaluator
from membar.program.execution import Execution
from membar.program.program import Program
from membar.questions.task import Options, Task, Unrolling
from strategies.programs import Features, Size, sample
from strategies.waiting import waiting_sample
from strategies.wider import wide_sample

core = pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

MODELS = claiming()
# Those whose programs without load buffering go to this search too.
OTHERS = tuple(name for name in load.names() if membar.load_model(name).claims.load_buffering)
LARGER = Size(threads=(2, 4), accesses=(7, 8))


def mixed(count: int, features: Features) -> Iterator[Program]:
    """Programs of every kind."""
    yield from sample(count, features)
    yield from sample(count, replace(features, exclusives=True))
    yield from wide_sample(count, features, first=count)
    yield from wide_sample(count, replace(features, exclusives=True), first=2 * count)
    yield from wide_sample(count // 2, features, size=LARGER, first=3 * count)
    yield from waiting_sample(count // 4, replace(features, exclusives=True))


def test_these_models_claim_it() -> None:
    assert set(MODELS) >= {"sc", "x86-tso", "pso", "ra", "rc11"}


@pytest.mark.parametrize("name", tiers.models(MODELS, quick=("x86-tso", "rc11")))
def test_both_searches_agree(name: str) -> None:
    assert searches(tiers.some(mixed(400, features_of(name))), shipped(name)) == []


@pytest.mark.parametrize("name", tiers.models(MODELS, quick=("x86-tso", "rc11")))
def test_reference_agrees(name: str) -> None:
    assert references(tiers.some(mixed(30, features_of(name))), shipped(name)) == []


def whole_executions(name: str, count: int) -> Iterator[Execution]:
    """Consistent executions of random programs, by the reference."""
    features = replace(features_of(name), exclusives=True)
    options = Options(unrolling=Unrolling(exact=1), all_executions=True)
    for program in (*sample(count, features), *wide_sample(count, features)):
        task = Task(program=program, model=shipped(name), properties=("condition",), options=options)
        try:
            yield from (witness.execution for witness in explore(task).kept)
        except EngineLimitError:  # a thread that is started twice
            continue


@pytest.mark.parametrize("name", tiers.models(MODELS, quick=("x86-tso", "rc11")))
def test_po_rf_and_threads_have_no_cycle(name: str) -> None:
    for execution in whole_executions(name, tiers.size(20)):
        for event in execution.events:
            assert event.id not in _before(execution, event.id), execution


@pytest.mark.parametrize("name", tiers.models([*MODELS, *OTHERS]))
def test_prefixes_of_executions_are_consistent(name: str) -> None:
    plan = shipped(name).plan
    assert plan is not None
    evaluator = Evaluator(plan)
    for execution in whole_executions(name, tiers.size(12) if name in MODELS else 3):
        before = {event.id: _before(execution, event.id) for event in execution.events}
        if any(event in reached for event, reached in before.items()):
            continue  # it buffers loads
        for event in execution.events:
            part = _restricted(execution, before[event.id] | {event.id})
            assert evaluator.whole(part).failures() == (), (name, event, execution)


@pytest.mark.parametrize("name", tiers.models(MODELS, quick=("x86-tso", "rc11")))
def test_a_read_modify_write_stands_behind_what_it_reads(name: str) -> None:
    for execution in whole_executions(name, tiers.size(20)):
        source = {read: write for write, read in execution.rf}
        before = {b: a for order in execution.co for a, b in pairwise(order)}
        for read, write in execution.amo:
            assert before[write] == source[read]


def test_adding_maximally_is_always_consistent_and_nothing_comes_twice() -> None:
    # `verify` counts both, whatever the answers are.
    for name in MODELS:
        for program in mixed(20, features_of(name)):
            try:
                found = once(program, shipped(name))
            except OverflowError:
                continue
            assert (found.surprises, found.duplicates) == (0, 0)


def test_a_weak_execution_is_found_by_both() -> None:
    for program in sample(20, features_of("x86-tso")):
        assert once(program, shipped("x86-tso")).states == general(program, shipped("x86-tso")).states


def _before(execution: Execution, event: int) -> set[int]:
    """What reaches an event by program order, reads-from, and the starting and joining of threads."""
    edges = [*execution.po, *execution.rf, *execution.spawn_join]
    found: set[int] = set()
    todo = [event]
    while todo:
        here = todo.pop()
        new = {a for a, b in edges if b == here} - found
        found |= new
        todo += new
    return found


def _restricted(execution: Execution, kept: set[int]) -> Execution:
    """The events `kept`, with the initial writes of their locations, numbered anew."""
    cells = {execution.events[event].cell for event in kept}
    initial = {event.id for event in execution.events if event.is_initial and event.cell in cells}
    order = sorted(kept | initial)
    number = {old: new for new, old in enumerate(order)}
    pairs = {
        item.name: frozenset((number[a], number[b]) for a, b in value if a in number and b in number)
        for item in fields(execution)
        if isinstance(value := getattr(execution, item.name), AbstractSet)
    }
    chains = (tuple(number[write] for write in chain if write in number) for chain in execution.co)
    return replace(
        execution,
        events=tuple(replace(execution.events[old], id=new) for old, new in number.items()),
        rf=tuple((number[a], number[b]) for a, b in execution.rf if a in number and b in number),
        co=tuple(chain for chain in chains if chain),
        registers=(),
        **pairs,
    )
