"""Threads that join others, or themselves."""

from __future__ import annotations

import pytest

import membar
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

pytestmark = needs_clang


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
    assert getattr(found.outcome, "property", "") == "locks"


@pytest.mark.parametrize(
    ("header", "kind", "own"),
    [("pthread.h", "pthread_t", "pthread_self()"), ("threads.h", "thrd_t", "thrd_current()")],
)
def test_no_handle_is_zero(header: str, kind: str, own: str) -> None:
    text = f"""#include <{header}>
    #include <assert.h>
    {kind} nobody;
    int main(void) {{ assert({own} != nobody); return 0; }}"""
    assert membar.check(SourceFile("self.c", text), model="sc").verdict == "holds"
