"""Litmus tests whose final states are known by hand."""

from __future__ import annotations

import pytest

from differential.classics import CASES
from differential.comparisons import TextCase, text_answers


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.text.split()[0]} {case.name} {case.model}")
def test_final_states_and_verdict_are_those_known_by_hand(case: TextCase) -> None:
    assert not text_answers([case])
