"""The README says what is true: its program, its output and its Python snippet are run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from golden.test_transcripts import BLOCK, stable, transcript
from membar import plugins
from membar.cli import command as cli
from membar.models import load
from membar.questions import client_search

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_console_output_is_real(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")
    assert BLOCK.search(README)
    assert transcript(README, capsys) == stable(README)


def test_the_program_shown_is_the_example() -> None:
    shown = re.search(r"```\n(X86.*?)```", README, re.DOTALL)
    assert shown is not None
    example = (ROOT / "examples" / "litmus/store-buffering.litmus").read_text(encoding="utf-8")
    assert shown[1] == re.sub(r"\(\*.*?\*\)\n", "", example, flags=re.DOTALL)


def test_the_python_snippet_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert code is not None
    exec(compile(code[1], "README.md", "exec"), {})
    wanted = re.findall(r"# (.*)", code[1])
    assert capsys.readouterr().out.splitlines() == wanted


def test_every_model_and_engine_it_names_exists() -> None:
    table = README[README.index("## What membar supports") : README.index("## Which guarantee")]
    rows = dict(re.findall(r"(?m)^\| (\w+) \| (.*) \|$", table))
    assert set(re.findall(r"`([\w-]+)`", rows["models"])) <= set(load.names())
    named = set(re.findall(r"`(\w+)` \(", rows["engines"]))
    # Objects are asked other questions than programs, by a way of their own.
    assert named == {*plugins.names("membar.engines"), client_search.ENGINE}


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_commands_of_the_readme_are_commands(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("check", "litmus", "models", "replay"):
        assert f"membar {command}" in README
        assert cli.main([command, "--help"]) == 0
    assert "exit codes" in capsys.readouterr().out
