"""The checker of bounded clients against runs of the clients, step by step, with a clock."""

from __future__ import annotations

from collections import Counter

import pytest

import tiers
from differential.objects import QUESTIONS, disagreement
from membar.objects.client import Size


@pytest.mark.parametrize("seed", tiers.first(1, range(100, 105)))
def test_verdicts_are_those_of_the_runs(seed: int) -> None:
    assert disagreement(seed, Size(2, 2), Counter()) is None


@pytest.mark.full
def test_small_clients_of_many_objects() -> None:
    seen: Counter[str] = Counter()
    for seed in range(24):
        assert disagreement(seed, Size(2, 1), seen) is None
    for model, ordering in QUESTIONS:
        assert (
            min(seen[f"{model} {ordering.value} {verdict}"] for verdict in ("holds-within", "violated")) >= 4
        )
