"""C expressions mean to membar what they mean to gcc; a slice of `c_arithmetic.py`."""

from __future__ import annotations

import pytest

import tiers
from differential.c_arithmetic import campaign, why_not


@pytest.mark.parametrize("seed", tiers.first(1, range(7, 13)))
def test_random_expressions_are_computed_as_gcc_does(seed: int) -> None:
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    assert campaign(1, seed=seed) == ([], [])
