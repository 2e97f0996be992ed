"""Every kernel test of the corpus is read, and taken for one."""

from __future__ import annotations

from pathlib import Path

from membar.languages.litmus import parse
from membar.program.validate import validate
from membar.source import SourceFile

WITHOUT_A_WORD_OF_THE_KERNEL = {"C-tearstore.litmus", "manual__demo__C-CO+o-o.litmus"}


def test_every_corpus_file_is_read(corpus: Path) -> None:
    files = [
        *sorted((corpus / "litmus" / "LKMM").glob("*.litmus")),
        *sorted((corpus / "verdicts" / "LKMM").glob("*.litmus")),
    ]
    assert files
    others: set[str] = set()
    for file in files:
        program = parse(SourceFile.read(file))
        validate(program)
        if program.language != "LKMM":
            others.add(file.name)
    assert others == WITHOUT_A_WORD_OF_THE_KERNEL


def test_no_c11_file_is_taken_for_the_kernels(corpus: Path) -> None:
    for file in sorted((corpus / "verdicts" / "C").glob("*.litmus")):
        assert parse(SourceFile.read(file)).language == "C"
