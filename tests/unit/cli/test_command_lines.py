"""What command lines mean: the values that they choose, and what is said about those that make no sense."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from membar.cli import arguments
from membar.cli import command as cli
from membar.questions.task import Limits

# Words, and the values that differ from those of the command with its files alone.
GOOD: list[tuple[str, dict[str, Any]]] = [
    ("check a.c", {"files": ["a.c"]}),
    ("check --json a.c b.c", {"files": ["a.c", "b.c"], "json": True}),
    ("check a.c b.c --json", {"files": ["a.c", "b.c"], "json": True}),
    ("check --model=sc a.c", {"files": ["a.c"], "model": "sc"}),
    ("check --model sc a.c --model x86-tso", {"files": ["a.c"], "model": "x86-tso"}),
    ("check --model= a.c", {"files": ["a.c"], "model": ""}),
    ("check -- --a.c", {"files": ["--a.c"]}),
    ("check a.c -- -b.c", {"files": ["a.c", "-b.c"]}),
    ("check -5", {"files": ["-5"]}),
    ("check - a.c", {"files": ["-", "a.c"]}),
    (
        "check a.c -Dx=1 -D y -D=z -Idir -I other",
        {"files": ["a.c"], "define": ["x=1", "y", "z"], "include": ["dir", "other"]},
    ),
    ("check a.c -Iwith|space -DA=b|c", {"files": ["a.c"], "include": ["with space"], "define": ["A=b c"]}),
    ("check a.c --client=2,3", {"files": ["a.c"], "client": (2, 3)}),
    ("check a.c --ltl -x|==|1", {"files": ["a.c"], "ltl": "-x == 1"}),
    ("check a.c --ltl=-x", {"files": ["a.c"], "ltl": "-x"}),
    ("check a.c --ltl=G|(x|==|1)", {"files": ["a.c"], "ltl": "G (x == 1)"}),
    ("check a.c --json --json", {"files": ["a.c"], "json": True}),
    ("check a.c --args a|b --args 'c|d'|e", {"files": ["a.c"], "args": ["a", "b", "c d", "e"]}),
    ("check a.c --instances 2,3 --brab 2", {"files": ["a.c"], "instances": (2, 3), "brab": 2}),
    (
        "check a.c --limit time=10s,memory=2G",
        {"files": ["a.c"], "limit": Limits(seconds=10.0, memory=2 << 30)},
    ),
    (
        "check a.c --limit time=10s --limit memory=1G",
        {"files": ["a.c"], "limit": Limits(memory=1 << 30)},
    ),
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

BAD: list[tuple[str, str]] = [
    ("check", "the following arguments are required: FILE"),
    ("check --json", "the following arguments are required: FILE"),
    ("check a.c --model", "argument --model: expected one argument"),
    ("check --model --json a.c", "argument --model: expected one argument"),
    ("check a.c --ltl -x", "argument --ltl: expected one argument"),
    ("check a.c --jobs -1", "argument --jobs: `-1` is not a whole number from 1"),
    ("check a.c --client -1,2", "argument --client: `-1` is not a whole number from 1"),
    ("check a.c --json=yes", "argument --json: ignored explicit argument 'yes'"),
    ("check a.c --jsn", "unrecognized arguments: --jsn"),
    ("check a.c --mode sc", "unrecognized arguments: --mode sc"),
    ("check a.c -x", "unrecognized arguments: -x"),
    ("check a.c --weaken", "unrecognized arguments: --weaken"),
    ("check a.c --unroll 2 --max-unroll 3", "argument --max-unroll: not allowed with argument --unroll"),
    ("check a.c --json --herd", "argument --herd: not allowed with argument --json"),
    (
        "check a.c --coherence none",
        "argument --coherence: invalid choice: 'none' (choose from 'all', 'observed')",
    ),
    ("check a.c --args 'a", "argument --args: `'a`: no closing quotation"),
    (
        "check a.c --fair all",
        "argument --fair: `all` is not `none` or a list of `buffers` and `processes`",
    ),
    ("litmus dir --ltl x", "unrecognized arguments: --ltl x"),
    ("compare a b", "unrecognized arguments: b"),
    ("models drop sc", "argument action: invalid choice: 'drop' (choose from 'show', 'test')"),
    ("translate a.c", "the following arguments are required: --to"),
    ("translate a.c --to xml", "argument --to: invalid choice: 'xml'"),
    (
        "translate a.c --to dve --limit states=3",
        "argument --limit: nothing is searched here: only time and memory can be limited",
    ),
    ("replay - x", "unrecognized arguments: x"),
    ("chekc a.c", "argument COMMAND: invalid choice: 'chekc'"),
    ("--nothing", "unrecognized arguments: --nothing"),
]


def _words(line: str) -> list[str]:
    return [word.replace("|", " ") for word in line.split(" ")]


def _values(line: str) -> dict[str, Any]:
    """What a command line chooses, with the names of files as text."""
    words = arguments.joined(_words(line))
    return {
        name: _plain(value) for name, value in vars(arguments.parser(words).parse_args(words[1:])).items()
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    return [_plain(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("line", "expected"), GOOD)
def test_a_command_line_chooses_values(line: str, expected: dict[str, Any]) -> None:
    command = line.split(" ", maxsplit=1)[0]
    found, plain = _values(line), _values(PLAIN.get(command, f"{command} f"))
    assert {
        name: value for name, value in found.items() if name in expected or value != plain[name]
    } == expected


@pytest.mark.parametrize(("line", "message"), BAD)
def test_a_command_line_without_meaning_is_refused(
    line: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(_words(line)) == cli.BAD_INPUT
    captured = capsys.readouterr()
    assert captured.out == ""
    first, second = captured.err.splitlines()
    assert first.startswith(f"error[W0400]: {message}")
    assert second.startswith("  = help: ")
