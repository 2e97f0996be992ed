"""Translated texts say the same as what they were made from; SPIN agrees; and mistakes are noticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from differential import spin, spin_models
from differential.mutation import planted
from differential.translation_bugs import MISTAKES, Mistake
from differential.translations import Report, campaign, compare, program_of


@pytest.mark.parametrize("first", range(0, 120, 24))
def test_texts_agree_with_what_they_were_made_from(first: int) -> None:
    report = campaign(24, first=first, every=False, states=400)
    assert not report.wrong, report.wrong[0]
    assert report.counts["compared"] > 5


def shown(mistake: Mistake) -> Report:
    report = Report()
    compare(program_of(mistake.seed), mistake.model, mistake.bound, mistake.to, report, states=600)
    return report


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_mistakes_are_noticed(mistake: Mistake, tmp_path: Path) -> None:
    with planted(mistake.bug, tmp_path):
        assert shown(mistake).wrong


@pytest.mark.skipif(not spin.IS_INSTALLED, reason=spin.MISSING)
def test_spin_agrees_about_runs_of_translated_texts() -> None:
    report = spin_models.campaign(5)
    assert not report.wrong, report.wrong[0]
    assert report.counts["compared"] == 5
