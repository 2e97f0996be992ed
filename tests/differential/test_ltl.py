"""The LTL translation against the direct evaluator and `spin -f`: a slice of `tests/differential/ltl.py`."""

from __future__ import annotations

import pytest

from differential import spin
from differential.ltl import disagreement, disagreement_with_spin

SLICE = range(10_000, 10_200)


def test_random_formulas_agree_with_the_evaluator() -> None:
    assert [found for seed in SLICE if (found := disagreement(seed)) is not None] == []


def test_random_formulas_about_the_past_agree_with_the_evaluator() -> None:
    assert [found for seed in range(30) if (found := disagreement(seed, past=True)) is not None] == []


@pytest.mark.skipif(not spin.IS_INSTALLED, reason=spin.MISSING)
def test_random_formulas_agree_with_spin() -> None:
    found = [disagreement_with_spin(seed) for seed in range(20_000, 20_006)]
    assert [item for item in found if item not in (None, "skipped")] == []
    assert found.count(None) >= 3
