"""Every deliberate mistake in the C front end is noticed by a small program."""

from __future__ import annotations

from pathlib import Path

import pytest

from differential.c_mistakes import MISTAKES, Mistake
from differential.mutation import planted
from strategies.c_cases import CONCURRENT, SEQUENTIAL, result_of, verdict_of

SEQUENTIAL_CASES = {case.name: case for case in SEQUENTIAL}
CONCURRENT_CASES = {case.name: case for case in CONCURRENT}


def notices(name: str) -> bool:
    """Whether a program no longer gets the right answer; a crash is one of the wrong ones."""
    try:
        if name in SEQUENTIAL_CASES:
            return result_of(SEQUENTIAL_CASES[name]) != SEQUENTIAL_CASES[name].result
        case = CONCURRENT_CASES[name]
        return any(verdict_of(case, model) != verdict for model, verdict in case.verdicts)
    except Exception:
        return True


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_a_mistake_is_noticed(mistake: Mistake, tmp_path: Path) -> None:
    # That nothing is noticed without the mistake is tests/unit/frontends/c/test_programs.py.
    with planted(mistake.bug, tmp_path):
        assert any(notices(name) for name in mistake.noticed_by)


def test_there_are_enough_mistakes() -> None:
    assert len(MISTAKES) >= 20
