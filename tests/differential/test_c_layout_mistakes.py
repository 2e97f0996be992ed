"""Every deliberate mistake in how memory is laid out is noticed by a small program."""

from __future__ import annotations

from pathlib import Path

import pytest

from differential.c_layout_mistakes import LAYOUT_MISTAKES
from differential.c_mistakes import Mistake
from differential.mutation import planted
from membar.diagnostics import InputError
from strategies.c_heap_cases import said_about
from strategies.c_layout_cases import LAYOUT_CASES


def notices(name: str) -> bool:
    """Whether a program no longer gets the right answer; a refusal is a wrong one."""
    (case,) = (case for case in LAYOUT_CASES if case.name == name)
    try:
        said = said_about(case)
    except InputError:
        return True
    return said != case.says if case.says.startswith("holds") else case.says not in said


@pytest.mark.parametrize("mistake", LAYOUT_MISTAKES, ids=lambda mistake: mistake.name)
def test_a_mistake_is_noticed(mistake: Mistake, tmp_path: Path) -> None:
    # That nothing is noticed without the mistake is tests/unit/frontends/c/test_layouts.py.
    with planted(mistake.bug, tmp_path):
        assert any(notices(name) for name in mistake.noticed_by)
