"""CONTRIBUTING's "add a memory model in ten minutes" works as it is written."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

import membar
from membar.cli import command as cli

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    match = re.search(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)
    assert match is not None
    return re.sub(r"(?m)^ {3}", "", match[1])


def test_the_recipe_for_a_model_works_to_the_letter(tmp_path: Path) -> None:
    model = tmp_path / "coherent.cat"
    model.write_text(block("cat"), encoding="utf-8")
    loaded = membar.load_model(str(model))
    assert loaded.title.startswith("Coherence only")
    assert "Reference" in loaded.documentation  # which tests/conformance asks of every shipped model
    rows = list(csv.DictReader(block("csv").splitlines()))
    assert rows
    for row in rows:
        assert membar.check(ROOT / row["test"], model=str(model)).verdict == row["verdict"]


def test_the_commands_of_the_recipe_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "coherent.cat"
    model.write_text(block("cat"), encoding="utf-8")
    monkeypatch.chdir(ROOT)
    recipe = re.search(r"```sh\n( *membar models show.*?)```", TEXT, re.DOTALL)
    assert recipe is not None
    codes = []
    for line in recipe[1].split("\n"):
        _, *words = line.split() or [""]
        if words:
            codes.append(cli.main([str(model) if word == "coherent" else word for word in words]))
    assert codes == [0, 0, 1]
    assert "none refuted" in capsys.readouterr().out


def test_the_recipe_names_the_files_it_needs() -> None:
    for word in ("python/membar/models/", "tests/conformance/models/", "docs/reference/cat.md"):
        assert word in TEXT
        assert (ROOT / word).exists()
