"""Deliberate mistakes in the translators are noticed on small texts; without them the texts agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from differential.mutation import planted
from differential.translation_bugs import MISTAKES, Mistake
from differential.translation_cases import cases
from differential.translations import FORMATS, Report, compare


def first_difference() -> str | None:
    """The first text about which a program and its translation disagree; None if all agree."""
    for to in FORMATS:
        for program, name, bound in cases():
            report = Report()
            compare(program, name, bound, to, report)
            if report.wrong:
                return report.wrong[0]
    return None


def test_without_mistakes_the_texts_agree() -> None:
    assert first_difference() is None


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_mistakes_are_noticed(mistake: Mistake, tmp_path: Path) -> None:
    with planted(mistake.bug, tmp_path):
        assert first_difference() is not None
