"""Reads whole folders of the corpus."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

from membar.diagnostics import Diagnostic, InputError
from membar.languages.litmus import parse
from membar.program.condition import FinalCell, FinalCondition, Quantifier
from membar.program.validate import validate
from membar.source import SourceFile

KINDS = {Quantifier.EXISTS: "Allowed", Quantifier.NOT_EXISTS: "Forbidden", Quantifier.FORALL: "Required"}


def refused(folder: Path) -> dict[str, Diagnostic]:
    """The files that are not understood, with the first reason, which has a place in the file."""
    files = sorted(folder.glob("*.litmus"))
    assert files
    problems: dict[str, Diagnostic] = {}
    for file in files:
        try:
            validate(parse(SourceFile.read(file)))
        except InputError as problem:
            problems[file.name] = problem.diagnostics[0]
    assert all(problem.primary is not None for problem in problems.values())
    return problems


def check_questions(folder: Path, without: Collection[str]) -> None:
    """Name, quantifier and observed places are those that herd tells, for all files but those `without`."""
    answers = json.loads((folder / "expected.json").read_text())
    for name, answer in answers.get("tests", answers).items():
        if answer["file"] in without:
            continue
        program = parse(SourceFile.read(folder / answer["file"]))
        assert program.name == name
        assert program.condition is not None
        assert KINDS[program.condition.quantifier] == answer["kind"]
        shown = [item.split("=")[0].strip() for item in answer["states"][0].split(";") if item.strip()]
        assert _labels(program.condition) == shown, name


def _labels(condition: FinalCondition) -> list[str]:
    """What a state line of herd names, in its order."""
    return [
        f"[{item.label}]" if isinstance(item.term, FinalCell) and not item.label.endswith("]") else item.label
        for item in condition.observed
    ]
