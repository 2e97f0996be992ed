"""Store buffers of any length: equal to bounded exploration, which is equal to the reference's machine."""

from __future__ import annotations

import pytest

import tiers
from membar.questions import engine_answer

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from differential.unbounded import SLICE, campaign, goals, model, programs, question
from membar.engines.reference.simulator import simulate
from membar.program.program import Program
from membar.questions.outcome import Violated
from membar.questions.task import Limits, Options, Task

MODELS = ("x86-tso", "pso")


@pytest.mark.parametrize("name", MODELS)
def test_bounded_exploration_of_the_core_is_that_of_the_reference(name: str) -> None:
    for seed, program in programs(20):
        found = question(program, name).core.bounded(bound=2, states=1500)
        if found.stopped is not None:
            continue
        task = Task(
            program=program,
            model=model(name),
            properties=("assertions", "deadlock"),
            options=Options(buffers=2, buffers_chosen_by_user=True),
        )
        tally = simulate(task)
        kinds = {goal.kind for goal in goals(found)}
        assert ("failure" in kinds) is (tally.failed_assertion is not None), seed
        assert ("deadlock" in kinds) is (tally.deadlock is not None), seed
        assert found.held is (tally.buffers_held is not None), seed
        assert (tally.statistics.states or 0) >= found.stored, seed  # registers nobody reads are dropped


@pytest.mark.parametrize(("name", "count"), [("x86-tso", tiers.size(60)), ("pso", tiers.size(30))])
def test_unbounded_buffers_agree_with_growing_bounds(name: str, count: int) -> None:
    assert campaign(count, name, effort=SLICE).wrong == []


@pytest.mark.parametrize("name", tiers.first(1, MODELS))
def test_witnesses_replay(name: str) -> None:
    violated = [program for _, program in programs(25, first=500) if _verdict(program, name)]
    assert len(violated) >= 8


def _verdict(program: Program, name: str) -> bool:
    task = Task(
        program=program,
        model=model(name),
        properties=("assertions", "deadlock"),
        limits=Limits(seconds=30.0, states=1000),
        options=Options(unbounded_buffers=True),
    )
    outcome = engine_answer.answer(task, engine_answer.load_engine("buffers"))  # replays what it shows
    assert "internal error" not in getattr(outcome, "reason", "")
    return isinstance(outcome, Violated) and outcome.witness is not None
