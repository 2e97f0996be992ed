"""What small C programs compute, and what is wrong with them."""

from __future__ import annotations

import pytest

from membar import api
from membar.source import SourceFile
from strategies.c_cases import CONCURRENT, SEQUENTIAL, Concurrent, Sequential, result_of, verdict_of

CASES = [(case, model, verdict) for case in CONCURRENT for model, verdict in case.verdicts]


@pytest.mark.parametrize("case", SEQUENTIAL, ids=lambda case: case.name)
def test_a_program_of_one_thread_computes_what_c_says(case: Sequential) -> None:
    assert result_of(case) == case.result


@pytest.mark.parametrize(
    ("case", "model", "verdict"), CASES, ids=lambda item: getattr(item, "name", str(item))
)
def test_a_concurrent_program_gets_its_verdict(case: Concurrent, model: str, verdict: str) -> None:
    assert verdict_of(case, model) == verdict


MAYBE_NULL = """#include <pthread.h>
#include <stdatomic.h>
int v;
int *_Atomic p;
atomic_int ready;
void *reader(void *unused) {
  if (atomic_load_explicit(&ready, memory_order_relaxed)) {
    int *q = atomic_load_explicit(&p, memory_order_relaxed);
    *q = 3;
  }
  return 0;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, reader, 0);
  atomic_store_explicit(&p, &v, memory_order_relaxed);
  atomic_store_explicit(&ready, 1, memory_order_relaxed);
  pthread_join(thread, 0);
}
"""


@pytest.mark.parametrize(
    ("model", "verdict"), [("sc", "holds"), ("x86-tso", "holds"), ("armv8", "violated"), ("rc11", "violated")]
)
def test_a_null_pointer_that_only_weak_models_show_is_bad_there_alone(model: str, verdict: str) -> None:
    assert api.check(SourceFile("maybe-null.c", MAYBE_NULL), model=model).verdict == verdict
