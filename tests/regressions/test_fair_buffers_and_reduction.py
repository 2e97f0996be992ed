"""Under `--fair buffers` a run in which a store is never made need not make it: reduction must not add it."""

from __future__ import annotations

import pytest

import membar

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from membar.source import SourceFile

# While B goes on forever, A may stop between its two stores. With the first one still in the buffer, the
# second one does not fill an empty queue, but once made, it has to leave.
_TEXT = """\
byte x = 0, y = 0;
process A { state a, b, c; init a; trans a -> b { effect x = 1; }, b -> c { effect y = 1; }; }
process B { state s; init s; trans s -> s {}; }
system async;
"""


@pytest.mark.parametrize("model", ["x86-tso", "pso", "cam"])
def test_a_store_that_reduction_would_add_has_to_leave_its_buffer(model: str) -> None:
    answer = membar.check(SourceFile("p.dve", _TEXT), ltl="F x == 1 -> F y == 1", model=model, buffers=2)
    assert answer.verdict == "violated"


def test_a_store_that_is_made_leaves_its_buffer() -> None:
    answer = membar.check(SourceFile("p.dve", _TEXT), ltl="F A.c -> F y == 1", model="x86-tso", buffers=2)
    assert answer.verdict == "holds"
