"""`--args` sets argc and argv; a program that only fails without arguments is no violation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import membar

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from membar.cli import command as cli
from membar.diagnostics import InputError
from membar.source import SourceFile

_USAGE = """#include <stdlib.h>
int main(int argc, char **argv) {
  if (argc != 3)
    FAIL
  return argv[1][0] == 'a' && argv[2][1] == 'c' && argv[2][2] == 0 && argv[3] == 0 ? 0 : 1;
}
"""


@pytest.mark.parametrize("fail", ["return 1;", "exit(EXIT_FAILURE);"])
def test_a_failure_for_want_of_arguments_is_a_note_and_no_violation(fail: str) -> None:
    result = membar.check(SourceFile("p.c", _USAGE.replace("FAIL", fail)), model="sc")
    assert result.verdict == "holds-within"
    assert any("at line 4" in note and "--args" in note for note in result.outcome.run.notes)


@pytest.mark.parametrize(
    ("arguments", "verdict"),
    [(("a", "bc"), "holds"), (("x", "bc"), "violated"), (("a",), "violated"), ((), "violated")],
)
def test_the_program_is_run_with_its_arguments(arguments: tuple[str, ...], verdict: str) -> None:
    source = SourceFile("p.c", _USAGE.replace("FAIL", "return 1;"))
    assert membar.check(source, model="sc", arguments=arguments).verdict == verdict


def test_a_failure_that_something_else_decides_is_not_blamed_on_the_arguments() -> None:
    text = """#include <stdlib.h>
int main(int argc, char **argv) {
  if (rand() == 3)
    return 1;
  return argc > 5;
}
"""
    result = membar.check(SourceFile("p.c", text), model="sc")
    assert result.verdict == "holds-within"
    assert not any("failure" in note for note in result.outcome.run.notes)


@pytest.mark.parametrize("name", ["p.c", "p.i"])
@pytest.mark.parametrize("body", ["return argc - 1;", "if (argc > 1) return 3; return 0;"])
def test_which_run_was_explored_is_a_note(body: str, name: str) -> None:
    """HOLDS WITHIN did not say what was left out, nor what would include it."""
    source = SourceFile(name, f"int main(int argc, char **argv) {{ {body} }}\n")
    result = membar.check(source, model="sc")
    assert result.verdict == "holds-within"
    assert any("run without any" in note and "--args" in note for note in result.outcome.run.notes)
    told = membar.check(source, model="sc", arguments=("word",))
    assert told.verdict == "violated"
    assert not any("--args" in note for note in told.outcome.run.notes)


def test_words_are_read_as_a_shell_does_and_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "p.c"
    file.write_text(_USAGE.replace("FAIL", "return 1;"), encoding="utf-8")
    assert cli.main(["check", str(file), "--args", "a 'bc'"]) == cli.HOLDS
    assert cli.main(["check", str(file), "--args", "a", "--args", "bc"]) == cli.HOLDS
    capsys.readouterr()
    assert cli.main(["check", str(file), "--args", "b bc", "--json"]) == cli.VIOLATED
    saved = capsys.readouterr().out
    assert json.loads(saved)["property"] == "exits"
    witness = tmp_path / "w.json"
    witness.write_text(saved, encoding="utf-8")
    assert cli.main(["replay", str(witness)]) == cli.HOLDS
    assert cli.main(["check", str(file), "--args", "'a"]) == cli.BAD_INPUT


def test_arguments_are_refused_for_other_languages() -> None:
    with pytest.raises(InputError, match="--args does not apply"):
        membar.check(SourceFile("p.pml", "active proctype P() { skip }\n"), arguments=("a",))
