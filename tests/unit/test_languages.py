"""Languages: a file's own front end is loaded, and no other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from membar import languages
from membar.diagnostics import InputError
from membar.languages import registry
from membar.source import SourceFile

# What no question about a Cubicle model needs.
_IDLE = (
    "membar.questions.api",
    "membar.languages.litmus",
    "membar.languages.c",
    "membar.objects",
    "membar.program",
    "membar.properties",
    "membar.reports.terminal",
    "dataclasses",
    "inspect",
    "json",
)
_SYSTEM = """
type loc = A | B
array PC[proc] : loc
init (p) { PC[p] = A }
unsafe (p q) { PC[p] = B && PC[q] = B }
transition stay (p) requires { PC[p] = A } { PC[p] := A }
"""
_LOADED = """
import sys
from membar.cli import command as cli
code = cli.main(["check", sys.argv[1]])
print(code, *sorted(sys.modules))
"""


def test_the_table_of_endings_says_what_the_folders_say() -> None:
    said = {ending: language.name for language in registry.every_frontend() for ending in language.suffixes}
    assert set(languages.ENDINGS) == set(said)
    for ending, name in said.items():
        assert registry.language_of(SourceFile(f"a{ending}", "")).name == name


def test_an_unknown_ending_names_the_known_ones() -> None:
    with pytest.raises(InputError) as problem:
        registry.language_of(SourceFile("a.txt", ""))
    assert all(ending in str(problem.value.diagnostics[0].help) for ending in languages.ENDINGS)


def test_a_question_loads_what_it_needs(tmp_path: Path) -> None:
    file = tmp_path / "small.cub"
    file.write_text(_SYSTEM, encoding="utf-8")
    command = [sys.executable, "-c", _LOADED, str(file)]
    subprocess.run(command, capture_output=True, check=False)  # compiles and keeps the model
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert "HOLDS under sc" in found[0]
    code, *loaded = found[-1].split()
    assert code == "0"
    assert [name for name in loaded if name in _IDLE] == []
