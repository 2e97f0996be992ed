"""Messages that did not say what is wrong, said it twice, or were not sentences."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from membar.cli import command as cli
from membar.limits.budget import current, limit_resources, time_reason

LITMUS = """X86 SB
{ x=0; y=0; }
 P0         | P1         ;
 MOV [x],$1 | MOV [y],$1 ;
exists (x=1)
"""


@pytest.fixture
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sb.litmus").write_text(LITMUS, encoding="utf-8")


@pytest.mark.usefixtures("_folder")
@pytest.mark.parametrize(
    "words", [["check"], ["repair"], ["compare"], ["replay"], ["translate", "--to", "dot"]]
)
def test_a_directory_is_named(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("folder").mkdir()
    assert cli.main([*words, "folder"]) == cli.BAD_INPUT
    assert "folder is a directory" in capsys.readouterr().err


@pytest.mark.usefixtures("_folder")
def test_none_stands_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "sb.litmus", "--property", "none,races"]) == cli.BAD_INPUT
    assert "cannot be combined with other properties" in capsys.readouterr().err
    assert cli.main(["check", "sb.litmus", "--property", "none"]) == cli.HOLDS


@pytest.mark.usefixtures("_folder")
def test_a_comparison_with_a_formula_says_what_to_write(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "sb.litmus", "--ltl", "G x == 0"]) == cli.BAD_INPUT
    assert "`G (x == 0)`" in capsys.readouterr().err


@pytest.mark.usefixtures("_folder")
def test_one_mistake_is_told_once(
    capsys: pytest.CaptureFixture[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    header = tmp_path_factory.mktemp("elsewhere") / "a.h"
    header.write_text("int f(void) { return g(; } int h(void) { return }; }\n", encoding="utf-8")
    Path("p.c").write_text(f'#include "{header}"\n', encoding="utf-8")
    assert cli.main(["check", "p.c"]) == cli.BAD_INPUT
    assert capsys.readouterr().err.count("W1512") == 1


@pytest.mark.usefixtures("_folder")
def test_a_failure_without_a_state_ends_without_a_colon(capsys: pytest.CaptureFixture[str]) -> None:
    Path("p.c").write_text("int main(void) { return 1; }\n", encoding="utf-8")
    assert cli.main(["check", "p.c", "--all", "--property", "none"]) == cli.HOLDS
    said = capsys.readouterr().out
    assert "1 execution that fails or is truncated\n    main returns a value other than 0 (line 1)\n" in said


@pytest.mark.usefixtures("_folder")
def test_a_deadlock_is_named_once(capsys: pytest.CaptureFixture[str]) -> None:
    text = "byte x;\nactive proctype P() { x = 1; x == 2 }\n"
    Path("p.pml").write_text(text, encoding="utf-8")
    assert cli.main(["check", "p.pml", "--model", "sc", "--error", "x == 1"]) == cli.VIOLATED
    said = capsys.readouterr().out
    assert "deadlock: P cannot go on" in said
    assert "deadlock: deadlock" not in said


@pytest.mark.usefixtures("_folder")
def test_a_guarantee_does_not_end_in_a_comma(capsys: pytest.CaptureFixture[str]) -> None:
    text = """program runs
      memory x : i32
      thread A { 0 -> 1: store [&x] := 1  1 -> 2: assert 0, "no"  2 -> 3: store [&x] := 2 }
      claim p : F x == 2"""
    Path("claim.mbp").write_text(text, encoding="utf-8")
    assert cli.main(["check", "claim.mbp", "--model", "sc", "--property", "claims", "--json"]) == cli.UNKNOWN
    found = json.loads(capsys.readouterr().out)
    assert found["guarantee"].endswith(
        "found before a failed assertion, which ends runs that the claims are about"
    )


def test_a_part_of_the_time_is_said_to_be_the_limit_that_was_given() -> None:
    with limit_resources(seconds=60.0, memory=None), limit_resources(seconds=1.25, memory=None):
        assert time_reason(1.25) == "the time limit of 60 s was reached"
        remaining = current().remaining_seconds
        assert remaining is not None
        assert remaining <= 1.25
