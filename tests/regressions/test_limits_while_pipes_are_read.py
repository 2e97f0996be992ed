"""Limits and Ctrl-C count while a file is read or written that is a pipe whose other end nobody holds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from limits.stages import INTERRUPTED, run
from membar.cli.command import UNKNOWN

EXAMPLES = Path(__file__).parents[2] / "examples"
_SB, _DVE = EXAMPLES / "store-buffering.litmus", EXAMPLES / "peterson.dve"
COMMANDS = (
    f"check {_SB} --ltl @pipe.ltl",
    f"repair {_SB} --ltl @pipe.ltl",
    f"check {_DVE} --atomic pipe.txt",
    f"check {_SB} --model pipe.cat",
    "check pipe.c",
    "check pipe.litmus",
    "check pipe.cub",
    f"check {_SB} --junit pipe.txt",
    f"check {_SB} --summary pipe.txt",
    f"litmus {_SB} --expect pipe.json",
    "litmus pipe.litmus",
    "compare pipe.litmus --models sc,x86-tso",
    f"repair {_SB} --costs pipe.toml",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for ending in ("ltl", "txt", "cat", "c", "litmus", "cub", "json", "toml"):
        os.mkfifo(tmp_path / f"pipe.{ending}")
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_a_limit_counts(command: str, folder: Path) -> None:
    ending = run(f"{command} --limit time=1s", folder)
    assert ending.code == UNKNOWN
    assert "the time limit of 1 s was reached" in " ".join(ending.output.split())


@pytest.mark.parametrize(
    "command", [*COMMANDS, "replay pipe.json", f"translate {_DVE} --to dve --ltl @pipe.ltl"]
)
def test_ctrl_c_counts(command: str, folder: Path) -> None:
    ending = run(command, folder, interrupt=2.0)
    assert ending.code == INTERRUPTED
    assert "Traceback" not in ending.output
