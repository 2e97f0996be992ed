"""Locks for readers, semaphores, barriers, condition variables: what is right with them, and what is not."""

from __future__ import annotations

import pytest

from strategies.c_heap_cases import HeapCase, said_about
from strategies.c_sync_cases import SYNC_CASES


@pytest.mark.parametrize("case", SYNC_CASES, ids=lambda case: f"{case.name} ({case.model})")
def test_waiting_gets_its_verdict(case: HeapCase) -> None:
    found = said_about(case)
    if case.says.startswith("holds"):
        assert found == case.says
    else:
        assert case.says in found
        assert not found.startswith("holds")
