"""A slice of BEEM: small instances by both engines with states. `beem.py` is the command for all of them."""

from __future__ import annotations

import pytest

import tiers
from conformance.beem import CORPUS, Instance, count, holds, instances, is_reachable

SMALL = 15_000
SMALLEST = 700  # for the Python machine

if not CORPUS.exists():
    pytest.skip("the corpus of DVE models is not beside the project", allow_module_level=True)

INSTANCES = [instance for instance in instances() if instance.states <= SMALL]
CASES = [(instance, "states") for instance in INSTANCES]
CASES += [(instance, "reference") for instance in INSTANCES if instance.states <= SMALLEST]


@pytest.mark.parametrize(
    ("instance", "engine"), tiers.rows(2, CASES), ids=lambda item: getattr(item, "name", str(item))
)
def test_numbers_of_states_and_edges(instance: Instance, engine: str) -> None:
    states, edges = count(instance, engine)
    assert states == instance.states
    assert instance.edges is None or edges == instance.edges


@pytest.mark.parametrize("instance", tiers.every(2, INSTANCES), ids=lambda instance: instance.name)
def test_verdicts(instance: Instance) -> None:
    for goal, expected in instance.goals.items():
        assert is_reachable(instance, goal, "states") is expected
    for path, expected in instance.claims.items():
        assert holds(path, "states") is expected


def test_there_is_something_to_compare() -> None:
    assert len(INSTANCES) >= 12
    assert {answer for instance in INSTANCES for answer in instance.goals.values()} == {False, True}
    assert {answer for instance in INSTANCES for answer in instance.claims.values()} == {False, True}
