"""`compare` calls engines wrong only where both have said something about the same."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

import membar
from membar.cli.command import main
from membar.questions.answer import Comparison

_STORE_BUFFERING = """program SB
memory x : i32
memory y : i32
thread P0 { 0 -> 1: store [&x] := 1 1 -> 2: r0 := load [&y] }
thread P1 { 0 -> 1: store [&y] := 1 1 -> 2: r0 := load [&x] }
"""
_QUESTION = "exists 0:r0 = 0 /\\ 1:r0 = 0\n"
_WAIT = """var m : mutex
var c : condition
main process p { main procedure r() {
  init loc a final loc b
  a -> b { lock m wait c with m unlock m }
} }
"""


@pytest.mark.parametrize("engine", ["states", "buffers", "reference"])
@pytest.mark.parametrize("question", ["", _QUESTION])
def test_final_states_that_nobody_asked_about_are_no_difference(
    engine: str, question: str, tmp_path: Path
) -> None:
    path = tmp_path / "sb.mbp"
    path.write_text(_STORE_BUFFERING + question)
    found = membar.compare(path, models=["x86-tso"], engines=["graphs", engine])
    assert found.evidence == Comparison(found.columns, differences=())
    listed = [column.outcome.run for column in found.columns]
    assert {len(run.outcomes) for run in listed if run.lists_outcomes} == {4}
    assert all(run.lists_outcomes for run in listed) or not question


def test_states_that_an_engine_does_not_list_are_shown_as_open(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "sb.mbp"
    path.write_text(_STORE_BUFFERING)
    assert main(["compare", str(path), "--engines", "graphs,states", "--models", "x86-tso"]) == 0
    rows = [row.split() for row in capsys.readouterr().out.splitlines() if "r0=" in row]
    assert [row[-2:] for row in rows] == [["yes", "?"]] * 4


def test_engines_agree_about_a_wait_without_a_notification(tmp_path: Path) -> None:
    path = tmp_path / "wait.xcfa"
    path.write_text(_WAIT)
    found = membar.compare(path, models=["sc"], engines=["graphs", "states", "reference"])
    assert found.evidence == Comparison(found.columns, differences=())
    assert {column.verdict for column in found.columns} == {"violated"}
