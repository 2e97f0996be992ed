"""An RMW orders no more than the pair of instructions that a compiler may write for it."""

from __future__ import annotations

import pytest

import membar
from membar.source import SourceFile

_TEXT = """#include <assert.h>
#include <pthread.h>
int x, y, a, b, r1, r2;
void *first(void *p) {
  __atomic_store_n(&x, 1, __ATOMIC_RELAXED);
  __atomic_exchange_n(&a, 1, ORDER);
  r1 = __atomic_load_n(&y, __ATOMIC_RELAXED);
  return 0;
}
void *second(void *p) {
  __atomic_store_n(&y, 1, __ATOMIC_RELAXED);
  __atomic_exchange_n(&b, 1, ORDER);
  r2 = __atomic_load_n(&x, __ATOMIC_RELAXED);
  return 0;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, first, 0);
  pthread_create(&two, 0, second, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  assert(r1 || r2);
  return 0;
}
"""


@pytest.mark.parametrize("engine", ["graphs", "reference"])
@pytest.mark.parametrize(
    ("model", "mapping", "order", "verdict"),
    [
        ("armv8", None, "SEQ_CST", "violated"),
        ("armv8", None, "ACQ_REL", "violated"),
        ("armv8", "armv8-lse", "SEQ_CST", "holds"),
        ("armv8", "armv8-lse", "ACQ_REL", "holds"),
        ("armv8", "armv8-ldapr", "SEQ_CST", "holds"),
        ("riscv", None, "SEQ_CST", "holds"),  # lr.aqrl keeps both apart
        ("riscv", None, "ACQ_REL", "violated"),
        ("riscv", "riscv-amo", "SEQ_CST", "holds"),
        ("riscv", "riscv-amo", "ACQ_REL", "holds"),
        ("x86-tso", None, "RELAXED", "holds"),
    ],
)
def test_store_buffering_around_an_exchange(
    model: str, mapping: str | None, order: str, verdict: str, engine: str
) -> None:
    source = SourceFile("text.c", _TEXT.replace("ORDER", f"__ATOMIC_{order}"))
    assert membar.check(source, model=model, mapping=mapping, engine=engine).verdict == verdict
