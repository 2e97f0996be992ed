"""In Promela and DVE a deadlock is a state in which nothing moves, as in SPIN and DiVinE (properties.md)."""

from __future__ import annotations

import pytest

import membar
from membar.source import SourceFile

PROMELA = """byte x, y;
active proctype A() { do :: x = 1 - x od }
active proctype B() { y == 1 }
"""
DVE = """channel c;
process A { state s, t; init s; trans s -> t { sync c!; }; }
process B { state u; init u; trans u -> u { }; }
system async;
"""


@pytest.mark.parametrize(("name", "text"), [("a.pml", PROMELA), ("a.dve", DVE)])
def test_a_process_blocked_beside_a_running_one_is_no_deadlock(name: str, text: str) -> None:
    answer = membar.check(SourceFile(name, text), model="sc", properties=("deadlock",))
    assert answer.verdict == "holds"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.pml", PROMELA.replace("do :: x = 1 - x od", "skip")),
        ("a.dve", DVE.replace("u -> u { }", "u -> u { guard 0 == 1; sync c?; }")),
    ],
)
def test_a_process_blocked_alone_is_a_deadlock(name: str, text: str) -> None:
    answer = membar.check(SourceFile(name, text), model="sc", properties=("deadlock",))
    assert answer.verdict == "violated"
