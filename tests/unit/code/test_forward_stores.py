"""What `main` knows of memory before it starts threads, and which elements an index may choose."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from membar.code import ir
from membar.code.analyses.value_bounds import ValueBounds
from strategies.compiled_code import needs_clang

HEAD = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static struct { int size, *items; } q;
static int *other = &q.size;
static void *worker(void *unused) { q.size = 3; return NULL; }
static atomic_int turn;
static void *waiting(void *unused) { if (turn == 1) { q.size = 3; turn = 2; } return NULL; }
static pthread_t t;
static int start(int n) {
  if (n) return start(n - 1) + 1;
  pthread_create(&t, NULL, waiting, NULL);
  return 0;
}
int main(void) {
  q.size = 20;
"""
CASES = [
    (
        "sizes are known",
        "q.items = malloc(q.size * sizeof(int)); for (int i = 0; i < q.size; i++) q.items[i] = i;"
        " assert(q.items[19] == 19);",
        "holds",
    ),
    ("stored through a pointer", "*other = 3; assert(q.size == 3);", "holds"),
    ("stored through a pointer, and wrong", "*other = 3; assert(q.size == 20);", "violated"),
    ("stored in one branch", "if (rand()) q.size = 3; assert(q.size == 20);", "violated"),
    ("stored in a loop", "for (int i = 0; i < 2; i++) { assert(q.size == 20); q.size = 3; }", "violated"),
    ("stored in part", "*(char *)&q.size = 3; assert(q.size == 20);", "violated"),
    (
        "stored by a thread",
        "pthread_create(&t, NULL, worker, NULL); pthread_join(t, NULL); assert(q.size == 20);",
        "violated",
    ),
    (
        "stored by a thread that a recursive call starts",
        "start(1); q.size = 20; turn = 1; if (turn == 2) assert(q.size == 20);",
        "violated",
    ),
]


@needs_clang
@pytest.mark.parametrize(("text", "verdict"), [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_what_main_stored(text: str, verdict: str, tmp_path: Path) -> None:
    file = tmp_path / "main.c"
    file.write_text(f"{HEAD}{text}\n}}\n")
    assert membar.check(file, model="sc").verdict == verdict


RING = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static struct { _Atomic unsigned char states[2]; _Atomic unsigned items[2]; atomic_uint next; } ring;
static void put(_Atomic unsigned char *states, _Atomic unsigned *items) {
  unsigned at = atomic_fetch_add(&ring.next, 1) INDEX;
  items[at] = 7;
  states[at] = 1;
}
static void *worker(void *unused) { put(ring.states, ring.items); return NULL; }
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  put(ring.states, ring.items);
  pthread_join(t, NULL);
  assert(ring.states[0] && ring.states[1] && ring.items[0] == 7 && ring.items[1] == 7);
}
"""


@needs_clang
@pytest.mark.parametrize(
    ("index", "verdict"), [("% 2", "holds"), ("& 1", "holds"), ("% 3", "holds"), ("& 0", "violated")]
)
def test_an_index_that_is_computed_has_a_bound(index: str, verdict: str, tmp_path: Path) -> None:
    file = tmp_path / "ring.c"
    file.write_text(RING.replace("INDEX", index))
    assert membar.check(file, model="sc").verdict == verdict


def largest(operation: str, *operands: ir.Operand) -> int | None:
    result = ir.Value("r", operands[0].type)
    item = ir.Compute(result=result, operation=operation, operands=operands)
    return ValueBounds({result.name: item}).largest(result)


def test_the_largest_value() -> None:
    x, byte = ir.Value("x", ir.Int(32)), ir.Value("y", ir.Int(8))
    number = ir.Constant(6, ir.Int(32))
    assert largest("and", x, number) == 6
    assert largest("urem", x, number) == 5
    assert largest("zext", byte) == 255
    assert largest("xor", number, ir.Constant(1, ir.Int(32))) == 7
    assert largest("sext", ir.Constant(255, ir.Int(8))) is None
    for operation in ("add", "urem", "xor", "sub", "srem"):
        assert largest(operation, x, x) is None


ALIGNED = """
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
int main(void) {
  char *block = malloc(64), *from = block + BEGIN;
  char *to = from + (8 - (uintptr_t)from % 8) % 8;
  *(long *)to = 5;
  assert(to == block + END && ((uintptr_t)to & 7) == 0 && *(long *)(block + END) == 5);
}
"""


@needs_clang
@pytest.mark.parametrize(
    ("begin", "end", "verdict"), [(0, 0, "holds"), (3, 8, "holds"), (9, 16, "holds"), (9, 8, "violated")]
)
def test_addresses_are_aligned_by_computing(begin: int, end: int, verdict: str, tmp_path: Path) -> None:
    file = tmp_path / "aligned.c"
    file.write_text(ALIGNED.replace("BEGIN", str(begin)).replace("END", str(end)))
    assert membar.check(file, model="sc").verdict == verdict
