from __future__ import annotations

from membar.languages.mbp import FRONTEND
from membar.program.expand import expand
from membar.program.printer import print_edge
from membar.program.program import Program
from membar.source import SourceFile


def read(text: str) -> Program:
    return FRONTEND.parse(SourceFile("p.mbp", "program p\nmemory m : i32\n" + text))


PROGRAM = read("thread T { 0 -> 1: lock [&m] {ACQ} 1 -> 2: r := 1 2 -> 3 when r: unlock u8 [r] {REL} }")


def test_a_lock_is_an_exchange_and_an_assumption_in_one_step() -> None:
    lock, middle, unlock = expand(PROGRAM).threads[0].edges
    assert print_edge(lock) == (
        "0 -> 1: lock$old := rmw [&m] := 1 read {ACQ} write {ACQ}; wait lock$old == 0"
    )
    assert print_edge(unlock) == "2 -> 3 when r: store u8 [r] := 0 {REL}"
    assert middle == PROGRAM.threads[0].edges[1]


def test_expanding_keeps_the_places() -> None:
    for before, after in zip(PROGRAM.threads[0].edges, expand(PROGRAM).threads[0].edges, strict=True):
        assert after.span is before.span


def test_expanding_twice_is_expanding_once() -> None:
    once = expand(PROGRAM)
    assert expand(once) is once


def test_the_new_register_is_nobody_elses() -> None:
    program = read("thread T { register lock$old = 5 0 -> 1: lock [&m] 1 -> 2: lock$old$ := 1 }")
    (edge, _) = expand(program).threads[0].edges
    assert print_edge(edge).startswith("0 -> 1: lock$old$$ := rmw")
