"""A thread that may do something else while it waits to send without room in between does not move alone."""

from __future__ import annotations

import pytest

import membar

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from membar.source import SourceFile

# A may send, once B has come to its receive, or go on without that.
_TEXT = """\
channel c;
byte l = 0;
process A { state a, b; init a; trans a -> b {}, a -> b { sync c!; }; }
process B { state a, b, d; init a; trans a -> b {}, b -> d { sync c?; effect l = 1; }; }
system async;
"""


def test_a_meeting_that_comes_later_is_seen_by_ltl() -> None:
    answer = membar.check(SourceFile("p.dve", _TEXT), ltl="G l == 0", model="sc", properties=("claims",))
    assert answer.verdict == "violated"


def test_a_meeting_that_comes_later_is_seen_by_safety() -> None:
    answer = membar.check(SourceFile("p.dve", _TEXT), error="l == 1", model="sc", properties=("errors",))
    assert answer.verdict == "violated"
