"""What Python users call has the options of the table, and refuses those that do not apply."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import membar
from generated.entry_module import entry_text
from membar.cli import command as cli
from membar.questions import python_api
from membar.questions.options import TABLE

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_functions_are_made_from_the_table(request: pytest.FixtureRequest) -> None:
    path = Path(str(python_api.__file__))
    if request.config.getoption("--update-golden"):
        path.write_text(entry_text(), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == entry_text()


@pytest.mark.parametrize("function", [membar.check, membar.prove, membar.repair])
def test_every_option_of_a_question_is_a_parameter(function: object) -> None:
    assert callable(function)
    known = {option.key for option in TABLE if not option.is_output}
    assert known <= set(inspect.signature(function).parameters)


def test_an_option_is_called_as_on_the_command_line() -> None:
    found = membar.check(EXAMPLES / "dve/peterson.dve", model="x86-tso", buffers=1, engine="states")
    assert found.question.options.buffers == 1
    assert membar.check(EXAMPLES / "litmus/store-buffering.litmus", no_symmetry=True).verdict == "violated"


def test_an_option_that_does_not_apply_is_refused() -> None:
    with pytest.raises(membar.InputError, match="--ltl does not apply to systems"):
        membar.check(EXAMPLES / "cubicle/flags.cub", ltl="F true")


def test_the_public_names_are_listed() -> None:
    assert {"check", "prove", "repair", "compare", "ask", "Answer", "Question"} <= set(dir(membar))


def test_the_short_help_fits_on_one_screen(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert cli.main(["check", "--help"]) == 0
    short = capsys.readouterr().out
    assert len(short.splitlines()) <= 24
    assert "…\n" not in short
    assert cli.main(["check", "--help-all"]) == 0
    whole = capsys.readouterr().out
    assert all(option.name in whole for option in TABLE if "check" in option.commands)
