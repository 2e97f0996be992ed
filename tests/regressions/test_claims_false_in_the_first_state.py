"""A claim that is false before anything happens is violated by the run without steps, which replays."""

from __future__ import annotations

import pytest

import membar

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from membar.source import SourceFile

_TEXT = """
byte x;
proctype P(byte n) { l: x = n }
init { run P(1); run P(2) }
ltl f { CLAIM }
"""


@pytest.mark.parametrize("claim", ["[] (x == 1)", "[] (P[1]:n == 5)", "[] (P[1]@l)"])
def test_before_a_process_is_started_with_arguments(claim: str) -> None:
    answer = membar.check(SourceFile("first.pml", _TEXT.replace("CLAIM", claim)), model="sc")
    assert answer.verdict == "violated"
    (replayed,) = membar.replay(SourceFile("first.json", answer.render("json")))
    assert replayed.is_confirmed, replayed
