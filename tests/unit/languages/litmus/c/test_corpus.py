"""Every C test of the corpus is read, or refused for a reason we know."""

from __future__ import annotations

from pathlib import Path

from membar.diagnostics import InputError
from membar.languages.litmus import parse
from membar.program.validate import validate
from membar.source import SourceFile

REFUSED = {
    "C04.litmus": "type `__int128_t` is not supported",
    "C05.litmus": "type `__int128_t` of `x` is not supported",
    "C17.litmus": "`__atomic_add_unless{…}` is not C11",
}


def test_every_corpus_file_is_read(corpus: Path) -> None:
    files = [
        *sorted((corpus / "litmus" / "C").glob("*.litmus")),
        *sorted((corpus / "verdicts" / "C").glob("*.litmus")),
    ]
    assert files
    refused: dict[str, str] = {}
    for file in files:
        try:
            validate(parse(SourceFile.read(file)))
        except InputError as failure:
            refused[file.name] = failure.diagnostics[0].message
    assert refused == REFUSED
