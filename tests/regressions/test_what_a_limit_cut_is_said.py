"""A follow-up question that was given up left no word, and Ctrl-C during an explanation lost the answer."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import membar
import tiers
from limits.slow_inputs import STAGES, Stage
from limits.stages import INTERRUPTED, run
from membar import SourceFile
from membar.questions.repair.verdicts import Undecided


def _prepared(name: str, folder: Path) -> Stage:
    stage = next(one for one in STAGES if one.name == name)
    for file, text in stage.files().items():
        (folder / file).write_text(text, encoding="utf-8")
    return stage


@pytest.mark.full
def test_a_question_about_races_given_up_at_the_limit_is_noted(tmp_path: Path) -> None:
    stage = _prepared("follow-up question", tmp_path)
    ending = run(f"{stage.command} --limit time=6s --json", tmp_path)
    assert "no time was left to check for data races" in ending.output


@pytest.mark.full
def test_ctrl_c_during_an_explanation_keeps_the_answer(tmp_path: Path) -> None:
    stage = _prepared("explanation", tmp_path)
    ending = run(stage.command, tmp_path, interrupt_after_work=1.5)
    assert ending.code == INTERRUPTED
    assert "HOLDS" in ending.output


def test_a_certificate_that_takes_too_long_names_the_limit(tmp_path: Path) -> None:
    stage = _prepared("certificate", tmp_path)
    ending = run(f"{stage.command} --limit time=2s --json", tmp_path)
    assert "the time limit of 2 s was reached" in ending.output


@pytest.mark.parametrize(
    ("name", "known"),
    tiers.rows(
        3,
        [("cubes", " nodes, "), ("objects: clients", " histories, "), ("certificate", "the search, holds,")],
    ),
)
def test_ctrl_c_keeps_what_is_known(name: str, known: str, tmp_path: Path) -> None:
    stage = _prepared(name, tmp_path)
    ending = run(stage.command, tmp_path, interrupt_after_work=1.0)
    assert ending.code == INTERRUPTED
    assert "UNKNOWN" in ending.output
    assert known in " ".join(ending.output.split())


def test_repair_from_python_keeps_and_names_the_limit_that_was_given() -> None:
    stage = next(one for one in STAGES if one.name == "litmus X86: parsing 100,000 lines")
    text, started = stage.files()["a.litmus"], time.monotonic()
    found = membar.repair(SourceFile("a.litmus", text), model="x86-tso", seconds=1.0)
    assert isinstance(found, Undecided)
    assert found.reason.startswith("the time limit of 1 s was reached")
    assert time.monotonic() - started < 30.0  # a busy machine
