"""Failures name the events and the relations between them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

import tiers
from membar.models.evaluate import failures, relation
from membar.models.load import load
from membar.models.plan import CheckKind
from membar.program.execution import Execution
from unit.models.compiled import VOCABULARY, plan
from unit.models.executions import STORE_BUFFERING, execution
from unit.models.randomly import executions


def labels(text: str, given_execution: Execution) -> list[str]:
    (failure,) = failures(plan(text), given_execution)
    return [edge.label for edge in failure.edges]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("acyclic po | rf | co | fr as sc", ["po", "fr", "po", "fr"]),
        ("acyclic po | com as sc", ["po", "fr", "po", "fr"]),
        ("let hb = po | com acyclic hb as sc", ["po", "fr", "po", "fr"]),
        ("let hb = (po | com)+ irreflexive hb as sc", ["po", "fr", "po", "fr"]),
        ("let rec hb = po | com | (hb ; hb) irreflexive hb as sc", ["po", "fr", "po", "fr"]),
        ("let rec hb = po | com | (hb ; hb) acyclic hb as sc", ["po", "fr", "po", "fr"]),
        ("irreflexive po ; fr ; po ; fr as sc", ["po", "fr", "po", "fr"]),
        ("let ppo = po & (W * R) acyclic ppo | com as sc", ["ppo", "fr", "ppo", "fr"]),
        ("acyclic (po & (W * R)) | com as sc", ["po & (W * R)", "fr", "po & (W * R)", "fr"]),
        ("irreflexive po? ; [W] ; po ; fr ; po ; [R] ; fr as sc", ["po", "fr", "po", "fr"]),
    ],
)
def test_a_cycle_is_told_in_named_steps(text: str, expected: list[str]) -> None:
    found = labels(text, STORE_BUFFERING)
    assert found in (expected, expected[1:] + expected[:1])


def test_an_edge_inside_a_fence_has_the_name_of_the_fence() -> None:
    fenced = execution(
        2, [["W0", "F.MFENCE", "R1"], ["W1", "F.MFENCE", "R0"]], rf=((1, 4), (0, 7)), co=((0, 2), (1, 5))
    )
    model = load("x86-tso", vocabulary=VOCABULARY).plan
    assert model is not None
    (failure,) = failures(model, fenced)
    assert failure.check.name == "global-order"
    assert [edge.label for edge in failure.edges] == ["mfence", "fr", "mfence", "fr"]


def test_pairs_that_should_not_be_there() -> None:
    (failure,) = failures(plan("empty fr as none"), STORE_BUFFERING)
    assert not failure.is_cycle
    assert [(edge.source, edge.target, edge.label) for edge in failure.edges] == [(3, 4, "fr"), (5, 2, "fr")]


def test_events_that_should_not_be_there() -> None:
    (failure,) = failures(plan("let reads = R empty reads as none"), STORE_BUFFERING)
    assert [(edge.source, edge.target, edge.label) for edge in failure.edges] == [
        (3, 3, "reads"),
        (5, 5, "reads"),
    ]


def test_a_negated_check_has_nothing_to_show() -> None:
    (failure,) = failures(plan("~acyclic po as odd"), STORE_BUFFERING)
    assert failure.edges == ()


@settings(max_examples=tiers.size(80), deadline=None)
@given(given_execution=executions())
def test_cycles_close_and_their_edges_exist(given_execution: Execution) -> None:
    model = load("x86-tso", vocabulary=VOCABULARY).plan
    assert model is not None
    for failure in failures(model, given_execution):
        if failure.check.kind is CheckKind.EMPTY:
            continue
        edges = failure.edges
        following = [*edges[1:], edges[0]]
        assert all(edge.target == later.source for edge, later in zip(edges, following, strict=True))
        for edge in edges:
            assert (edge.source, edge.target) in relation(model, given_execution, edge.label)
