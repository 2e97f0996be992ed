"""The mended rules are the models they are named after; the literal ones are what the thesis prints."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given, settings

import tiers
from membar.engines import graphs
from membar.engines.reference.axiomatic import explore
from membar.languages import registry
from membar.models.evaluate import failures
from membar.models.load import FOLDER, load, names
from membar.models.model import EXACTLY_ONCE, Model
from membar.models.plan import Growth
from membar.program.execution import Execution
from membar.program.program import Program
from membar.questions.task import Task
from strategies.programs import Features, programs
from unit.models.randomly import executions
from unit.models.rules.literally import allows

RULES = sorted(path.stem for path in FOLDER.glob("*.rules"))
X86 = Features(
    fences=(frozenset({"MFENCE"}), frozenset({"SFENCE"}), frozenset({"LFENCE"})),
    rmws=((frozenset({"X"}), frozenset({"X"})),),
    exclusives=True,
)
# The thesis takes exclusive pairs for fences, x86-tso does not; x86 has none.
REAL_X86 = replace(X86, exclusives=False)


@cache
def model(name: str) -> Model:
    return load(name, vocabulary=registry.vocabulary())


def is_allowed(name: str, execution: Execution) -> bool:
    plan = model(name).plan
    assert plan is not None
    return failures(plan, execution) == ()


def states(name: str, program: Program) -> set[object]:
    return set(explore(Task(program=program, model=model(name), properties=("condition",))).outcomes)


def test_rules_are_models_like_all_others() -> None:
    assert {f"bajczi-{name}" for name in ("sc", "tso", "weak", "weak-a9", "nofence")} <= set(names())
    assert set(RULES) <= set(names())


@pytest.mark.parametrize(("mended", "own"), [("bajczi-fixed-sc", "sc"), ("bajczi-fixed-tso", "x86-tso")])
@settings(max_examples=tiers.size(100), deadline=None)
@given(execution=executions(length=4))
def test_mended_models_allow_the_same_executions(mended: str, own: str, execution: Execution) -> None:
    assert is_allowed(mended, execution) == is_allowed(own, execution)


@pytest.mark.parametrize(("mended", "own"), [("bajczi-fixed-sc", "sc"), ("bajczi-fixed-tso", "x86-tso")])
@settings(max_examples=12, deadline=None)
@given(program=programs(features=REAL_X86))
def test_mended_models_allow_the_same_states(mended: str, own: str, program: Program) -> None:
    assert states(mended, program) == states(own, program)


@settings(max_examples=tiers.size(40), deadline=None)
@given(execution=executions(length=3))
def test_shipped_rules_mean_what_iterating_gives(execution: Execution) -> None:
    for name in RULES:
        source = model(name).source
        assert source is not None
        assert is_allowed(name, execution) == allows(source.text, execution)


@settings(max_examples=tiers.size(40), deadline=None)
@given(execution=executions(length=3))
def test_mended_models_are_ordered_by_strength(execution: Execution) -> None:
    chain = ["sc", "tso", "weak", "weak-a9"]
    for stronger, weaker in pairwise(chain):
        # Any fence counts for the weak models, MFENCE alone for tso: compare where all fences are MFENCE.
        tags = {tag for event in execution.events for tag in event.tags if event.cell is None}
        if tags <= {"MFENCE"} and all(
            "MFENCE" in event.tags for event in execution.events if event.cell is None
        ):
            assert is_allowed(f"bajczi-fixed-{weaker}", execution) or not is_allowed(
                f"bajczi-fixed-{stronger}", execution
            )
    assert is_allowed("bajczi-fixed-nofence", execution) or not is_allowed("bajczi-fixed-weak", execution)


@pytest.mark.parametrize("name", RULES)
def test_what_is_forbidden_stays_forbidden(name: str) -> None:
    """No check can be repaired by more events: engines may stop at the first failure."""
    plan = model(name).plan
    assert plan is not None
    assert {check.growth for check in plan.checks} <= {Growth.STABLE, Growth.GROWING}


@pytest.mark.parametrize("name", [name for name in RULES if "fixed" in name])
@settings(max_examples=12, deadline=None)
@given(program=programs(features=X86))
def test_the_claimed_search_finds_every_execution_once(name: str, program: Program) -> None:
    task = Task(program=program, model=model(name), properties=("condition",))
    fast, slow = graphs.explore(task), explore(task)
    assert model(name).claims.search == EXACTLY_ONCE
    assert fast.outcomes == slow.outcomes
    assert fast.statistics.executions == slow.statistics.executions
