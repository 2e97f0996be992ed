"""With `--error`, `--buffers unbounded` showed the run into a deadlock, where both can be reached."""

from __future__ import annotations

import pytest

import membar
from membar.questions.outcome import Verdict, Violated
from membar.source import SourceFile

# The deadlock is nearer than the error.
SOURCE = SourceFile(
    "p.dve",
    """byte x = 0, y = 0;
process A {
  state a, b, c, d, e; init a;
  trans a -> b { effect y = 1; }, a -> c { effect y = 2; },
        c -> d { effect y = 3; }, d -> e { effect x = 2; };
}
process B { state a, b; init a; trans a -> b { guard x == 5; }; }
system async;
""",
)


@pytest.mark.parametrize("buffers", ["unbounded", 2])
def test_the_run_into_the_error_comes_first(buffers: int | str) -> None:
    answer = membar.check(SOURCE, model="x86-tso", error="x == 2", buffers=buffers)
    assert isinstance(answer.outcome, Violated)
    assert answer.outcome.property == "errors"
    assert answer.witness is not None
    assert "x == 2" in answer.witness.message


def test_both_are_violated() -> None:
    run = membar.check(SOURCE, model="x86-tso", error="x == 2", buffers="unbounded").outcome.run
    found = {item.property: item.verdict for item in run.findings}
    assert found["errors"] is found["deadlock"] is Verdict.VIOLATED
