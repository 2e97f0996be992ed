"""Witnesses of long threads: few bytes for each pair of events, and replayed within the limits."""

from __future__ import annotations

import tracemalloc

import pytest

import membar
from membar.engines.reference.witness_replay import replay
from membar.questions.task import Limits
from membar.source import SourceFile

LONG = """#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
atomic_int x, y;
static void *run(void *a) {
  for (int i = 0; i < 1200; i++)
    atomic_store_explicit(&x, 1, memory_order_relaxed);
  y = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, run, 0);
  pthread_join(t, 0);
  assert(y == 0);
  return 0;
}
"""


@pytest.mark.full
def test_a_long_witness_is_small() -> None:
    found = membar.check(SourceFile("long.c", LONG))
    assert found.verdict == "violated"
    assert found.witness is not None
    order = found.witness.execution.po
    assert len(order) > 700_000
    tracemalloc.start()
    assert replay(found.program, found.model, found.witness) is None
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 60 << 20


def test_the_time_limit_holds_while_a_witness_is_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    def replay_slowly(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr("membar.engines.reference.witness_replay.replay", replay_slowly)
    short = LONG.replace("1200", "2")
    membar.check(SourceFile("long.c", short), properties=())  # everything is imported
    found = membar.check(SourceFile("long.c", short), limits=Limits(seconds=1.0))
    assert found.verdict == "unknown"
    assert "the time limit of 1 s was reached while replaying the witness" in str(found.outcome)
    assert found.outcome.run.statistics.nodes
