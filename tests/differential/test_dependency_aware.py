"""The dependency-aware search: equal to the general search and the reference on programs that it is for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

import membar
from differential.comparisons import shipped
from differential.searches import features_of, references, searches
from membar.engines import graphs
from membar.engines.graphs import search, search_choice
from membar.models import load
from membar.models.model import DEPENDENCY_AWARE
from membar.program.dependency_order import obstacle
from membar.program.expand import expand
from membar.program.operations import Join, Spawn
from membar.program.program import Program
from membar.properties.property import has_operation
from membar.questions.task import Task
from strategies.buffering import buffering_program_of_seed, buffering_sample
from strategies.programs import program_of_seed
from strategies.wider import wide_program_of_seed

core = pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

MODELS = tuple(name for name in load.names() if membar.load_model(name).claims.search == DEPENDENCY_AWARE)


def disagreements(name: str, programs: Iterator[Program]) -> list[str]:
    model = shipped(name)
    assert model.thread_order is not None
    return searches(programs, model, order=model.thread_order)


def other_programs(name: str, count: int) -> Iterator[Program]:
    """Programs of every kind, of which many are not for this search."""
    features = replace(features_of(name), exclusives=True)
    for seed in range(count):
        yield program_of_seed(seed, features)
        yield wide_program_of_seed(seed, features)
        yield buffering_program_of_seed(seed, features)


def test_these_models_claim_it() -> None:
    assert set(MODELS) == {"armv8", "riscv"}


@pytest.mark.parametrize("name", MODELS)
def test_both_searches_agree(name: str) -> None:
    assert disagreements(name, buffering_sample(200, features_of(name))) == []


@pytest.mark.parametrize("name", MODELS)
def test_both_searches_agree_on_programs_of_every_kind(name: str) -> None:
    fitting = (program for program in other_programs(name, 120) if obstacle(expand(program)) is None)
    assert disagreements(name, fitting) == []


@pytest.mark.parametrize("name", MODELS)
def test_reference_agrees(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "exploration", lambda *_: DEPENDENCY_AWARE)
    programs = buffering_sample(10, features_of(name), first=1000)
    assert references(programs, shipped(name), algorithm="dependency-aware search") == []


NEEDED = (
    "a load may follow a store of the same location",
    "a store after a store-conditional",
    "an RMW that may not write, followed by more",
    "an RMW between a load and a store",
    "a store after an assertion",
)


@pytest.mark.parametrize("reason", NEEDED)
def test_no_reason_to_take_the_general_search_is_idle(reason: str) -> None:
    for program in other_programs("riscv", 4000):
        found = obstacle(expand(program))
        is_it = found is not None and found.endswith(reason) and not has_operation(program, Spawn, Join)
        if is_it and disagreements("riscv", iter([program])):
            return
    pytest.fail("the search is right without it")


def test_the_engine_takes_it_for_large_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_choice, "_QUICK", 0)
    found: set[str] = set()
    for program in buffering_sample(60, features_of("armv8")):
        task = Task(program=program, model=shipped("armv8"), properties=("condition",))
        tally = graphs.explore(task)
        found.add(tally.algorithm)
        assert (tally.statistics.duplicates is None) == (tally.algorithm != "dependency-aware search")
    assert found >= {"dependency-aware search", "general search"}
