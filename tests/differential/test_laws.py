"""Laws that hold of every program: between models, and between guises of one program."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings

import tiers
from differential.comparisons import (
    allowed,
    equality,
    explored,
    fences,
    inclusion,
    own,
    partition,
    permutations,
    printing,
    renamings,
    replays,
    shipped,
    verdicts,
)
from membar.models import load
from membar.program.operations import Tags
from membar.program.program import Program
from membar.program.validate import validate
from membar.properties.judge import judge
from membar.questions.outcome import Holds
from membar.questions.task import Task
from strategies.programs import (
    FEATURES,
    PLAIN,
    X86,
    Features,
    programs,
    sample,
    share_with_weak_outcomes,
    shared_accesses,
)

AXIOMATIC = tuple(name for name in load.names() if shipped(name).plan is not None)
# Taken to the letter, these rules forget which variable is meant and forbid ordinary message passing.
STRONGER_THAN_SC = ("bajczi-sc", "bajczi-tso")
FENCES = {
    "sc": ("MFENCE",),
    "x86-tso": ("MFENCE", "SFENCE", "LFENCE"),
    "pso": ("MFENCE", "SFENCE", "LFENCE"),
    "armv7": ("DMB.SY", "DMB.ST", "DSB.ISH", "ISB"),
    "armv8": ("DMB.SY", "DMB.LD", "DMB.ST", "DSB.ISH", "ISB"),
    "riscv": ("Fence.rw.rw", "Fence.r.rw", "Fence.tso"),
    "power": ("SYNC", "LWSYNC", "ISYNC"),
    "rc11": ("SC", "ACQ_REL", "ACQ", "REL"),
    "ra": ("SC",),
    "imm": ("SC", "ACQ_REL", "ACQ", "REL"),
    "lkmm": ("Mb", "Rmb", "Wmb"),
}


def features_of(name: str) -> Features:
    return FEATURES.get(name, PLAIN)


def with_model(*names: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("name", tiers.models(names))


@with_model(*(name for name in AXIOMATIC if name not in {"sc", *STRONGER_THAN_SC}))
def test_what_sc_allows_every_model_allows(name: str) -> None:
    @given(program=programs(features_of(name)))
    @settings(max_examples=tiers.size(100))
    def law(program: Program) -> None:
        assert not inclusion([program], shipped("sc"), shipped(name))

    law()


@pytest.mark.parametrize("name", STRONGER_THAN_SC)
def test_the_literal_rules_of_the_thesis_forbid_what_sc_allows(name: str) -> None:
    assert inclusion(sample(60, PLAIN), shipped("sc"), shipped(name))


@given(program=programs(X86))
@settings(max_examples=tiers.size(60))
def test_what_tso_allows_pso_allows(program: Program) -> None:
    assert not inclusion([program], shipped("x86-tso"), shipped("pso"))


@given(program=programs(PLAIN))
@settings(max_examples=tiers.size(60))
def test_what_tso_allows_armv8_allows_without_fences_and_rmws(program: Program) -> None:
    assert not inclusion([program], shipped("x86-tso"), shipped("armv8"))


@given(program=programs(PLAIN))
@settings(max_examples=tiers.size(30))
def test_an_axiom_and_its_negation_share_out_the_executions(program: Program) -> None:
    assert not partition([program], own("total"), own("not-total"), own("anything"))


@given(program=programs(PLAIN))
@settings(max_examples=tiers.size(30))
def test_a_least_fixpoint_is_the_closure(program: Program) -> None:
    assert not equality([program], own("total"), own("recursive"))


@pytest.mark.parametrize(
    ("name", "tag"),
    [
        pytest.param(name, tag, marks=() if name in tiers.QUICK_MODELS else pytest.mark.full)
        for name in AXIOMATIC
        if name in FENCES
        for tag in FENCES[name]
    ],
)
def test_a_fence_never_adds_outcomes(name: str, tag: str) -> None:
    tags: Tags = frozenset({tag})

    @given(program=programs(features_of(name)))
    @settings(max_examples=5)
    def law(program: Program) -> None:
        assert not fences([program], shipped(name), tags)

    law()


@with_model(*AXIOMATIC)
def test_the_order_of_threads_changes_nothing(name: str) -> None:
    @given(program=programs(features_of(name)))
    @settings(max_examples=8)
    def law(program: Program) -> None:
        assert not permutations([program], shipped(name))

    law()


@with_model(*AXIOMATIC)
def test_names_and_order_of_locations_change_nothing(name: str) -> None:
    @given(program=programs(features_of(name)))
    @settings(max_examples=8)
    def law(program: Program) -> None:
        assert not renamings([program], shipped(name))

    law()


@with_model(*AXIOMATIC)
def test_every_execution_replays(name: str) -> None:
    @given(program=programs(features_of(name)))
    @settings(max_examples=4)
    def law(program: Program) -> None:
        assert not replays([program], shipped(name))

    law()


@with_model(*AXIOMATIC)
def test_verdicts_and_witnesses_follow_from_the_final_states(name: str) -> None:
    @given(program=programs(features_of(name)))
    @settings(max_examples=8)
    def law(program: Program) -> None:
        assert not verdicts([program], shipped(name))

    law()


@given(program=programs(X86))
@settings(max_examples=tiers.size(50))
def test_printing_and_reading_back_is_the_identity(program: Program) -> None:
    validate(program)
    assert not printing([program])


@pytest.mark.parametrize(("name", "least"), [("x86-tso", 0.15), ("pso", 0.4), ("armv8", 0.4)])
def test_a_good_share_of_random_programs_shows_weak_behaviour(name: str, least: float) -> None:
    def weak(program: Program) -> frozenset[object]:
        return allowed(program, shipped(name))

    def strong(program: Program) -> frozenset[object]:
        return allowed(program, shipped("sc"))

    assert share_with_weak_outcomes(sample(60, PLAIN), weak, strong) >= least


def test_random_programs_are_worth_something() -> None:
    found = sample(60, X86)
    assert all(len(program.threads) >= 2 and shared_accesses(program) >= 5 for program in found)
    model = shipped("x86-tso")
    asked = [Task(program=program, model=model, properties=("condition",)) for program in found]
    counts = Counter(isinstance(judge(task, explored(task.program, model)), Holds) for task in asked)
    assert min(counts[True], counts[False]) >= len(found) // 5
