"""The report of a race says what would have ordered the two accesses."""

from __future__ import annotations

import pytest

import membar
from membar.reports import terminal
from membar.source import SourceFile

TEXT = """#include <pthread.h>
#include <stdatomic.h>
int data;
{flag};
void *writer(void *unused) {{
  data = 1;
  {store};
  return NULL;
}}
void *reader(void *unused) {{
  if ({load}) data = 2;
  return NULL;
}}
int main(void) {{
  pthread_t a, b;
  pthread_create(&a, NULL, writer, NULL);
  pthread_create(&b, NULL, reader, NULL);
  return 0;
}}
"""
STORE = "atomic_store_explicit(&flag, 1, memory_order_{})"
LOAD = "atomic_load_explicit(&flag, memory_order_{})"


def report(store: str, load: str, flag: str = "atomic_int flag", model: str = "rc11") -> str:
    text = SourceFile("race.c", TEXT.format(flag=flag, store=store, load=load))
    result = membar.check(text, model=model, properties=("races",))
    assert result.verdict == "violated"
    return " ".join(terminal.render(result).split())


@pytest.mark.parametrize("model", ["rc11", "imm"])
@pytest.mark.parametrize(
    ("store", "load", "said"),
    [
        (
            STORE.format("relaxed"),
            LOAD.format("acquire"),
            "The store at line 7 is relaxed; a release store there that an acquire load reads from would",
        ),
        (
            STORE.format("release"),
            LOAD.format("relaxed"),
            "The load at line 11 is relaxed; an acquire load there that reads from a release store would",
        ),
        (
            STORE.format("relaxed"),
            LOAD.format("relaxed"),
            "The store at line 7 and the load at line 11 that reads from it are relaxed;"
            " a release store that an acquire load reads from would",
        ),
        (
            f"atomic_thread_fence(memory_order_release); {STORE.format('relaxed')}",
            LOAD.format("relaxed"),
            "The load at line 11 is relaxed; an acquire load there that reads from a release store would",
        ),
    ],
)
def test_a_race_names_the_relaxed_access_that_does_not_order(
    store: str, load: str, said: str, model: str
) -> None:
    found = report(store, load, model=model)
    assert f"because nothing orders them. {said}" in found
    assert "weak memory plays no part" not in found


def test_a_race_without_synchronisation_says_so() -> None:
    found = report("(void)0", "1")
    assert "nothing orders them. No synchronisation lies between them." in found
    assert "weak memory plays no part" not in found


def test_a_relaxed_publication_of_memory_names_the_store() -> None:
    text = """#include <stdlib.h>
#include <pthread.h>
#include <stdatomic.h>
_Atomic(int *) p;
void *t1(void *u) {
  int *q = malloc(sizeof(int));
  atomic_store_explicit(&p, q, memory_order_relaxed);
  return NULL;
}
void *t2(void *u) { int *r = atomic_load_explicit(&p, memory_order_acquire); if (r) *r = 18; return NULL; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, t1, NULL);
  pthread_create(&b, NULL, t2, NULL);
  return 0;
}
"""
    result = membar.check(SourceFile("text.c", text), model="rc11")
    found = " ".join(terminal.render(result).split())
    assert "the allocation at line 6 does not happen before the access at line 10" in found
    assert "Nothing orders them. The store at line 7 is relaxed; a release store there" in found


def test_a_race_with_the_value_that_is_read_is_reported_though_there_are_fences() -> None:
    text = """#include <pthread.h>
#include <stdatomic.h>
int x, y;
void *writer(void *unused) { x = 1; __atomic_store_n(&x, 2, __ATOMIC_RELAXED); return NULL; }
void *reader(void *unused) {
  long found = __atomic_load_n(&x, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  y = 1;
  return (void *)found;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, writer, NULL);
  pthread_create(&b, NULL, reader, NULL);
  return 0;
}
"""
    result = membar.check(SourceFile("race.c", text), properties=("races",))
    assert "and the load at line 6 that reads from it are relaxed" in " ".join(
        terminal.render(result).split()
    )
