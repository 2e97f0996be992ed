"""Which control points are watched, and what matters there."""

from __future__ import annotations

import pytest

from membar.languages.mbp import FRONTEND
from membar.program.awaits import SpinLoop, watches
from membar.program.condition import FinalRegister, Term
from membar.source import SourceFile


def watched(
    steps: str, *shown: str, marks: frozenset[str] | None = None, other: str = ""
) -> tuple[SpinLoop, ...]:
    text = f"program p memory x : i32 memory y : i32 thread P0 {{ {steps} }} {other}"
    program = FRONTEND.parse(SourceFile("p.mbp", text))
    terms: list[Term] = [FinalRegister(0, name) for name in shown]
    return watches(program, terms, marks).of(0)


@pytest.mark.parametrize(
    ("steps", "shown", "registers"),
    [
        ("0 -> 1: r := load [&x] 1 -> 0 when r == 0 1 -> 2 when r != 0", ("r",), ()),
        # Written the other way round, it is watched inside, where the old value does not matter any more.
        ("0 -> 1 when r == 0 1 -> 0: r := load [&x] 0 -> 2 when r != 0", ("r",), ()),
        # A counter matters, if only to itself.
        ("0 -> 1: r := load [&x]; n := n + 1 1 -> 0 when r == 0 1 -> 2 when r != 0", ("r",), ("n",)),
        # What the turn before left in s is seen behind the loop; so it is watched where s is read anew.
        ("0 -> 1: r := load [&x] 1 -> 3 when r != 0 1 -> 2 when r == 0 2 -> 0: s := load [&y]", ("s",), ()),
        # Here s may stay as an earlier turn left it.
        ("0 -> 1: r := load [&x] 1 -> 0 when r == 0: s := s | r 1 -> 2 when r != 0", ("s",), ("s",)),
        ("0 -> 1: r := load [&x] 1 -> 3 when r != 0 1 -> 2 when r == 0 2 -> 0: s := load [&y]", ("r",), ()),
    ],
)
def test_registers_that_matter(steps: str, shown: tuple[str, ...], registers: tuple[str, ...]) -> None:
    (watch,) = watched(steps, *shown)
    assert watch.registers == registers
    assert not watch.exclusive


def test_straight_lines_are_not_watched() -> None:
    assert watched("0 -> 1: r := load [&x]", "r") == ()


def test_every_loop_is_watched_once() -> None:
    inner = "0 -> 1: r := load [&x] 1 -> 0 when r == 0 1 -> 2 when r != 0"
    outer = "2 -> 3: s := rmw [&x] := 1 3 -> 0 when s != 0 3 -> 4 when s == 0"
    assert len({watch.point for watch in watched(f"{inner} {outer}", "r")}) in (1, 2)


LOOKS = "0 -> 1: r := load [&x] {RLX} 1 -> 2: s := load [&y] {RLX} 2 -> 0 when r == s 2 -> 3 when r != s"


@pytest.mark.parametrize(
    ("other", "single"),
    [
        ("thread P1 { 0 -> 1: store [&y] := 1 {RLX} }", False),
        ("thread P1 { 0 -> 1: store [&y] := 1 }", True),
        ("thread P1 { 0 -> 1: q := &y 1 -> 2: store [q] := 1 }", True),
        ("thread P1 { 0 -> 1: q := &z 1 -> 2: store [q] := 1 }", False),
        ("thread P1 { register q = &y 0 -> 1: store [q] := 1 }", True),
    ],
)
def test_turns_with_two_reads_must_not_race(other: str, *, single: bool) -> None:
    (watch,) = watched(LOOKS, "r", marks=frozenset({"RLX"}), other=other)
    assert watch.single is single
    (watch,) = watched(LOOKS, "r", marks=None, other=other)
    assert not watch.single
