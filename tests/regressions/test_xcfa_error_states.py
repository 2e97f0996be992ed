"""`--error` of XCFA was reported as `condition` or `assertions`, and `--property errors` was refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from membar.cli import command as cli
from membar.questions.outcome import Verdict, Violated

_PROCESS = """process {name} {{ main procedure run() {{ var r : int
  init loc a loc b final loc c
  a -> b {{ 1 -> {own} }} b -> c {{ r <- {other} }} }} }}
"""
STORE_BUFFERING = (
    "var x : int var y : int\n"
    + _PROCESS.format(name="p", own="x", other="y")
    + _PROCESS.format(name="q", own="y", other="x")
)
REACHED = ("final p.r = 0 and q.r = 0", "p.r = 0 and p.c", "p.b and q.b")
UNREACHED = ("final x = 3", "p.r = 7", "x = 3")


@pytest.fixture
def _file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sb.xcfa").write_text(STORE_BUFFERING, encoding="utf-8")


@pytest.mark.usefixtures("_file")
@pytest.mark.parametrize("properties", [None, ("errors",), ("deadlock",)])
@pytest.mark.parametrize("engine", [None, "states", "buffers"])
def test_an_error_state_violates_errors(engine: str | None, properties: tuple[str, ...] | None) -> None:
    for text in (*REACHED, *UNREACHED):
        answer = membar.check("sb.xcfa", model="x86-tso", error=text, engine=engine, properties=properties)
        is_reached = text in REACHED
        finding = answer.outcome.run.finding("errors")
        assert finding is not None
        assert finding.verdict is (Verdict.VIOLATED if is_reached else Verdict.HOLDS), text
        if is_reached:
            assert isinstance(answer.outcome, Violated)
            assert answer.outcome.property == "errors"
        assert answer.outcome.run.finding("condition") is None


@pytest.mark.usefixtures("_file")
@pytest.mark.parametrize("text", REACHED)
def test_its_witness_replays(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "sb.xcfa", "--model", "x86-tso", "--error", text, "--json"]) == cli.VIOLATED
    Path("saved.json").write_text(capsys.readouterr().out, encoding="utf-8")
    assert cli.main(["replay", "saved.json"]) == cli.HOLDS
    assert "VIOLATED (errors)" in capsys.readouterr().out


def test_a_deadlock_counts_beside_an_error_state() -> None:
    """An error state is no test's question, beside which a deadlock is only a flag."""
    text = """var m : mutex var x : int
    process p { main procedure run() { init loc a loc b final loc c
      a -> b { lock m } b -> c { lock m } } }
    error final x = 1
    """
    answer = membar.check(membar.SourceFile("p.xcfa", text), model="sc")
    assert isinstance(answer.outcome, Violated)
    assert answer.outcome.property == "deadlock"


@pytest.mark.usefixtures("_file")
def test_program_text_keeps_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    Path("asked.xcfa").write_text(f"{STORE_BUFFERING}error final p.r = 0 and q.r = 0\n", encoding="utf-8")
    assert cli.main(["translate", "asked.xcfa", "--to", "program"]) == cli.HOLDS
    Path("asked.mbp").write_text(capsys.readouterr().out, encoding="utf-8")
    answer = membar.check("asked.mbp", model="x86-tso")
    assert isinstance(answer.outcome, Violated)
    assert answer.outcome.property == "errors"
