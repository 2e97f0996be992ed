"""Local variables and the ends of their lives: programs that are right, and ones that use what has ended."""

from __future__ import annotations

import pytest

from strategies.c_heap_cases import HeapCase, said_about
from strategies.c_lifetime_cases import FREE_OF_COST, LIFETIME_CASES, tells_of_ends


@pytest.mark.parametrize("case", LIFETIME_CASES, ids=lambda case: f"{case.name} ({case.model})")
def test_what_has_ended_is_not_used(case: HeapCase) -> None:
    found = said_about(case)
    if case.says.startswith("holds"):
        assert found == case.says
    else:
        assert case.says in found


@pytest.mark.parametrize("case", FREE_OF_COST, ids=lambda case: case.name)
def test_who_clearly_waits_pays_nothing(case: HeapCase) -> None:
    assert not tells_of_ends(case)
    assert said_about(case) == case.says


def test_a_variable_that_may_outlive_its_function_is_looked_at() -> None:
    (case,) = (case for case in LIFETIME_CASES if case.name == "a local of a function that returned")
    assert tells_of_ends(case)
