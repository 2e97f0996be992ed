"""What small C programs compute, and what is wrong with them."""

from __future__ import annotations

import pytest

from strategies.c_cases import CONCURRENT, SEQUENTIAL, Concurrent, Sequential, result_of, verdict_of

CASES = [(case, model, verdict) for case in CONCURRENT for model, verdict in case.verdicts]


@pytest.mark.parametrize("case", SEQUENTIAL, ids=lambda case: case.name)
def test_a_program_of_one_thread_computes_what_c_says(case: Sequential) -> None:
    assert result_of(case) == case.result


@pytest.mark.parametrize(
    ("case", "model", "verdict"), CASES, ids=lambda item: getattr(item, "name", str(item))
)
def test_a_concurrent_program_gets_its_verdict(case: Concurrent, model: str, verdict: str) -> None:
    assert verdict_of(case, model) == verdict
