"""Staged evaluation says the same as evaluation of the whole, earlier."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiers
from membar.models.evaluate import Evaluator, evaluator_of, failures, flags, undefined_checks
from membar.models.load import load
from membar.models.plan import Growth, Plan, Stage
from membar.program.execution import Execution
from unit.models.compiled import VOCABULARY, plan
from unit.models.executions import execution
from unit.models.randomly import executions

OTHER = """
let rec ob = (po \\ (W * R)) | rfe | coe | fre | (ob ; ob)
irreflexive ob as ob
empty rmw & (fre ; coe) as atomic
acyclic (po-loc | com)+ as closed
~empty rf as some-read
empty (addr | data) & ~(R * _) as static
acyclic po | rf as causality
irreflexive (po | (po ; rf))+ as closure
flag ~empty (W * W) & loc & ext \\ id as race
undefined_unless empty [FW] ; loc ; [R] as last
"""
PLANS = ("other", "sc", "x86-tso", "pso")


@cache
def plan_of(name: str) -> Plan:
    found = plan(OTHER) if name == "other" else load(name, vocabulary=VOCABULARY).plan
    assert found is not None
    return found


@pytest.mark.parametrize("name", PLANS)
@settings(max_examples=tiers.size(60), deadline=None)
@given(given_execution=executions())
def test_stages_agree_with_the_whole(name: str, given_execution: Execution) -> None:
    model = plan_of(name)
    broken = {failure.check.name for failure in failures(model, given_execution)}
    evaluation = evaluator_of(model).begin(replace(given_execution, rf=(), co=()))
    if evaluation.failed is None:
        evaluation = evaluation.with_reads(given_execution.rf)
    if evaluation.failed is None:
        evaluation = evaluation.with_coherence(given_execution.co)
    assert (evaluation.failed is None) == (not broken)
    if evaluation.failed is not None:
        assert evaluation.failed.name in broken
    else:
        assert evaluation.flags() == flags(model, given_execution)
        assert evaluation.undefined_checks() == undefined_checks(model, given_execution)


@pytest.mark.parametrize("name", PLANS)
@settings(max_examples=tiers.size(40), deadline=None)
@given(given_execution=executions(), data=st.data())
def test_what_a_part_refutes_the_whole_refutes(
    name: str, given_execution: Execution, data: st.DataObject
) -> None:
    model = plan_of(name)
    static = Evaluator(model).begin(given_execution)
    if static.failed is not None:
        return
    some = tuple(pair for pair in given_execution.rf if data.draw(st.booleans()))
    early = static.with_reads(some, partial=True)
    whole = {failure.check.name for failure in failures(model, given_execution)}
    if early.failed is not None:
        assert early.failed.name in whole
        return
    reads = static.with_reads(given_execution.rf)
    if reads.failed is None:
        order = tuple(chain[: data.draw(st.integers(0, len(chain)))] for chain in given_execution.co)
        early = reads.with_coherence(order, partial=True)
        if early.failed is not None:
            assert early.failed.name in whole


def test_a_cycle_of_known_edges_is_refuted_before_coherence() -> None:
    # Load buffering: the cycle needs only po and rf, though the axiom also speaks of co and fr.
    model = plan_of("sc")
    static = evaluator_of(model).begin(execution(2, [["R0", "W1"], ["R1", "W0"]]))
    assert static.failed is None
    reads = static.with_reads(((5, 2), (3, 4)))
    assert reads.failed is not None
    assert reads.failed.name == "global-order"


@pytest.mark.parametrize(
    ("text", "stage", "growth"),
    [
        ("po", Stage.STATIC, Growth.STABLE),
        ("po \\ (W * R)", Stage.STATIC, Growth.STABLE),
        ("[A] ; po ; [L]", Stage.STATIC, Growth.STABLE),
        ("~po & loc", Stage.STATIC, Growth.STABLE),
        ("po ; [MFENCE] ; po", Stage.STATIC, Growth.GROWING),
        ("po \\ (po ; po)", Stage.STATIC, Growth.UNSTABLE),
        ("[domain(addr)] ; po", Stage.STATIC, Growth.GROWING),
        ("[_ \\ domain(addr)] ; po", Stage.STATIC, Growth.UNSTABLE),
        ("po+", Stage.STATIC, Growth.GROWING),
        ("rf", Stage.READS, Growth.GROWING),
        ("rfe ; po", Stage.READS, Growth.GROWING),
        ("rf \\ po", Stage.READS, Growth.GROWING),
        ("po \\ rf", Stage.READS, Growth.UNSTABLE),
        ("~rf & po", Stage.READS, Growth.UNSTABLE),
        ("co", Stage.COHERENCE, Growth.GROWING),
        ("fr", Stage.COHERENCE, Growth.GROWING),
        ("co \\ (co ; co)", Stage.COHERENCE, Growth.UNSTABLE),
        ("[FW] ; po", Stage.COHERENCE, Growth.UNSTABLE),
        ("co0", Stage.COHERENCE, Growth.UNSTABLE),
        ("let rec r = po | (r ; r) in r", Stage.STATIC, Growth.GROWING),
        ("let rec r = rf | (r ; r) in r", Stage.READS, Growth.GROWING),
        ("let rec r = (po \\ rf) | (r ; r) in r", Stage.READS, Growth.UNSTABLE),
        ("let rec r = po | (s ; r) and s = co | (r ; s) in r", Stage.COHERENCE, Growth.GROWING),
    ],
)
def test_stage_and_growth(text: str, stage: Stage, growth: Growth) -> None:
    (check,) = plan(f"acyclic {text} as it").checks
    assert (check.stage, check.growth) == (stage, growth)


def test_a_negated_check_can_always_be_repaired() -> None:
    (check,) = plan("~empty po as it").checks
    assert check.growth is Growth.UNSTABLE


@pytest.mark.parametrize("name", ["sc", "x86-tso", "pso"])
def test_shipped_axioms_can_prune(name: str) -> None:
    assert all(check.growth is not Growth.UNSTABLE for check in plan_of(name).checks)
