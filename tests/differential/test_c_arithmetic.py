"""C expressions mean to membar what they mean to gcc; a slice of `c_arithmetic.py`."""

from __future__ import annotations

import pytest

from differential.c_arithmetic import campaign, why_not


def test_random_expressions_are_computed_as_gcc_does() -> None:
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    assert campaign(6, seed=7) == []
