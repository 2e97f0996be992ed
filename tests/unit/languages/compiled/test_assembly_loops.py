"""Programs with loops of inline assembly get their verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from strategies.compiled_code import needs_clang, skip_without_headers

pytestmark = needs_clang
SPIN = """#include <assert.h>
#include <pthread.h>
static unsigned lock; static int x;
static unsigned swap(unsigned *at, unsigned value) {
  unsigned old, failed;
  __asm__ volatile("%s" : "=&r"(old), "=&r"(failed) : "r"(at), "r"(value) : "memory", "cc");
  return old;
}
static void *worker(void *a) {
  if (swap(&lock, 1) == 0) { x++; __atomic_store_n(&lock, 0, __ATOMIC_RELEASE); }
  return a;
}
int main(void) {
  pthread_t id; pthread_create(&id, 0, worker, 0);
  if (swap(&lock, 1) == 0) {
    int before = x;
    x = before + 1;
    assert(x == before + 1);
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
  }
  pthread_join(id, 0);
  assert(x == 1 || x == 2);
}
"""
ARM = "1: ld%sxr %%w0, [%%2]; stxr %%w1, %%w3, [%%2]; cbnz %%w1, 1b"
RISCV = "1: lr.w%s %%0, (%%2); sc.w %%1, %%3, (%%2); bnez %%1, 1b"
POWER = "1: lwarx %%0, 0, %%2; stwcx. %%3, 0, %%2; bne- 1b; %s"


@pytest.mark.parametrize(
    ("model", "processor", "template", "order"),
    [
        ("armv8", "aarch64", ARM, "a"),
        ("riscv", "riscv64", RISCV, ".aq"),
        ("power", "powerpc64le", POWER, "isync"),
    ],
)
def test_a_lock_needs_an_acquire(
    model: str, processor: str, template: str, order: str, tmp_path: Path
) -> None:
    skip_without_headers(processor)
    file = tmp_path / "a.c"
    file.write_text(SPIN % (template % order), encoding="utf-8")
    assert membar.check(str(file), model=model).verdict == "holds"
    file.write_text(SPIN % (template % ""), encoding="utf-8")
    weak = membar.check(str(file), model=model, properties=("races", "assertions"))
    assert weak.verdict == "violated"


WAIT = """#include <assert.h>
#include <pthread.h>
static unsigned flag; static int x;
static void *worker(void *a) { x = 1; __atomic_store_n(&flag, 2, __ATOMIC_RELEASE); return a; }
int main(void) {
  pthread_t id; pthread_create(&id, 0, worker, 0);
  unsigned seen;
  __asm__ volatile("1: %s %%w0, %%2; cmp %%w0, %%w1; b.lo 1b"
                   : "=&r"(seen) : "r"(1), "Q"(flag) : "memory", "cc");
  assert(seen == 2 && x == 1);
  pthread_join(id, 0);
}
"""


def test_a_loop_that_waits_is_followed(tmp_path: Path) -> None:
    skip_without_headers("aarch64")
    file = tmp_path / "a.c"
    for load, verdict in (("ldar", "holds"), ("ldr", "violated")):
        file.write_text(WAIT % load, encoding="utf-8")
        assert membar.check(str(file), model="armv8").verdict == verdict
