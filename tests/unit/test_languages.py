"""Languages: a file's own front end is loaded, and no other."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from membar import languages
from membar.diagnostics import InputError
from membar.languages import litmus, registry
from membar.plugins import Lazy
from membar.records import field_names
from membar.source import SourceFile

# What no question about a Cubicle model needs.
_IDLE = (
    "membar.questions.safety",
    "membar.languages.litmus",
    "membar.languages.compiled",
    "membar.objects",
    "membar.program",
    "membar.properties",
    "membar.reports.executions",
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


def test_every_language_has_an_ending() -> None:
    found = {registry.language_of(SourceFile(f"a{ending}", "")).name for ending in languages.ENDINGS}
    assert found == {language.name for language in registry.every_frontend()}


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


# An example, and the folders of languages that a check of it may load.
_OWN = {
    "store-buffering.litmus": {"litmus", "litmus.dialects.x86"},
    "message-passing.litmus": {"litmus", "litmus.dialects.c"},
    "peterson.dve": {"dve"},
    "peterson-once.pml": {"promela"},
    "spinlock.cub": {"cubicle"},
    "peterson.xcfa": {"xcfa"},
    "peterson.c": {"compiled"},
}


@pytest.mark.parametrize("name", _OWN)
def test_a_check_of_one_language_imports_nothing_of_another(name: str) -> None:
    (example,) = (Path(__file__).parents[2] / "examples").rglob(name)
    command = [sys.executable, "-c", _LOADED, str(example)]
    subprocess.run(command, capture_output=True, check=False)  # compiles and keeps the model
    loaded = (
        subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1].split()
    )
    folders = {
        *languages.ENDINGS.values(),
        *(f"litmus.dialects.{folder}" for folder in litmus.FOLDERS.values()),
    }
    own = {folder for folder in folders if f"membar.languages.{folder}" in loaded}
    assert own == _OWN[name]
    assert "membar.models.cat" not in loaded


def test_the_tables_of_languages_say_what_the_folders_say() -> None:
    assert languages.FOLDERS.keys() | {"C", "C++", "Rust"} == languages.DEFAULT_MODELS.keys()
    for frontend in registry.frontends():
        for language in frontend.default_models:
            words = registry.words_of(language)
            assert language in {"C", "C++", "Rust"} or words is frontend.dialects.get(language, frontend.tags)
    assert litmus.DIALECTS["C"].tags.keys() <= registry.words_of("C").keys()


def test_every_dialect_has_a_header_word() -> None:
    folders = {path.parent.name for path in Path(litmus.__file__).parent.glob("dialects/*/__init__.py")}
    assert set(litmus.FOLDERS.values()) == folders


def test_every_lazy_function_is_there() -> None:
    records: list[object] = [*registry.every_frontend(), *litmus.DIALECTS.values()]
    values = [getattr(one, name) for one in records for name in field_names(one)]
    options = [each for value in values if isinstance(value, Mapping) for each in value.values()]
    found = [value for value in (*values, *options) if isinstance(value, Lazy)]
    assert len(found) >= 25
    assert all(callable(value.load()) for value in found)
