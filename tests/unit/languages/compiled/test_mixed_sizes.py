"""Atomic accesses of several sizes to the same memory."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from strategies.compiled_code import needs_clang

pytestmark = needs_clang
HEAD = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
"""
TICKETS = """
union { uint32_t both; struct { uint16_t now, next; } part; } lock;
int x;
static void take(void) {
  uint16_t me = __atomic_fetch_add(&lock.both, 0x10000, __ATOMIC_ACQUIRE) >> 16;
  while (__atomic_load_n(&lock.part.now, __ATOMIC_ACQUIRE) != me) {}
}
static void *worker(void *a) {
  take();
  x++;
  __atomic_fetch_add(&lock.part.now, STEP, __ATOMIC_RELEASE);
  return a;
}
int main(void) {
  pthread_t id; pthread_create(&id, 0, worker, 0);
  worker(0);
  pthread_join(id, 0);
  assert(x == 2);
}
"""
HALVES = """
typedef struct { long a, b; } __attribute__((aligned(16))) pair;
pair x;
static void *worker(void *a) {
  pair expected = {0, 0}, new = {1, 1};
  __atomic_compare_exchange(&x, &expected, &new, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return a;
}
int main(void) {
  pthread_t id; pthread_create(&id, 0, worker, 0);
  long second = __atomic_load_n(&x.b, __ATOMIC_SEQ_CST);
  long first = __atomic_load_n(&x.a, __ATOMIC_SEQ_CST);
  assert(second <= first);
  __atomic_store_n(&x.a, 5, __ATOMIC_SEQ_CST);
  pthread_join(id, 0);
}
"""
SET_IN_PARTS = """
typedef struct { short a, b; } pair;
pair x;
static void *worker(void *a) {
  pair p;
  __atomic_load(&x, &p, __ATOMIC_ACQUIRE);
  assert(p.a == p.b);
  return a;
}
int main(void) {
  x.a = 1; x.b = 1;
  pthread_t id; pthread_create(&id, 0, worker, 0);
  pair p; memset(&p, 2, sizeof p);
  __atomic_store(&x, &p, __ATOMIC_RELEASE);
  pthread_join(id, 0);
  assert(x.a == 0x202);
}
"""


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def check(text: str, model: str, **options: object) -> membar.Answer:
    Path("a.c").write_text(HEAD + text, encoding="utf-8")
    return membar.check("a.c", model=model, **options)  # type: ignore[arg-type]


def test_mixed_sizes_are_exact_under_sc() -> None:
    assert check(TICKETS.replace("STEP", "1"), "sc").verdict == "holds"
    assert check(TICKETS.replace("STEP", "2"), "sc").verdict == "violated"
    assert check(HALVES, "sc").verdict == "holds"


def test_mixed_sizes_are_one_step_under_x86_tso() -> None:
    right = check(TICKETS.replace("STEP", "1"), "x86-tso", properties=("assertions",))
    assert right.verdict == "holds"
    assert check(HALVES, "x86-tso").verdict == "holds"


def test_languages_leave_atomic_accesses_of_several_sizes_undefined() -> None:
    for text in (TICKETS.replace("STEP", "1"), HALVES):
        found = check(text, "rc11")
        assert found.verdict == "violated"
        assert found.outcome.property == "memory"  # type: ignore[union-attr]
        assert "with another size is undefined" in str(found.outcome)


@pytest.mark.parametrize("model", ["armv8", "riscv", "power"])
def test_processors_without_a_rule_for_mixed_sizes_are_unknown(model: str) -> None:
    found = check(TICKETS.replace("STEP", "1"), model)
    assert found.verdict == "unknown"
    assert "accesses of several sizes" in found.outcome.reason  # type: ignore[union-attr]


@pytest.mark.parametrize("model", ["rc11", "sc", "x86-tso", "armv8"])
def test_parts_may_be_set_where_no_other_thread_runs(model: str) -> None:
    assert check(SET_IN_PARTS, model).verdict == "holds"
