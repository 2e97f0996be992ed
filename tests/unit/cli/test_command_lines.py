"""What command lines mean: the values that they choose, and what is said about those that make no sense."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from membar.cli import arguments
from membar.cli import command as cli
from membar.cli.arguments.commands import COMMANDS
from membar.questions.task import Limits

# Words, and the values that differ from those of the command with its files alone.
GOOD: list[tuple[str, dict[str, Any]]] = [
    ("check a.c", {"files": ["a.c"]}),
    ("check --json a.c b.c", {"files": ["a.c", "b.c"], "json": True}),
    ("check a.c --json b.c", {"files": ["a.c", "b.c"], "json": True}),
    ("check -j2 a.c -m sc", {"files": ["a.c"], "jobs": 2, "model": "sc"}),
    ("check a.c b.c --json", {"files": ["a.c", "b.c"], "json": True}),
    ("check --model=sc a.c", {"files": ["a.c"], "model": "sc"}),
    ("check --model= a.c", {"files": ["a.c"], "model": ""}),
    ("check a.c -- -O1 -b", {"files": ["a.c"], "others": ["-O1", "-b"]}),
    ("replay -- --a", {"witness": "--a"}),
    (
        "check a.c -include b.h -UA -U B --std=c11 --no-cache",
        {
            "files": ["a.c"],
            "includes": ["b.h"],
            "undefines": ["A", "B"],
            "standard": "c11",
            "no_cache": True,
        },
    ),
    ("check -5", {"files": ["-5"]}),
    ("check - a.c", {"files": ["-", "a.c"]}),
    (
        "check a.c -Dx=1 -D y -D=z -Idir -I other",
        {"files": ["a.c"], "define": ["x=1", "y", "z"], "include": ["dir", "other"]},
    ),
    ("check a.c -Iwith|space -DA=b|c", {"files": ["a.c"], "include": ["with space"], "define": ["A=b c"]}),
    ("check a.c --client=2,3", {"files": ["a.c"], "client": [2, 3]}),
    ("check a.c --ltl -x|==|1", {"files": ["a.c"], "ltl": "-x == 1"}),
    ("check a.c --ltl=-x", {"files": ["a.c"], "ltl": "-x"}),
    ("check a.c --ltl=G|(x|==|1)", {"files": ["a.c"], "ltl": "G (x == 1)"}),
    ("check a.c --json --json", {"files": ["a.c"], "json": True}),
    ("check a.c --args a|b --args 'c|d'|e", {"files": ["a.c"], "args": ["a", "b", "c d", "e"]}),
    ("check a.c --instances 2,3 --brab 2", {"files": ["a.c"], "instances": [2, 3], "brab": 2}),
    (
        "check a.c --limit time=10s,memory=2G",
        {"files": ["a.c"], "limit": Limits(seconds=10.0, memory=2 << 30)},
    ),
    ("check a.c --limit memory=1G", {"files": ["a.c"], "limit": Limits(memory=1 << 30)}),
    ("check a.c --threads any:K", {"files": ["a.c"], "threads": "K"}),
    ("check a.c --fair none", {"files": ["a.c"], "fair": frozenset()}),
    ("check a.c --buffers unbounded", {"files": ["a.c"], "buffers": 0}),
    ("check a.c --junit -", {"files": ["a.c"], "junit": "-"}),
    ("litmus dir --expect k.json --jobs 2", {"paths": ["dir"], "expect": "k.json", "jobs": 2}),
    ("compare a --models sc,rc11", {"file": "a", "models": "sc,rc11"}),
    ("models", {}),
    ("models show", {"action": "show"}),
    ("models show sc", {"action": "show", "name": "sc"}),
    (
        "models test sc --count 5 --seed 0 -I d",
        {"action": "test", "name": "sc", "count": 5, "seed": 0, "include": ["d"]},
    ),
    ("translate a.c --to dot --buffers 2", {"file": "a.c", "to": "dot", "buffers": 2}),
    ("repair a.c --all --weaken --costs f", {"file": "a.c", "all": True, "weaken": True, "costs": "f"}),
    ("replay -", {"witness": "-"}),
]
PLAIN = {"models": "models", "translate": "translate f --to dve"}

BAD: list[tuple[str, str, str]] = [
    ("check", "missing FILE", "membar check --help"),
    ("check --json", "missing FILE", "membar check --help"),
    (
        "check a.c --model",
        "argument --model: needs a value, as in `--model NAME|FILE.cat`",
        "membar check --help",
    ),
    (
        "check --model --json a.c",
        "argument --model: needs a value, as in `--model=--json`",
        "membar check --help",
    ),
    ("check a.c --ltl -x", "argument --ltl: needs a value, as in `--ltl=-x`", "membar check --help"),
    ("check a.c --jobs -1", "argument --jobs: `-1` is not a positive whole number", "membar check --help"),
    ("check a.c -j0", "argument --jobs: `0` is not a positive whole number", "membar check --help"),
    (
        "check a.c --client -1,2",
        "argument --client: `-1` is not a positive whole number",
        "membar check --help",
    ),
    ("check a.c --json=yes", "argument --json: takes no value", "membar check --help"),
    ("check a.c --jsn", "unknown option `--jsn`", "did you mean `--json`?"),
    ("check a.c --mode sc", "unknown option `--mode`", "did you mean `--model`?"),
    ("check a.c --modle=sc", "unknown option `--modle`", "did you mean `--model`?"),
    ("check a.c -model sc", "unknown option `-model`", "did you mean `--model`?"),
    ("check a.c --hlep", "unknown option `--hlep`", "did you mean `--help`?"),
    ("check a.c -std=c11", "unknown option `-std`", "did you mean `--std`?"),
    ("check -- --a.c", "missing FILE", "membar check --help"),
    ("check a.c -x", "unknown option `-x`", "membar check --help"),
    (
        "check a.c --weaken",
        "--weaken is an option of `membar repair`, not of `membar check`",
        "membar check --help",
    ),
    (
        "litmus dir --ltl x",
        "--ltl is an option of `membar check`, `membar repair` and `membar translate`,"
        " not of `membar litmus`",
        "membar litmus --help",
    ),
    (
        "check a.c --unroll 2 --max-unroll 3",
        "argument --max-unroll: not allowed with --unroll",
        "membar check --help",
    ),
    ("check a.c --model sc -m x86-tso", "argument --model: given twice", "membar check --help"),
    (
        "check a.c --limit time=10s --limit memory=1G",
        "argument --limit: given twice",
        "membar check --help",
    ),
    ("check a.c --json --herd", "argument --herd: not allowed with --json", "membar check --help"),
    (
        "check a.c --coherence none",
        "argument --coherence: `none` is not one of all, observed",
        "membar check --help",
    ),
    ("check a.c --args 'a", "argument --args: `'a`: no closing quotation", "membar check --help"),
    (
        "check a.c --fair all",
        "argument --fair: `all` is not `none` or a list of `buffers` and `processes`",
        "membar check --help",
    ),
    ("compare a b c", "unexpected argument `c`", "membar compare --help"),
    (
        "compare a b",
        "unexpected argument `b`: one file is compared under several models",
        "two models, runs or folders of stored results: membar compare A B --store FILE",
    ),
    ("models drop sc", "`drop` is not one of show, test", "membar models --help"),
    ("translate a.c", "missing --to", "membar translate --help"),
    (
        "translate a.c --to xml",
        "argument --to: `xml` is not one of dve, promela, mapping, smv, dot, llvm, code, program",
        "membar translate --help",
    ),
    (
        "translate a.c --to dve --limit states=3",
        "argument --limit: this command does not search: only time and memory can be limited",
        "membar translate --help",
    ),
    ("replay - x", "unexpected argument `x`", "membar replay --help"),
    ("chekc a.c", "unknown command `chekc`", "did you mean `check`?"),
    ("a.c", "unknown command `a.c`", "membar --help"),
    ("--nothing", "unknown option `--nothing`", "membar --help"),
]


def _words(line: str) -> list[str]:
    return [word.replace("|", " ") for word in line.split(" ")]


def _values(line: str) -> dict[str, Any]:
    """What a command line chooses, with the names of files as text."""
    return {name: _plain(value) for name, value in vars(arguments.parse(_words(line))).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


@pytest.mark.parametrize(("line", "expected"), GOOD)
def test_a_command_line_chooses_values(line: str, expected: dict[str, Any]) -> None:
    command = line.split(" ", maxsplit=1)[0]
    found, plain = _values(line), _values(PLAIN.get(command, f"{command} f"))
    assert {
        name: value for name, value in found.items() if name in expected or value != plain[name]
    } == expected


@pytest.mark.parametrize(("line", "message", "advice"), BAD)
def test_a_command_line_without_meaning_is_refused(
    line: str, message: str, advice: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(_words(line)) == cli.BAD_INPUT
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == f"error[W0400]: {message}\n  = help: {advice}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_fits_on_one_screen(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = {}
    for asked in ("--help", "-h", "--help-all"):
        assert cli.main([command, "--json", asked]) == cli.HOLDS
        shown[asked] = capsys.readouterr().out
    assert shown["--help"] == shown["-h"]
    assert len(shown["--help"].splitlines()) <= 30
    for option in COMMANDS[command].options:
        assert f"  {option.name}" in shown["--help-all"] or f" {option.name} " in shown["--help-all"]


def test_behind_two_dashes_nothing_is_an_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["replay", "--", "--help"]) == cli.BAD_INPUT
    assert "error[W0404]: --help: " in capsys.readouterr().err
