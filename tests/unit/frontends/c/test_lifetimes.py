"""Local variables and the ends of their lives: C programs that are right, and ones that use what has ended."""

from __future__ import annotations

import pytest

from strategies.c_heap_cases import HeapCase, said_about
from strategies.c_lifetime_cases import LIFETIME_CASES


@pytest.mark.parametrize("case", LIFETIME_CASES, ids=lambda case: f"{case.name} ({case.model})")
def test_what_has_ended_is_not_used(case: HeapCase) -> None:
    found = said_about(case)
    if case.says.startswith("holds"):
        assert found == case.says
    else:
        assert case.says in found
