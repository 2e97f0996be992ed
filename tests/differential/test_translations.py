"""Translated texts say the same as what they were made from; SPIN agrees."""

from __future__ import annotations

import pytest

import tiers
from differential import spin, spin_models
from differential.translation_cases import cases
from differential.translations import FORMATS, Report, campaign, compare


@pytest.mark.parametrize("first", tiers.first(1, range(0, 60, 20)))
def test_texts_agree_with_what_they_were_made_from(first: int) -> None:
    report = campaign(20, first=first, every=False, states=400)
    assert not report.wrong, report.wrong[0]
    assert report.counts["compared"] > 3


@pytest.mark.full
@pytest.mark.skipif(not spin.IS_INSTALLED, reason=spin.MISSING)
def test_spin_agrees_about_runs_of_translated_texts() -> None:
    report = spin_models.campaign(4)
    assert not report.wrong, report.wrong[0]
    assert report.counts["compared"] == 4


@pytest.mark.parametrize("to", FORMATS)
def test_small_texts_about_every_rule_of_the_buffers_agree(to: str) -> None:
    report = Report()
    for program, name, bound in cases():
        compare(program, name, bound, to, report)
    assert not report.wrong, report.wrong[0]
