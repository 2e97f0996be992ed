"""Broken C files get a located error, never a traceback or a verdict; a slice of `c_mutations.py`."""

from __future__ import annotations

import os
import time

import pytest

from differential import c_mutations
from differential.c_mutations import DISAGREED, OVER_LIMITS, TRACEBACK, campaign, judgement, summary
from differential.watched import Died, Killed, judged
from membar.source import SourceFile

GOOD = "int main(void) { return 0; }\n"


def test_broken_files_are_refused() -> None:
    found, wrong = campaign(40, seed=3)
    assert wrong == []
    assert found["translated"] >= 5
    assert sum(count for outcome, count in found.items() if outcome.startswith("verdict")) >= 5
    assert sum(count for code, count in found.items() if code.startswith("W09")) >= 15
    refused, translated = 40 - found["translated"], found["translated"]
    line = summary(40, 3, found, wrong)
    assert line.startswith(f"40 files (seed 3): {refused} refused, {translated} translated, ")
    assert line.endswith("0 gcc disagreed, 0 over limits, 0 tracebacks, 0 without a place: 0 went wrong")


def test_processes_beside_each_other_find_the_same() -> None:
    assert campaign(8, seed=4, jobs=2) == campaign(8, seed=4)


def test_what_hangs_or_dies_is_told_and_the_rest_goes_on() -> None:
    def judge(item: int) -> int:
        if item == 2:
            time.sleep(60)
        if item == 4:
            os._exit(7)
        return item * item

    found = dict(judged(judge, range(7), jobs=2, most_seconds=1.0, memory=4 << 30))
    assert isinstance(found.pop(2), Killed)
    assert found.pop(4) == Died(7)
    assert found == {0: 0, 1: 1, 3: 9, 5: 25, 6: 36}


def test_a_traceback_is_a_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_source: SourceFile, **_options: object) -> None:
        raise IndexError

    monkeypatch.setattr("membar.questions.entry.check", fails)
    assert [kind for kind, _ in judgement(GOOD, GOOD, ()).wrong] == [TRACEBACK]


def test_slowness_is_a_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c_mutations, "MOST_SECONDS", 0.0)
    assert [kind for kind, _ in judgement(GOOD, GOOD, ()).wrong] == [OVER_LIMITS]


def test_a_verdict_on_what_gcc_refuses_is_a_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c_mutations, "objection", lambda text: None if text == GOOD else "error: no")
    text = GOOD.replace("0", "1")
    assert [kind for kind, _ in judgement(GOOD, text, ("translated",)).wrong] == [DISAGREED]
