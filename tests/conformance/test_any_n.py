"""The examples for any number of threads get the verdicts of their first comments."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
import tiers
from membar.questions.expectations import expected_in
from membar.questions.task import Limits
from membar.source import SourceFile

FOLDER = Path(__file__).parents[2] / "examples" / "c" / "any-threads"
# What no search decides is given up soon.
_SECONDS = {"UNKNOWN": 6.0}


SLOWEST = ("fast-mutex.c", "sc", "HOLDS")


def expectations() -> list[object]:
    found: list[tuple[str, str, str]] = []
    for path in sorted(FOLDER.glob("*.c")):
        said = expected_in(SourceFile.read(path))
        assert said, path
        assert all(claim.any_threads for claim in said)
        found += [(path.name, claim.model, claim.verdict.upper().replace("-", " ")) for claim in said]
    quick = tiers.rows(8, [each for each in found if each != SLOWEST])
    return [*quick, pytest.param(*SLOWEST, marks=pytest.mark.full)]


@pytest.mark.parametrize(("name", "model", "verdict"), expectations())
def test_an_example_has_the_verdict_of_its_comment(name: str, model: str, verdict: str) -> None:
    limits = Limits(seconds=_SECONDS.get(verdict, 300.0))
    answer = membar.prove(FOLDER / name, model=model, limits=limits)
    assert answer.verdict.upper().replace("-", " ") == verdict, answer.outcome
    if verdict == "VIOLATED":
        assert getattr(answer, "witness", None) is not None
    if verdict == "HOLDS":
        assert any("confirmed by z3" in note for note in answer.outcome.run.notes)
