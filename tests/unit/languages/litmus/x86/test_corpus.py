"""Every x86 test of the corpus is understood, as far as that shows without running it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from membar.languages.litmus import parse
from membar.program.condition import FinalCell, FinalCondition, Quantifier
from membar.program.validate import validate
from membar.source import SourceFile

KINDS = {Quantifier.EXISTS: "Allowed", Quantifier.NOT_EXISTS: "Forbidden", Quantifier.FORALL: "Required"}


@pytest.mark.parametrize("folder", ["litmus/X86", "litmus/X86_64", "verdicts/X86"])
def test_every_file_parses(corpus: Path, folder: str) -> None:
    files = sorted((corpus / folder).glob("*.litmus"))
    assert files
    for file in files:
        validate(parse(SourceFile.read(file)))


def labels(condition: FinalCondition) -> list[str]:
    """What a state line of herd names, in its order."""
    return [
        f"[{item.label}]" if isinstance(item.term, FinalCell) and not item.label.endswith("]") else item.label
        for item in condition.observed
    ]


@pytest.mark.parametrize("dialect", ["X86", "X86_64"])
def test_names_kinds_and_observed_places_agree(corpus: Path, dialect: str) -> None:
    answers = json.loads((corpus / "litmus" / dialect / "expected.json").read_text())
    for name, answer in answers.get("tests", answers).items():
        program = parse(SourceFile.read(corpus / "litmus" / dialect / answer["file"]))
        assert program.name == name
        assert program.condition is not None
        assert KINDS[program.condition.quantifier] == answer["kind"]
        shown = [item.split("=")[0].strip() for item in answer["states"][0].split(";") if item.strip()]
        assert labels(program.condition) == shown, name
