# ruff: noqa: E501 - C programs, one per line
"""Locks, semaphores, barriers and condition variables: used before they are initialised,
initialised twice, or used after they are destroyed.

None of that was noticed for most of them, and an end that POSIX allows was said to be a deadlock.
"""

from __future__ import annotations

import pytest

import membar
import tiers
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

HEAD = """#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <threads.h>
"""
BEGINS = {
    "pthread_mutex_t": "pthread_mutex_init(&o, 0);",
    "pthread_rwlock_t": "pthread_rwlock_init(&o, 0);",
    "pthread_spinlock_t": "pthread_spin_init(&o, 0);",
    "pthread_cond_t": "pthread_cond_init(&o, 0);",
    "pthread_barrier_t": "pthread_barrier_init(&o, 0, 1);",
    "sem_t": "sem_init(&o, 0, 1);",
    "mtx_t": "mtx_init(&o, mtx_plain);",
    "cnd_t": "cnd_init(&o);",
}
ENDS = {
    "pthread_mutex_t": "pthread_mutex_destroy(&o);",
    "pthread_rwlock_t": "pthread_rwlock_destroy(&o);",
    "pthread_spinlock_t": "pthread_spin_destroy(&o);",
    "pthread_cond_t": "pthread_cond_destroy(&o);",
    "pthread_barrier_t": "pthread_barrier_destroy(&o);",
    "sem_t": "sem_destroy(&o);",
    "mtx_t": "mtx_destroy(&o);",
    "cnd_t": "cnd_destroy(&o);",
}
USES = [
    ("pthread_mutex_t", "pthread_mutex_lock(&o);"),
    ("pthread_mutex_t", "pthread_mutex_trylock(&o);"),
    ("pthread_mutex_t", "pthread_mutex_unlock(&o);"),
    ("pthread_rwlock_t", "pthread_rwlock_rdlock(&o);"),
    ("pthread_rwlock_t", "pthread_rwlock_trywrlock(&o);"),
    ("pthread_rwlock_t", "pthread_rwlock_unlock(&o);"),
    ("pthread_spinlock_t", "pthread_spin_lock(&o);"),
    ("pthread_spinlock_t", "pthread_spin_trylock(&o);"),
    ("pthread_spinlock_t", "pthread_spin_unlock(&o);"),
    ("pthread_cond_t", "pthread_cond_signal(&o);"),
    ("pthread_cond_t", "pthread_cond_broadcast(&o);"),
    ("pthread_barrier_t", "pthread_barrier_wait(&o);"),
    ("sem_t", "sem_wait(&o);"),
    ("sem_t", "sem_trywait(&o);"),
    ("sem_t", "sem_post(&o);"),
    ("sem_t", "int n; sem_getvalue(&o, &n);"),
    ("mtx_t", "mtx_lock(&o);"),
    ("mtx_t", "mtx_trylock(&o);"),
    ("cnd_t", "cnd_signal(&o);"),
]


def broken(text: str) -> str | None:
    """The property that is violated; None if all hold."""
    found = membar.check(SourceFile("objects.c", HEAD + text), model="rc11")
    assert found.verdict in ("holds", "violated")
    return getattr(found.outcome, "property", None)


@needs_clang
@pytest.mark.parametrize(("kind", "use"), tiers.rows(2, USES), ids=[use for _, use in USES])
def test_what_was_not_initialised_is_not_used(kind: str, use: str) -> None:
    assert broken(f"int main(void) {{ {kind} o; {use} return 0; }}") in ("locks", "memory")
    allocated = f"int main(void) {{ {kind} *p = malloc(sizeof *p); {use.replace('&o', 'p')} free((void *)p); return 0; }}"
    assert broken(allocated) in ("locks", "memory")


@needs_clang
@pytest.mark.parametrize(("kind", "use"), tiers.rows(3, USES), ids=[use for _, use in USES])
def test_what_was_destroyed_is_not_used(kind: str, use: str) -> None:
    assert broken(f"{kind} o; int main(void) {{ {BEGINS[kind]} {ENDS[kind]} {use} return 0; }}") == "locks"


@needs_clang
@pytest.mark.parametrize("kind", tiers.every(2, BEGINS))
def test_an_object_begins_once(kind: str) -> None:
    begin, end = BEGINS[kind], ENDS[kind]
    assert broken(f"{kind} o; int main(void) {{ {begin} {begin} return 0; }}") == "locks"
    assert broken(f"{kind} o; int main(void) {{ {begin} {end} {begin} return 0; }}") is None


@needs_clang
@pytest.mark.parametrize("kind", tiers.every(2, BEGINS))
def test_another_object_in_the_same_memory_begins_too(kind: str) -> None:
    begin = BEGINS[kind]
    local = f"int main(void) {{ for (int i = 0; i < 3; i++) {{ {kind} o; {begin} }} return 0; }}"
    assert broken(local) is None
    block = f"{kind} *p = malloc(sizeof *p); {begin.replace('&o', 'p')} free((void *)p);"
    assert broken(f"int main(void) {{ for (int i = 0; i < 3; i++) {{ {block} }} return 0; }}") is None


COPIES = [kind for kind in BEGINS if kind not in ("pthread_spinlock_t", "pthread_barrier_t")]


@needs_clang
@pytest.mark.parametrize("kind", COPIES)
def test_a_copy_of_an_object_begins_too(kind: str) -> None:
    begin = BEGINS[kind]
    again = begin.replace("&o", "&p")
    assert broken(f"{kind} o, p; int main(void) {{ {begin} p = o; {again} return 0; }}") is None


BARRIER = """pthread_barrier_t *b;
void *meet(void *a) { if (pthread_barrier_wait(b)) { pthread_barrier_destroy(b); %s } return a; }
int main(void) {
  b = malloc(sizeof *b); pthread_barrier_init(b, 0, 2);
  pthread_t t; pthread_create(&t, 0, meet, 0); meet(0); pthread_join(t, 0); %s return 0;
}"""
CONDITION = """struct { pthread_mutex_t m; pthread_cond_t c; int go; } *e;
void *wait(void *a) {
  pthread_mutex_lock(&e->m); while (!e->go) pthread_cond_wait(&e->c, &e->m); pthread_mutex_unlock(&e->m);
  return a;
}
int main(void) {
  e = malloc(sizeof *e); pthread_mutex_init(&e->m, 0); pthread_cond_init(&e->c, 0); e->go = 0;
  pthread_t t; pthread_create(&t, 0, wait, 0);
  pthread_mutex_lock(&e->m); e->go = 1; %s pthread_cond_destroy(&e->c); pthread_mutex_unlock(&e->m);
  pthread_join(t, 0); free(e); return 0;
}"""


@needs_clang
def test_a_barrier_may_be_destroyed_by_the_first_who_leaves() -> None:
    assert broken(BARRIER % ("", "free(b);")) is None
    assert broken(BARRIER % ("free(b);", "")) is None
    assert broken(BARRIER % ("pthread_barrier_init(b, 0, 1);", "free(b);")) is None


@needs_clang
def test_a_condition_variable_may_be_destroyed_once_all_are_woken() -> None:
    assert broken(CONDITION % "pthread_cond_broadcast(&e->c);") is None
    assert broken(CONDITION % "") == "locks"
