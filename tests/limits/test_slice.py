"""A slice of `stages.py`: short limits, and much time to keep them, for busy machines."""

from __future__ import annotations

from pathlib import Path

import pytest

import tiers
from limits.slow_inputs import STAGES
from limits.stages import INTERRUPTED, run

_SLICE = (
    "C: parsing 10 MB",
    "cat: 500,000 parentheses",
    "graphs: exactly once",
    "drawing",
    "litmus X86: parsing 100,000 lines",
    "compare",
    "translate",
)
_STAGES = {stage.name: stage for stage in STAGES}
_LATEST = 30.0


@pytest.mark.parametrize("name", tiers.first(4, _SLICE))
def test_a_stage_keeps_the_time_limit_and_listens_to_ctrl_c(name: str, tmp_path: Path) -> None:
    stage = _STAGES[name]
    for file, text in stage.files().items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    ending = run(f"{stage.command} --limit time=500ms", tmp_path)
    assert ending.code == stage.code, ending.output
    assert "the time limit of 0.5 s was reached" in ending.output
    assert ending.seconds < _LATEST
    ending = run(stage.command, tmp_path, interrupt_after_work=0.5)
    assert ending.code == INTERRUPTED, ending.output
    assert ending.seconds < _LATEST


def test_json_says_that_a_limit_was_reached(tmp_path: Path) -> None:
    import json

    stage = _STAGES["litmus X86: parsing 100,000 lines"]
    (tmp_path / "a.litmus").write_text(stage.files()["a.litmus"], encoding="utf-8")
    files = "--json --junit a.xml --sarif a.sarif --summary a.md"
    ending = run(f"check a.litmus --limit time=500ms {files}", tmp_path)
    said = json.loads(ending.output)
    assert said["verdict"] == "unknown"
    assert said["reason"] == "the time limit of 0.5 s was reached while reading the program"
    for name in ("a.xml", "a.sarif", "a.md"):
        assert "the time limit of 0.5 s was reached" in (tmp_path / name).read_text(encoding="utf-8")
