"""Every deliberate mistake in how the ends of local variables are found is noticed by a small program."""

from __future__ import annotations

from pathlib import Path

import pytest

from differential.c_lifetime_mistakes import LIFETIME_MISTAKES
from differential.c_mistakes import Mistake
from differential.mutation import planted
from strategies.c_heap_cases import said_about
from strategies.c_lifetime_cases import FREE_OF_COST, LIFETIME_CASES, tells_of_ends


def notices(name: str) -> bool:
    """Whether a program no longer gets the right answer, or pays for it; a crash is one of the wrong ones."""
    cheap = [case for case in FREE_OF_COST if case.name == name]
    cases = [case for case in LIFETIME_CASES if case.name == name]
    assert cheap or cases, name
    try:
        if any(tells_of_ends(case) for case in cheap):
            return True
        return any(
            said_about(case) != case.says
            if case.says.startswith("holds")
            else case.says not in said_about(case)
            for case in cases
        )
    except Exception:
        return True


@pytest.mark.parametrize("mistake", LIFETIME_MISTAKES, ids=lambda mistake: mistake.name)
def test_a_mistake_is_noticed(mistake: Mistake, tmp_path: Path) -> None:
    # That nothing is noticed without the mistake is tests/unit/frontends/c/test_lifetimes.py.
    with planted(mistake.bug, tmp_path):
        assert any(notices(name) for name in mistake.noticed_by)


def test_there_are_enough_mistakes() -> None:
    assert len(LIFETIME_MISTAKES) >= 20
