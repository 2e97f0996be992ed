"""A limit on what an engine does not count is refused: it was ignored."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from membar.cli.command import BAD_INPUT, HOLDS, UNKNOWN, VIOLATED, main
from membar.diagnostics import InputError
from membar.questions.task import Limits

EXAMPLES = Path(__file__).parents[2] / "examples"
SB, DVE, OBJECT = "litmus/store-buffering.litmus", "dve/peterson.dve", "objects/register.obj"
REFUSED = (
    ("check", SB, "--engine reference", "states"),
    ("check", DVE, "--engine reference", "executions"),
    ("check", SB, "", "states"),
    ("litmus", SB, "", "states"),
    ("compare", SB, "--models sc,x86-tso", "states"),
    ("compare", DVE, "--models sc,x86-tso", "executions"),
    ("repair", SB, "", "states"),
    ("repair", DVE, "", "executions"),
    ("check", "c/any-threads/ticket.c", "--threads any", "executions"),
    ("check", OBJECT, "", "states"),
    ("check", OBJECT, "", "executions"),
)
COUNTED = (
    (SB, "--engine reference --model sc", "executions=1"),
    (DVE, "--engine reference", "states=1"),
    ("c/any-threads/ticket.c", "--threads any", "states=1"),
)


@pytest.mark.parametrize(("command", "file", "words", "kind"), REFUSED)
def test_a_limit_without_effect_is_refused(
    command: str, file: str, words: str, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main([command, str(EXAMPLES / file), *words.split(), "--limit", f"{kind}=1"])
    assert code == (UNKNOWN if command == "litmus" else BAD_INPUT)  # of many tests, one has no answer
    assert f"error[W0442]: --limit {kind} does not apply to the engine" in capsys.readouterr().err


@pytest.mark.parametrize(("file", "words", "limit"), COUNTED)
def test_a_limit_that_is_counted_counts(
    file: str, words: str, limit: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(EXAMPLES / file), *words.split(), "--limit", limit]) == UNKNOWN
    assert f"the limit of 1 {limit.partition('=')[0].rstrip('s')} was reached" in capsys.readouterr().out
    assert main(["check", str(EXAMPLES / SB), "--limit", "executions=100"]) in (HOLDS, VIOLATED)


def test_the_library_refuses_them_too() -> None:
    with pytest.raises(InputError):
        membar.check(EXAMPLES / SB, limits=Limits(states=1))
    with pytest.raises(InputError):
        membar.check(EXAMPLES / "c/any-threads/ticket.c", threads="N", limits=Limits(executions=1))
    with pytest.raises(InputError):
        membar.check(EXAMPLES / OBJECT, limits=Limits(states=1))
