"""The examples for any number of threads get the verdicts of their first comments."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from membar import lift
from membar.task import Limits

FOLDER = Path(__file__).parents[2] / "examples" / "any-n"
# What no search decides is given up soon.
_SECONDS = {"UNKNOWN": 2.0}


def expectations() -> list[tuple[str, str, str]]:
    found = []
    for path in sorted(FOLDER.glob("*.c")):
        first = re.match(r"/\* Expected with --threads any: ([^.]*)\.", path.read_text(encoding="utf-8"))
        assert first is not None, path
        for part in first[1].split(", "):
            model, verdict = part.split(" ", 1)
            found.append((path.name, model, verdict))
    return found


@pytest.mark.parametrize(("name", "model", "verdict"), expectations())
def test_an_example_has_the_verdict_of_its_comment(name: str, model: str, verdict: str) -> None:
    limits = Limits(seconds=_SECONDS.get(verdict, 300.0))
    answer = lift.check_any(FOLDER / name, model=model, limits=limits)
    assert answer.verdict.upper().replace("-", " ") == verdict, answer.outcome
    if verdict == "VIOLATED":
        assert getattr(answer, "witness", None) is not None
    if verdict == "HOLDS":
        assert any("confirmed by z3" in note for note in answer.outcome.run.notes)
