"""Waiting loops: leaving out turns that only look changes no answer, and what waits forever is found."""

from __future__ import annotations

import pytest

import tiers
from differential.comparisons import shipped
from differential.searches import features_of
from differential.waiting import BOUND, engines, machines, switching, task_of
from membar.engines import graphs
from membar.languages import registry
from membar.models import load
from membar.models.cat.elaborate import compile_model
from membar.models.model import Model
from membar.models.monotone import allows_awaits, watches_under
from membar.program.awaits import Watches
from membar.program.expand import expand
from membar.program.program import Program
from membar.properties.final_state import Observer
from membar.source import SourceFile
from strategies.models import model_text
from strategies.programs import FEATURES
from strategies.waiting import kept_lock, waiting_sample

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

# lkmm and imm remark on executions, and neither is one whose executions can be cut short anywhere: imm allows
# awaits in programs without load buffering, lkmm in none. cam has no axioms.
WITHOUT_AWAITS = {"lkmm", "imm", "cam"}
MODELS = tuple(name for name in load.names() if name not in WITHOUT_AWAITS)


def test_these_models_allow_them() -> None:
    assert {name for name in load.names() if not allows_awaits(shipped(name))} == WITHOUT_AWAITS
    assert {name for name in load.names() if shipped(name).claims.ignores_write_backs} == WITH_WRITE_BACKS


WITH_WRITE_BACKS = {"sc", "x86-tso", "x86-tso-clock", "pso", "ra", "rc11", "rc20"}


def test_imm_allows_them_where_loads_are_not_buffered() -> None:
    model = shipped("imm")
    programs = waiting_sample(60, features_of("imm"), first=5000)
    allowing = [program for program in programs if _watches(program, model).threads]
    assert 10 <= len(allowing) < len(programs)
    assert switching(allowing, model) == []
    found, finished = engines(allowing[:10], model)
    assert found == []
    assert finished >= 3


@pytest.mark.parametrize("name", sorted(WITH_WRITE_BACKS))
def test_locks_that_test_and_set_wait(name: str) -> None:
    program = kept_lock(features_of(name))
    tally = graphs.explore(task_of(program, shipped(name)))
    assert tally.loops_cut is None
    assert tally.stuck is not None  # nobody gives the lock back
    assert graphs.explore(task_of(program, shipped(name), "await")).loops_cut is not None


def _watches(program: Program, model: Model) -> Watches:
    return watches_under(model, expand(program), Observer(program).terms, bound=BOUND)


@pytest.mark.parametrize("name", tiers.models(MODELS))
def test_switching_awaits_off_changes_no_answer(name: str) -> None:
    assert switching(waiting_sample(tiers.size(120), features_of(name)), shipped(name)) == []


@pytest.mark.parametrize("name", tiers.every(2, ["sc", "rc11", "armv8", "power"]))
def test_reference_agrees(name: str) -> None:
    found, finished = engines(waiting_sample(20, features_of(name), first=1000), shipped(name))
    assert found == []
    assert finished >= 5


@pytest.mark.parametrize("name", ["sc", "x86-tso"])
def test_the_store_buffer_machine_waits_for_ever_in_the_same_programs(name: str) -> None:
    found, yes, no = machines(waiting_sample(40, features_of(name), first=2000), shipped(name))
    assert found == []
    assert yes >= 4
    assert no >= 1


def test_any_cat_model_that_allows_them_answers_the_same() -> None:
    models = [cat(model_text(seed)) for seed in range(80)]
    allowing = [model for model in models if allows_awaits(model)]
    assert 10 <= len(allowing) < len(models)
    programs = waiting_sample(400, FEATURES["armv8"], first=3000)
    for number, model in enumerate(allowing):
        assert switching(programs[3 * number : 3 * number + 3], model) == [], model.source


def cat(text: str) -> Model:
    source = SourceFile("random.cat", text)
    plan = compile_model(source, vocabulary=registry.vocabulary()).plan
    return Model(name="random", title="", documentation="", plan=plan, source=source)
