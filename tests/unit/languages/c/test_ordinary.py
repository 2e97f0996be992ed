"""Programs as people write them get their verdicts."""

from __future__ import annotations

import pytest

from strategies.c_heap_cases import HeapCase, said_about
from strategies.c_ordinary_cases import ORDINARY_CASES


@pytest.mark.parametrize("case", ORDINARY_CASES, ids=lambda case: f"{case.name} ({case.model})")
def test_an_ordinary_program_gets_its_verdict(case: HeapCase) -> None:
    found = said_about(case)
    if case.says.startswith("holds"):
        assert found == case.says
    else:
        assert case.says in found
        assert not found.startswith("holds")
