"""Every AArch64 test of the corpus beside the repository can be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from membar.languages.litmus.dialects.aarch64 import DIALECT
from membar.languages.litmus.header import read_test
from membar.program.validate import validate
from membar.source import SourceFile

CORPUS = Path(__file__).resolve().parents[6] / "shared" / "corpus"


@pytest.mark.parametrize("folder", ["litmus/AArch64", "verdicts/AArch64"])
def test_every_file_becomes_a_valid_program(folder: str) -> None:
    files = sorted((CORPUS / folder).glob("*.litmus"))
    if not files:
        pytest.skip(f"the corpus is not beside the repository: {folder} is not compared")
    for file in files:
        program = DIALECT.translate(read_test(SourceFile.read(file)))
        validate(program)
        assert program.condition is not None, file
