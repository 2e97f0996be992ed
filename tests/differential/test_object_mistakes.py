"""Deliberate mistakes in the checker of bounded clients are noticed; without them its answers are right."""

from __future__ import annotations

from pathlib import Path

import pytest

from differential.mutation import planted
from differential.object_mistakes import MISTAKES, QUESTIONS, Mistake
from membar.diagnostics import InputError


@pytest.mark.parametrize("question", sorted(QUESTIONS))
def test_without_mistakes_the_answers_are_right(question: str) -> None:
    assert QUESTIONS[question]()


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_mistakes_are_noticed(mistake: Mistake, tmp_path: Path) -> None:
    with planted(mistake.bug, tmp_path):
        try:
            noticed = not QUESTIONS[mistake.shown_by]()
        except (InputError, ValueError):
            noticed = True
    assert noticed
