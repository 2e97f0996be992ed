"""Witnesses of long threads: few bytes for each pair of events, and replayed within the limits."""

from __future__ import annotations

import tracemalloc
from contextlib import AbstractContextManager

import pytest

from membar import api, effort
from membar.engines.reference.replay import replay
from membar.source import SourceFile
from membar.task import Limits

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


def test_a_long_witness_is_small() -> None:
    found = api.check(SourceFile("long.c", LONG))
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
    monkeypatch.setattr(effort, "_LEAST", 0.0)
    monkeypatch.setattr(effort, "_EVERY", 1)
    original = effort.limited

    def spent(
        *, seconds: float | None, memory: int | None, spent: float = 0.0
    ) -> AbstractContextManager[None]:
        return original(seconds=seconds, memory=memory, spent=(seconds or 0.0) if spent else 0.0)

    monkeypatch.setattr(api, "limited", spent)
    found = api.check(SourceFile("long.c", LONG), limits=Limits(seconds=600.0))
    assert found.verdict == "unknown"
    assert "the time limit of 600 s was reached while the witness was replayed" in str(found.outcome)
