"""Programs that lay out their memory by hand get their verdicts."""

from __future__ import annotations

import pytest

from strategies.c_heap_cases import HeapCase, said_about
from strategies.c_layout_cases import LAYOUT_CASES


@pytest.mark.parametrize("case", LAYOUT_CASES, ids=lambda case: f"{case.name} ({case.model})")
def test_memory_laid_out_by_hand_gets_its_verdict(case: HeapCase) -> None:
    found = said_about(case)
    if case.says.startswith("holds"):
        assert found == case.says
    else:
        assert case.says in found
        assert not found.startswith("holds")
