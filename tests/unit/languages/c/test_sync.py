"""Locks for readers, semaphores, barriers, condition variables: what is right with them, and what is not."""

from __future__ import annotations

import pytest

import membar
from membar.source import SourceFile
from strategies.c_heap_cases import HeapCase, said_about
from strategies.c_sync_cases import SYNC_CASES


@pytest.mark.parametrize("case", SYNC_CASES, ids=lambda case: f"{case.name} ({case.model})")
def test_waiting_gets_its_verdict(case: HeapCase) -> None:
    found = said_about(case)
    if case.says.startswith("holds"):
        assert found == case.says
    else:
        assert case.says in found
        assert not found.startswith("holds")


TWO_JOIN = """#include <pthread.h>
pthread_t t;
static void *run(void *unused) { return 0; }
static void *joins(void *unused) { pthread_join(t, 0); return 0; }
int main(void) {
  pthread_t b;
  pthread_create(&t, 0, run, 0);
  pthread_create(&b, 0, joins, 0);
  MORE
  pthread_join(b, 0);
  return 0;
}
"""


@pytest.mark.parametrize("model", ["rc11", "x86-tso", "armv8"])
@pytest.mark.parametrize(
    ("more", "verdict"),
    [("", "holds"), ("pthread_join(t, 0);", "violated"), ("pthread_detach(t);", "violated")],
)
def test_one_thread_joins_another(model: str, more: str, verdict: str) -> None:
    found = membar.check(SourceFile("two.c", TWO_JOIN.replace("MORE", more)), model=model)
    assert found.verdict == verdict


def test_no_thread_joins_itself() -> None:
    text = TWO_JOIN.replace("MORE", "").replace(
        "pthread_join(t, 0)", "t = pthread_self(); pthread_join(t, 0)"
    )
    found = membar.check(SourceFile("self.c", text), model="sc")
    assert found.verdict == "violated"
    assert found.witness is not None
    assert found.witness.message.startswith("a thread joins itself")
