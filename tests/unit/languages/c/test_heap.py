"""Allocated memory: what is right, and what is wrong with both its places."""

from __future__ import annotations

import pytest

from strategies.c_heap_cases import HEAP_CASES, HeapCase, said_about
from strategies.c_life_cases import LIFE_CASES


@pytest.mark.parametrize("case", [*HEAP_CASES, *LIFE_CASES], ids=lambda case: f"{case.name} ({case.model})")
def test_memory_gets_its_verdict(case: HeapCase) -> None:
    found = said_about(case)
    if case.says.startswith("holds"):
        assert found == case.says
    else:
        assert case.says in found
        assert not found.startswith("holds")
