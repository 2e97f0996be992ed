"""HOLDS never hides a property that applies by default and was not checked."""

from __future__ import annotations

import pytest

import membar

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from membar.questions.outcome import Verdict
from membar.source import SourceFile

_GUARDS_THAT_LEAVE_A_GAP = """program gap
memory m : i32
memory x : i32
thread P0 {
  0 -> 1: lock [&m]
  1 -> 2: r0 := load [&x]
  2 -> 3 when r0 == 0
  2 -> 3 when r0 == 1
  3 -> 4: unlock [&m]
}
thread P1 {
  0 -> 1: store [&x] := 1
}
"""
_LOST_NOTIFICATION = """var m : mutex
var filled : condition
var items : int
process consumer {
  main procedure run() {
    init loc start
    final loc done
    start -> done { lock m wait filled with m unlock m }
  }
}
main process producer {
  main procedure run() {
    init loc start
    final loc done
    start -> done { lock m 1 -> items NOTIFY unlock m }
  }
}
"""
_COUNTING = """#include <stdatomic.h>
#include <pthread.h>
atomic_int x;
static void *count(void *p) { while (atomic_fetch_add(&x, 1) < 400) ; return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, count, 0); pthread_join(t, 0); return 0; }
"""


@pytest.mark.parametrize("engine", ["graphs", "reference"])
def test_a_deadlock_that_cannot_be_checked_is_unknown(engine: str) -> None:
    result = membar.check(SourceFile("gap.mbp", _GUARDS_THAT_LEAVE_A_GAP), model="sc", engine=engine)
    finding = result.outcome.run.finding("deadlock")
    assert finding is not None
    assert (result.verdict, finding.verdict) == ("unknown", Verdict.UNKNOWN)


@pytest.mark.parametrize("engine", ["graphs", "reference", "states"])
@pytest.mark.parametrize("notify", ["notify filled", "notify_all filled"])
def test_a_wait_of_xcfa_for_a_notification_that_may_be_lost_is_a_deadlock(engine: str, notify: str) -> None:
    for word in (notify, "skip"):
        source = SourceFile("lost.xcfa", _LOST_NOTIFICATION.replace("NOTIFY", word))
        result = membar.check(source, model="sc", engine=engine)
        finding = result.outcome.run.finding("deadlock")
        assert finding is not None
        assert finding.verdict is Verdict.VIOLATED


def test_termination_of_loops_that_were_cut_holds_within_the_bound() -> None:
    result = membar.check(SourceFile("counting.c", _COUNTING), model="sc")
    finding = result.outcome.run.finding("termination")
    assert finding is not None
    assert (result.verdict, finding.verdict) == ("holds-within", Verdict.WITHIN)
    assert "unknown for what was truncated" in finding.reason
