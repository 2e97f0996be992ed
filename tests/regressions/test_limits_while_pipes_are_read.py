"""Limits and Ctrl-C count while a file is read or written that is a pipe whose other end nobody holds."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from limits.stages import INTERRUPTED, Ending, run
from membar.cli.command import UNKNOWN

EXAMPLES = Path(__file__).parents[2] / "examples"
_SB, _DVE = EXAMPLES / "litmus/store-buffering.litmus", EXAMPLES / "dve/peterson.dve"
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


def run_all(commands: Sequence[str], folder: Path, *, interrupt: float | None = None) -> dict[str, Ending]:
    """How each command ends. They wait side by side: none of them needs the processor."""
    with ThreadPoolExecutor(max_workers=5) as pool:
        endings = pool.map(lambda command: run(command, folder, interrupt=interrupt), commands)
        return dict(zip(commands, endings, strict=True))


def test_a_limit_counts(folder: Path) -> None:
    for command, ending in run_all([f"{item} --limit time=1s" for item in COMMANDS], folder).items():
        assert ending.code == UNKNOWN, command
        assert "the time limit of 1 s was reached" in " ".join(ending.output.split()), command


def test_ctrl_c_counts(folder: Path) -> None:
    commands = [*COMMANDS, "replay pipe.json", f"translate {_DVE} --to dve --ltl @pipe.ltl"]
    for command, ending in run_all(commands, folder, interrupt=2.0).items():
        assert ending.code == INTERRUPTED, command
        assert "Traceback" not in ending.output, command
