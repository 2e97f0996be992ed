"""The fast engine against the specification: the same executions, one by one, for every model."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given, settings

import membar
import tiers
from differential.engines import difference, question
from membar.diagnostics import InputError
from membar.engines import graphs
from membar.languages import registry
from membar.models.cat.elaborate import compile_model
from membar.models.load import names
from membar.models.model import Model
from membar.program.printer import print_program
from membar.program.program import Program
from membar.source import SourceFile
from strategies.control import control_program, control_programs
from strategies.models import model_text, model_texts
from strategies.programs import FEATURES, PLAIN, program_of_seed, programs
from strategies.selects import select_programs

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to compare")


@cache
def shipped(name: str) -> Model:
    return membar.load_model(name)


AXIOMATIC = tuple(name for name in names() if shipped(name).plan is not None)


def cat(text: str) -> Model:
    compiled = compile_model(SourceFile("random.cat", text), vocabulary=registry.vocabulary())
    return Model(name="random", title="", documentation="", plan=compiled.plan)


def assert_same(program: Program, model: Model, *, without: str = "") -> None:
    task = question(program, model, without=[without] if without else [])
    assert difference(task) == "", print_program(program)


@given(program=select_programs(FEATURES["armv8"]))
@settings(max_examples=tiers.size(100))
def test_both_engines_see_the_same_picks(program: Program) -> None:
    assert_same(program, shipped("armv8"))


@pytest.mark.parametrize("name", tiers.models(AXIOMATIC))
def test_graphs_runs_threads_as_the_reference_does(name: str) -> None:
    @given(program=control_programs())
    @example(program=control_program(149891))  # nobody moves, and a fence is unknown to store buffers
    @settings(max_examples=tiers.size(80))
    def law(program: Program) -> None:
        assert_same(program, shipped(name))
        assert_same(program, shipped(name), without="await")

    law()


@given(text=model_texts(), program=programs(FEATURES["armv8"]))
@settings(max_examples=tiers.size(70))
def test_graphs_is_exact_for_any_cat_model(text: str, program: Program) -> None:
    assert_same(program, cat(text))


@given(text=model_texts(), program=control_programs())
@settings(max_examples=tiers.size(60))
def test_graphs_is_exact_for_any_cat_model_and_any_control(text: str, program: Program) -> None:
    assert_same(program, cat(text))


@given(text=model_texts(), program=programs(PLAIN))
@settings(max_examples=tiers.size(40))
def test_pruning_changes_nothing(text: str, program: Program) -> None:
    assert_same(program, cat(text), without="prune")


def test_random_models_and_programs_are_worth_something() -> None:
    models = [cat(model_text(seed)) for seed in range(40)]
    tallies = [
        graphs.explore(question(control_program(seed), shipped("sc"), without=["await"]))
        for seed in _runnable(60)
    ]
    assert sum(tally.loops_cut is not None for tally in tallies) >= 3
    assert sum(bool(tally.statistics.blocked) for tally in tallies) >= 6
    assert sum(tally.failed_assertion is not None for tally in tallies) >= 2
    counts = [
        graphs.explore(question(program_of_seed(5), model)).statistics.executions or 0 for model in models
    ]
    assert 5 <= sum(count > 0 for count in counts) < len(counts)


def _runnable(count: int) -> list[int]:
    def faults(seed: int) -> bool:
        try:
            graphs.explore(question(control_program(seed), shipped("sc")))
        except InputError:
            return True
        return False

    return [seed for seed in range(count) if not faults(seed)]


def test_graphs_answers_the_examples_like_the_reference() -> None:
    examples = sorted((Path(__file__).resolve().parents[2] / "examples" / "litmus").glob("*.litmus"))
    assert examples
    for path in examples:
        found = membar.check(path, engine="graphs")
        expected = membar.check(path, engine="reference")
        assert found.verdict == expected.verdict, path
        assert found.outcome.run.outcomes == expected.outcome.run.outcomes, path
