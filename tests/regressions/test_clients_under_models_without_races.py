"""Clients of an object under a model that defines no races: nothing is said about races."""

from __future__ import annotations

import pytest

import membar
from membar.questions.outcome import Verdict
from membar.source import SourceFile

_REGISTER = """// membar: object Register
static int x;
// membar: operation write(fresh)
static void write(int v) { x = v; }
// membar: operation read()
static int read(void) { return x; }
"""


@pytest.mark.parametrize(
    ("model", "verdict"),
    [("sc", Verdict.NOT_CHECKED), ("x86-tso", Verdict.NOT_CHECKED), ("rc11", Verdict.VIOLATED)],
)
def test_races_of_clients_are_checked_only_where_the_model_defines_them(model: str, verdict: Verdict) -> None:
    answer = membar.check(SourceFile("register.c", _REGISTER), client=(2, 1), model=model)
    finding = answer.outcome.run.finding("races")
    assert finding is not None
    assert finding.verdict is verdict
