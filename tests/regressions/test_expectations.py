"""`litmus --expect` said that nothing disagrees where nothing was compared, and accepted any verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from membar.cli import command as cli

_SB = Path(__file__).parents[2] / "examples" / "litmus" / "store-buffering.litmus"


def _run(known: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = cli.main(["litmus", str(_SB), "--expect", str(known)])
    captured = capsys.readouterr()
    return code, captured.out + captured.err


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a.csv", "test,holds\nnosuch,1\n", "has no expectation for any of these tests"),
        ("a.csv", "test,holds\n", "has no expectation for any of these tests"),
        ("a.json", "{}", "has no expectation for any of these tests"),
        ("a.csv", "test,holds\nstore-buffering,0\nstore-buffering,1\n", "has two different expected answers"),
        ("a.csv", "test,holds\nstore-buffering,true\n", "line 2: `holds` is `true`"),
        ("a.csv", "name,holds\nstore-buffering,0\n", "line 1 does not name the columns"),
        ("a.json", '{"store-buffering": "Sometimes"}', "the entry of `store-buffering`"),
        ("a.json", '{"store-buffering": {"states": [], "verdict": "xyz"}}', "no known `verdict`"),
        ("a.json", "[]", "not a JSON object"),
    ],
)
def test_expectations_that_cannot_be_compared_are_an_error(
    tmp_path: Path, name: str, text: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    known = tmp_path / name
    known.write_text(text)
    code, shown = _run(known, capsys)
    assert code == 2
    assert problem in shown
    assert "no answer disagrees" not in shown


def test_expectations_are_found_by_the_name_of_the_test(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = tmp_path / "a.csv"
    known.write_text("test,holds\nstore-buffering,0\nnosuch,1\n")
    code, shown = _run(known, capsys)
    assert code == 0
    assert "no answer disagrees" in shown


def test_a_filter_that_leaves_no_state_is_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    test = tmp_path / "a.litmus"
    test.write_text("X86 a\n{ x=0; }\n P0 ;\n MOV [x],$1 ;\nfilter (x=7)\nforall (x=3)\n")
    assert cli.main(["check", str(test)]) == 0
    assert "the condition's filter excludes every final state" in capsys.readouterr().out


def test_a_limit_given_twice_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", str(_SB), "--limit", "time=1s,time=100s"]) == 2
    assert "the limit of time is given twice" in capsys.readouterr().err


def test_control_characters_in_names_are_not_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "a.mbp"
    name = r'"x\u001b[2J"'
    program.write_text(
        f'program "a"\nmemory {name} : i32\nthread P0 {{ 0 -> 1: store [&{name}] := 1 }}\nexists {name} = 1\n'
    )
    assert cli.main(["check", str(program), "--all"]) == 0
    assert "\x1b" not in capsys.readouterr().out
