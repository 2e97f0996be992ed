"""A process that waits at an atomic block with branches is in a deadlock for engines that see states."""

from __future__ import annotations

import pytest

import membar

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from membar.questions.task import Options
from membar.source import SourceFile

_TEXT = """bit b; byte x = 1;
active proctype P() { d_step { (b > 0); if :: (x < 2) -> x = 2 :: else -> skip fi }; skip }
"""


@pytest.mark.parametrize("block", ["d_step", "atomic"])
@pytest.mark.parametrize("options", [Options(unbounded_buffers=True), Options(buffers=4)])
def test_nobody_opens_the_guard(block: str, options: Options) -> None:
    source = SourceFile("p.pml", _TEXT.replace("d_step", block))
    answer = membar.check(source, model="x86-tso", properties=["deadlock"], options=options)
    assert answer.verdict == "violated"
