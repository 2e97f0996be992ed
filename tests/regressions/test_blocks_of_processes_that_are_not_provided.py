"""An atomic block is interrupted where its process is no longer `provided`, also beside an `else`."""

from __future__ import annotations

import pytest

import membar

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from membar.source import SourceFile

_TEXT = """
byte x, b;
active proctype A() provided (x < 3) {
    do
    :: atomic { x = 3; if :: b == 1 -> b = 2 :: else -> b = 3 fi }
    :: break
    od
}
"""


def test_the_block_is_entered_and_never_left() -> None:
    assert membar.check(SourceFile("provided.pml", _TEXT), model="sc").verdict == "violated"
    for_ever = _TEXT + "ltl f { [] (x == 0) }"
    assert (
        membar.check(SourceFile("provided.pml", for_ever), model="sc", properties=("claims",)).verdict
        == "violated"
    )
