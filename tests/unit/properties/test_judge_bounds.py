"""A witness settles an `exists`, but not the assertions in what was not looked at."""

from __future__ import annotations

import pytest

import membar
from membar.questions.task import Limits, Options, Unrolling
from membar.source import SourceFile

LOOP = """program t
memory x : i32
thread P0 {
  0 -> 1: r0 := r0 + 1
  1 -> 0
  1 -> 2
  2 -> 3: assert r0 != 3, "three"
}
exists 0:r0 = 1
"""
CHOICE = """program t
memory x : i32
thread P0 { 0 -> 1: r0 := choose 0 to 5  1 -> 2: assert r0 != 5 }
exists 0:r0 = 0
"""
ENDLESS = """program t
memory x : i32
thread P0 {
  0 -> 1: r0 := r0 + 1
  1 -> 0: store [&x] := r0
  2 -> 3: assert r0 == 0
}
"""


@pytest.mark.parametrize("engine", ["reference", "graphs"])
def test_that_nothing_ended_within_the_bound_is_said(engine: str) -> None:
    def notes(text: str, bound: int) -> tuple[str, ...]:
        options = Options(unrolling=Unrolling(exact=bound))
        found = membar.check(SourceFile("t.mbp", text), engine=engine, options=options)
        assert found.verdict == "holds-within"
        return found.outcome.run.notes

    assert [note for note in notes(ENDLESS, 2) if "no execution terminates within the bound" in note]
    assert not [note for note in notes(LOOP.replace("!= 3", "!= 9"), 2) if "no execution terminates" in note]


@pytest.mark.parametrize("engine", ["reference", "graphs"])
def test_deepening_goes_on_for_the_assertions(engine: str) -> None:
    assert membar.check(SourceFile("t.mbp", LOOP), engine=engine).verdict == "violated"
    once = Options(unrolling=Unrolling(exact=1))
    assert membar.check(SourceFile("t.mbp", LOOP), engine=engine, options=once).verdict == "holds-within"


@pytest.mark.parametrize("engine", ["reference", "graphs"])
def test_a_limit_leaves_the_assertions_open(engine: str) -> None:
    limited = membar.check(SourceFile("t.mbp", CHOICE), engine=engine, limits=Limits(executions=2))
    assert limited.verdict in ("unknown", "violated")
    assert membar.check(SourceFile("t.mbp", CHOICE), engine=engine).verdict == "violated"


@pytest.mark.parametrize("engine", ["reference", "graphs"])
def test_without_assertions_a_witness_is_enough(engine: str) -> None:
    text = LOOP.replace('assert r0 != 3, "three"', "r1 := 1")
    assert membar.check(SourceFile("t.mbp", text), engine=engine).verdict == "holds"
