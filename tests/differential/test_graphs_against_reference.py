"""The fast engine against the specification: the same executions, one by one, for every model."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings

from membar import api
from membar.diagnostics import EngineLimitError, InputError
from membar.engines import graphs
from membar.engines.reference import axiomatic
from membar.engines.reference.replay import replay
from membar.models.cat.elaborate import compile_model
from membar.models.load import names
from membar.models.model import Model
from membar.outcome import Witness
from membar.program.printer import print_program
from membar.program.program import Program
from membar.properties import PROPERTIES
from membar.properties.judge import Tally, judge
from membar.source import SourceFile
from membar.task import Options, Task, Unrolling
from strategies.control import control_program, control_programs
from strategies.models import model_text, model_texts
from strategies.programs import FEATURES, PLAIN, program_of_seed, programs
from strategies.selects import select_programs

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to compare")


@cache
def shipped(name: str) -> Model:
    return api.load_model(name)


AXIOMATIC = tuple(name for name in names() if shipped(name).plan is not None)


def cat(text: str) -> Model:
    compiled = compile_model(SourceFile("random.cat", text), vocabulary=api.vocabulary())
    return Model(name="random", title="", documentation="", plan=compiled.plan)


def identity(witness: Witness) -> tuple[object, ...]:
    """What makes two executions the same one."""
    execution = witness.execution
    relations = (
        *(execution.po, execution.addr, execution.data, execution.ctrl, execution.amo, execution.lxsx),
        *(execution.pick_addr, execution.pick_data, execution.pick_ctrl),
    )
    return (
        execution.events,
        tuple(sorted(execution.rf)),
        execution.co,
        relations,
        execution.spawn_join,
        execution.registers,
        witness.choices,
        witness.final,
    )


def summary(tally: Tally) -> dict[str, object]:
    """All that both engines must agree on."""
    kept = [identity(witness) for witness in tally.kept]
    assert len(kept) == len(set(kept)), "an execution was found twice"
    return {
        "states": tally.outcomes,
        "executions": tally.statistics.executions,
        "blocked": tally.statistics.blocked,
        "positive": tally.positive,
        "negative": tally.negative,
        "flags": tally.flags,
        "undefined": tally.race is not None,
        "assertion": tally.failed_assertion is not None,
        "kept": set(kept),
    }


def answers(program: Program, model: Model, *, bound: int = 2, prune: bool = True) -> Task:
    off = frozenset[str]() if prune else frozenset({"prune"})
    options = Options(all_executions=True, unrolling=Unrolling(exact=bound), reductions_off=off)
    return Task(program=program, model=model, properties=tuple(PROPERTIES), options=options)


def explored(explore: Callable[[Task], Tally], task: Task) -> Tally | frozenset[str]:
    """What an engine finds, or the codes of what it finds wrong with the program."""
    try:
        return explore(task)
    except InputError as wrong:
        return frozenset(diagnostic.code for diagnostic in wrong.diagnostics)
    except EngineLimitError as limit:
        return frozenset({limit.reason.removeprefix("too large for the core: ")})


def assert_same(program: Program, model: Model, *, prune: bool = True) -> None:
    task = answers(program, model, prune=prune)
    expected, tally = explored(axiomatic.explore, task), explored(graphs.explore, task)
    if isinstance(expected, frozenset) or isinstance(tally, frozenset):
        assert tally == expected, print_program(program)
        return
    assert summary(tally) == summary(expected), print_program(program)
    # The reference counts a loop as cut in any run of its thread, the search only in consistent executions.
    assert tally.loops_cut in (expected.loops_cut, None), print_program(program)
    if tally.loops_cut == expected.loops_cut:
        assert type(judge(task, tally)) is type(judge(task, expected))
    witnesses = (tally.positive_witness, tally.negative_witness, tally.failed_assertion, tally.race)
    for witness in witnesses:
        if witness is not None:
            assert replay(program, model, witness) is None, print_program(program)


@given(program=select_programs(FEATURES["armv8"]))
@settings(max_examples=100)
def test_both_engines_see_the_same_picks(program: Program) -> None:
    assert_same(program, shipped("armv8"))


@pytest.mark.parametrize("name", AXIOMATIC)
def test_graphs_finds_the_executions_of_the_reference(name: str) -> None:
    @given(program=programs(FEATURES.get(name, PLAIN)))
    @settings(max_examples=60)
    def law(program: Program) -> None:
        assert_same(program, shipped(name))

    law()


@pytest.mark.parametrize("name", AXIOMATIC)
def test_graphs_runs_threads_as_the_reference_does(name: str) -> None:
    @given(program=control_programs())
    @settings(max_examples=80)
    def law(program: Program) -> None:
        assert_same(program, shipped(name))

    law()


@given(text=model_texts(), program=programs(FEATURES["armv8"]))
@settings(max_examples=70)
def test_graphs_is_exact_for_any_cat_model(text: str, program: Program) -> None:
    assert_same(program, cat(text))


@given(text=model_texts(), program=control_programs())
@settings(max_examples=60)
def test_graphs_is_exact_for_any_cat_model_and_any_control(text: str, program: Program) -> None:
    assert_same(program, cat(text))


@given(text=model_texts(), program=programs(PLAIN))
@settings(max_examples=40)
def test_pruning_changes_nothing(text: str, program: Program) -> None:
    assert_same(program, cat(text), prune=False)


def test_random_models_and_programs_are_worth_something() -> None:
    models = [cat(model_text(seed)) for seed in range(40)]
    tallies = [graphs.explore(answers(control_program(seed), shipped("sc"))) for seed in _runnable(60)]
    assert sum(tally.loops_cut is not None for tally in tallies) >= 3
    assert sum(bool(tally.statistics.blocked) for tally in tallies) >= 6
    assert sum(tally.failed_assertion is not None for tally in tallies) >= 2
    counts = [
        graphs.explore(answers(program_of_seed(5), model)).statistics.executions or 0 for model in models
    ]
    assert 5 <= sum(count > 0 for count in counts) < len(counts)


def _runnable(count: int) -> list[int]:
    def faults(seed: int) -> bool:
        try:
            graphs.explore(answers(control_program(seed), shipped("sc")))
        except InputError:
            return True
        return False

    return [seed for seed in range(count) if not faults(seed)]


def test_graphs_answers_the_examples_like_the_reference() -> None:
    examples = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.litmus"))
    assert examples
    for path in examples:
        found = api.check(path, engine="graphs")
        expected = api.check(path, engine="reference")
        assert found.verdict == expected.verdict, path
        assert found.outcome.run.outcomes == expected.outcome.run.outcomes, path
