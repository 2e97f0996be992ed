"""Every deliberate mistake in what C programs allocate and wait for is noticed by a small program."""

from __future__ import annotations

from pathlib import Path

import pytest

from differential.c_heap_mistakes import HEAP_MISTAKES
from differential.c_mistakes import Mistake
from differential.mutation import planted
from strategies.c_heap_cases import HEAP_CASES, said_about
from strategies.c_life_cases import LIFE_CASES
from strategies.c_sync_cases import SYNC_CASES

CASES = (*HEAP_CASES, *LIFE_CASES, *SYNC_CASES)


def notices(name: str) -> bool:
    """Whether a program no longer gets the right answer; a crash is one of the wrong ones."""
    cases = [case for case in CASES if case.name == name]
    assert cases, name
    try:
        return any(
            said_about(case) != case.says
            if case.says.startswith("holds")
            else case.says not in said_about(case)
            for case in cases
        )
    except Exception:
        return True


@pytest.mark.parametrize("mistake", HEAP_MISTAKES, ids=lambda mistake: mistake.name)
def test_a_mistake_is_noticed(mistake: Mistake, tmp_path: Path) -> None:
    # That nothing is noticed without the mistake is tests/unit/frontends/c/test_heap.py and test_sync.py.
    with planted(mistake.bug, tmp_path):
        assert any(notices(name) for name in mistake.noticed_by)


def test_there_are_enough_mistakes() -> None:
    assert len(HEAP_MISTAKES) >= 20
