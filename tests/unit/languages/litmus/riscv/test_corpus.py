"""Every RISC-V test of the corpus is understood, as far as that shows without running it."""

from __future__ import annotations

from pathlib import Path

import pytest

from unit.languages.litmus.assembly.corpus import check_questions, refused

# Loads of one byte or two from a word.
MIXED_SIZE = {"A015.litmus", "A016.litmus", "A018.litmus", "A019.litmus"}


@pytest.mark.parametrize(("folder", "expected"), [("litmus/RISCV", MIXED_SIZE), ("verdicts/RISCV", set())])
def test_every_file_is_read_or_refused(corpus: Path, folder: str, expected: set[str]) -> None:
    problems = refused(corpus / folder)
    assert set(problems) == expected
    assert {problem.code for problem in problems.values()} <= {"W0109"}


def test_names_kinds_and_observed_places_agree(corpus: Path) -> None:
    check_questions(corpus / "litmus" / "RISCV", MIXED_SIZE)
