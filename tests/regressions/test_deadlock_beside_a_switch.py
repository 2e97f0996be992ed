"""A `switch` always has a way to go on, so that deadlocks of a program with one are decided."""

from __future__ import annotations

import pytest

import membar
import tiers
from membar.source import SourceFile

_TEXT = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
int r;
void *other(void *p) { BODY return 0; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, other, 0);
  x = 1;
  pthread_join(thread, 0);
  return 0;
}
"""
_CHOICES = {
    "cases": "switch (READ) { case 0: r = 1; break; case 1: r = 2; break; default: r = 4; }",
    "without a default": "switch (READ) { case 0: r = 1; break; case 1: r = 2; break; case 2: r = 3; }",
    "several of one": "switch (READ) { case 0: case 1: r = 1; break; case 2: case 3: r = 2; }",
    "many": "switch (READ) {" + "".join(f"case {n}: r = {n}; break;" for n in range(3, 60)) + "}",
    "an order": "atomic_store_explicit(&x, 2, x ? memory_order_release : memory_order_relaxed);",
}


@pytest.mark.parametrize("engine", tiers.every(2, ["graphs", "reference"]))
@pytest.mark.parametrize("body", _CHOICES.values(), ids=_CHOICES)
def test_a_switch_on_a_shared_value_blocks_nobody(body: str, engine: str) -> None:
    text = _TEXT.replace("BODY", body.replace("READ", "atomic_load(&x)"))
    answer = membar.check(SourceFile("text.c", text), engine=engine)
    assert answer.verdict == "holds"
    assert "deadlock" in answer.outcome.run.checked


def test_a_thread_all_of_whose_guards_may_be_closed_is_not_decided() -> None:
    text = """program guards
memory x : i32 = 0
thread a { 0 -> 1: $1 := load [&x]
  1 -> 2 when $1 == 0
  1 -> 2 when !(($1 == 1) | ($1 == 2))
  1 -> 2 when $1 == 1 }
thread b { 0 -> 1: store [&x] := 2 }
"""
    answer = membar.check(SourceFile("text.mbp", text), model="sc", engine="graphs", properties=["deadlock"])
    assert answer.verdict == "unknown"
