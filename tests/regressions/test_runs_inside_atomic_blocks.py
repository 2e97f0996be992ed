"""A run that never leaves an atomic block counts: claims that hold otherwise are open."""

from __future__ import annotations

import pytest

import membar

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from membar.source import SourceFile

_TEXT = """
byte x, y;
active proctype A() {{ atomic {{ y = 1; do {loop} od; x = 1 }} }}
ltl reached {{ {claim} }}
"""
ENDLESS, COUNTING = ":: y = 3 - y :: y == 9 -> break", ":: y < 9 -> y++ :: else -> break"


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("no_por", [False, True])
@pytest.mark.parametrize(
    ("loop", "claim", "verdict"),
    [
        (ENDLESS, "<> (x == 1)", "unknown"),
        (ENDLESS, "[] (x == 1)", "violated"),
        (COUNTING, "<> (x == 1)", "holds"),
        (COUNTING, "[] (x == 0)", "violated"),
    ],
)
def test_a_loop_inside_an_atomic_block(
    loop: str, claim: str, verdict: str, *, no_por: bool, jobs: int
) -> None:
    text = SourceFile("block.pml", _TEXT.format(loop=loop, claim=claim))
    assert membar.check(text, model="sc", no_por=no_por, jobs=jobs).verdict == verdict
