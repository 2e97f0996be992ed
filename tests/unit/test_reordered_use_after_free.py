"""Accesses that a processor delays beyond a `free`: never an unconditional HOLDS, but for right programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import membar
from membar.questions.reordered_use_after_free import BOUND
from membar.source import SourceFile

HEAD = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
int *p;
atomic_int done, x, y;
"""
WAITING = """
int main(void) {
  pthread_t t;
  p = malloc(sizeof(int));
  *p = 1;
  pthread_create(&t, NULL, worker, NULL);
  while (!atomic_load_explicit(&done, memory_order_acquire));
  free(p);
  pthread_join(t, NULL);
  return 0;
}
"""
LOOKS_ONCE = (
    HEAD
    + "void *worker(void *none) { *p = 2; atomic_store_explicit(&done, 1, ORDER); return 0; }"
    + WAITING.replace("while (!", "if (").replace("acquire));", "acquire))")
)
READ = HEAD + (
    "void *worker(void *unused) { int r = *p; atomic_store_explicit(&done, 1, ORDER);"
    " return (void *)(long)r; }" + WAITING
)
WRITTEN = (
    HEAD
    + "void *worker(void *unused) { *p = 2; atomic_store_explicit(&done, 1, ORDER); return 0; }"
    + WAITING
)
# Only if the loads of both threads are delayed does the first one come to the memory: not so under rc11.
OUT_OF_C = (
    HEAD
    + """
void *one(void *unused) {
  int r = atomic_load_explicit(&x, memory_order_relaxed);
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  if (r == 1) {
    int found = *p;
    atomic_store_explicit(&done, 1, memory_order_relaxed);
    return (void *)(long)found;
  }
  return 0;
}
void *two(void *unused) {
  if (atomic_load_explicit(&y, memory_order_relaxed) == 1)
    atomic_store_explicit(&x, 1, memory_order_relaxed);
  return 0;
}
int main(void) {
  pthread_t a, b;
  p = malloc(sizeof(int));
  *p = 1;
  pthread_create(&a, NULL, one, NULL);
  pthread_create(&b, NULL, two, NULL);
  if (atomic_load_explicit(&done, memory_order_relaxed))
    free(p);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
"""
)
RELAXED, RELEASE = ("ORDER=memory_order_relaxed",), ("ORDER=memory_order_release",)


def checked(text: str, model: str, *, defines: tuple[str, ...] = (), **others: Any) -> membar.Answer:
    return membar.check(SourceFile("delayed.c", text), model=model, defines=defines, **others)


@pytest.mark.parametrize("engine", ["graphs", "reference"])
def test_armv8_delays_a_write_beyond_a_free(engine: str) -> None:
    outcome = checked(LOOKS_ONCE, "armv8", defines=RELAXED, engine=engine).outcome
    assert isinstance(outcome, membar.Violated)
    assert (outcome.property, outcome.witness is None) == ("memory", False)
    assert outcome.witness is not None
    assert "line 7 may be delayed beyond the end of its memory at line 14" in outcome.witness.message
    assert [item.property for item in outcome.run.findings if item.verdict == "holds"] == []


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("int r = atomic_load(p);", ";"),
        ("int r = atomic_load_explicit(p, memory_order_relaxed);", "if (r)"),
        ("int r = atomic_load_explicit(p, memory_order_relaxed);", "int *q = &unused[r]; *q = 1;"),
        ("atomic_store_explicit(p, 2, memory_order_relaxed);", "atomic_thread_fence(memory_order_release);"),
    ],
)
def test_what_armv8_orders_is_not_violated(first: str, then: str) -> None:
    text = LOOKS_ONCE.replace("*p = 2;", f"{first} {then}").replace("int *p", "atomic_int *p")
    text = text.replace("x, y;", "x, y; int unused[8];").replace("*p = 1", "*p = 1 + (x ? 1 : 0)")
    assert checked(text, "armv8", defines=RELAXED).verdict in ("holds", "unknown")


@pytest.mark.parametrize("model", ["power", "riscv", "armv7", "pso"])
def test_a_write_that_may_be_delayed_beyond_a_free_is_in_doubt(model: str) -> None:
    outcome = checked(WRITTEN, model, defines=RELAXED).outcome
    assert isinstance(outcome, membar.Unknown)
    assert "lines 7 and 14 access memory whose lifetime ends" in outcome.reason
    assert "data-race" in outcome.run.flags


@pytest.mark.parametrize("model", ["armv8", "power", "riscv", "armv7"])
def test_a_read_that_may_be_delayed_beyond_a_free_is_in_doubt(model: str) -> None:
    assert isinstance(checked(READ, model, defines=RELAXED).outcome, membar.Unknown)


@pytest.mark.parametrize("model", ["armv8", "power", "riscv", "pso", "x86-tso", "sc"])
def test_what_is_ordered_with_the_free_holds(model: str) -> None:
    for text in (READ, WRITTEN):
        assert checked(text, model, defines=RELEASE).verdict == "holds"


def test_x86_keeps_what_it_does_in_order() -> None:
    for text in (READ, WRITTEN):
        assert checked(text, "x86-tso", defines=RELAXED).verdict == "holds"


def test_what_only_a_processor_does_is_not_left_to_c() -> None:
    assert checked(OUT_OF_C, "rc11").verdict == "holds"
    outcome = checked(OUT_OF_C, "armv8").outcome
    assert isinstance(outcome, membar.HoldsWithin)
    assert outcome.bound == BOUND == outcome.run.guarantee
    assert any("buffers loads" in note for note in outcome.run.notes)


def test_another_mapping_proves_nothing() -> None:
    assert checked(READ, "armv8", defines=RELEASE, mapping="armv8-ldapr").verdict == "holds"
    outcome = checked(READ, "armv8", defines=RELEASE, mapping="x86").outcome
    assert not isinstance(outcome, membar.Holds)


def test_of_a_users_model_nobody_knows(tmp_path: Path) -> None:
    model = tmp_path / "mine.cat"
    axiom = "acyclic po | rf | co | fr | spawn-join as sc"
    model.write_text(f"{axiom}\n", encoding="utf-8")
    model.with_suffix(".claims").write_text("tags: any\n", encoding="utf-8")
    outcome = checked(READ, str(model), defines=RELEASE).outcome
    assert isinstance(outcome, membar.HoldsWithin)
    assert BOUND in outcome.bound


def test_who_frees_alone_is_not_asked() -> None:
    text = HEAD + (
        "void *worker(void *unused) { *p = 2; return 0; }"
        "int main(void) { pthread_t t; p = malloc(sizeof(int)); pthread_create(&t, NULL, worker, NULL);"
        " pthread_join(t, NULL); free(p); return 0; }"
    )
    assert not membar.parse(SourceFile("alone.c", text)).ends_memory
    assert checked(text, "armv8").verdict == "holds"


@pytest.mark.parametrize(("also", "ends"), [("", False), ("*p = 3; ", True)])
def test_who_uses_a_variable_alone_is_not_asked(also: str, *, ends: bool) -> None:
    text = HEAD + (
        "_Thread_local int mine; void *worker(void *unused) { p = &mine; *p = 2; return 0; }"
        f"int main(void) {{ pthread_t t; pthread_create(&t, NULL, worker, NULL); {also}return 0; }}"
    )
    assert bool(membar.parse(SourceFile("own.c", text)).ends_memory) == ends


def test_the_witness_of_a_delayed_access_replays() -> None:
    answer = checked(LOOKS_ONCE, "armv8", defines=RELAXED)
    (replayed,) = membar.replay(SourceFile("answer.json", answer.render("json")))
    assert replayed.problem == ""
    assert "line 7 may be delayed beyond" in replayed.shown
