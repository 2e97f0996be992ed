"""C programs about memory, lifetimes, layouts, locks and ordinary habits get their verdicts."""

from __future__ import annotations

import pytest

from strategies.c_heap_cases import HEAP_CASES, HeapCase, said_about
from strategies.c_layout_cases import LAYOUT_CASES, TWO_UNITS
from strategies.c_life_cases import LIFE_CASES
from strategies.c_lifetime_cases import LIFETIME_CASES
from strategies.c_ordinary_cases import ORDINARY_CASES
from strategies.c_sync_cases import SYNC_CASES
from strategies.compiled_code import needs_clang
from tiers import every

CASES = (*HEAP_CASES, *LIFE_CASES, *LIFETIME_CASES, *LAYOUT_CASES, *ORDINARY_CASES, *SYNC_CASES)


@needs_clang
@pytest.mark.parametrize("case", every(20, CASES), ids=lambda case: f"{case.name} ({case.model})")
def test_a_program_gets_its_verdict(case: HeapCase) -> None:
    found = said_about(case)
    if case.says.startswith("holds"):
        assert found == case.says
    else:
        assert case.says in found
        assert not found.startswith("holds")


@needs_clang
def test_a_race_of_two_units_is_found_or_left_open() -> None:
    found = said_about(TWO_UNITS)
    assert found == TWO_UNITS.says or found.startswith("races")
