"""Every Power test of the corpus is understood, as far as that shows without running it."""

from __future__ import annotations

from pathlib import Path

import pytest

from unit.languages.litmus.assembly.corpus import check_questions, refused

# `0(r0)` is address 0; an initial value that is code.
REFUSED = {"A007.litmus": "W0106", "A017.litmus": "W0110"}


@pytest.mark.parametrize(("folder", "expected"), [("litmus/PPC", REFUSED), ("verdicts/PPC", {})])
def test_every_file_is_read_or_refused(corpus: Path, folder: str, expected: dict[str, str]) -> None:
    assert {name: problem.code for name, problem in refused(corpus / folder).items()} == expected


def test_names_kinds_and_observed_places_agree(corpus: Path) -> None:
    check_questions(corpus / "litmus" / "PPC", REFUSED)
