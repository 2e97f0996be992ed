"""Synchronising functions of the library order what they must, and nothing more.

For each function a store-buffering test around it shows that it is no fence, and a message-passing test
through it that it synchronises, where it does. Calls that fail, and signals, synchronise nothing.
"""

from __future__ import annotations

import pytest

import tiers
from differential.compilers import Case, answer
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

HEAD = """
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <threads.h>
#include <time.h>
#define GET(x) atomic_load_explicit(&x, memory_order_relaxed)
#define SET(x, v) atomic_store_explicit(&x, v, memory_order_relaxed)
atomic_int x, y;
int data;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t v = PTHREAD_RWLOCK_INITIALIZER, w = PTHREAD_RWLOCK_INITIALIZER;
pthread_spinlock_t s, u;
pthread_cond_t c = PTHREAD_COND_INITIALIZER, d = PTHREAD_COND_INITIALIZER;
pthread_barrier_t one, also, both;
pthread_once_t o = PTHREAD_ONCE_INIT, q = PTHREAD_ONCE_INIT;
sem_t g, h;
mtx_t k, l, z;
struct timespec t;
void nothing(void) {}
void fill(void) { data = 1; }
"""
MAIN = """
void *first(void *unused) { %s return 0; }
void *second(void *unused) { %s return 0; }
int main(void) {
  pthread_t a, b;
  pthread_spin_init(&s, 0); pthread_spin_init(&u, 0);
  pthread_barrier_init(&one, 0, 1); pthread_barrier_init(&also, 0, 1); pthread_barrier_init(&both, 0, 2);
  sem_init(&g, 0, 1); sem_init(&h, 0, 1);
  mtx_init(&k, mtx_plain); mtx_init(&l, mtx_plain);
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
"""


def verdict(first: str, second: str) -> str:
    source = SourceFile("case.c", HEAD + MAIN % (first, second))
    return str(answer(Case("here", "orders", source, "rc11"), 60))


# What one thread does on an object of its own, and the other on another one.
PAIRS = {
    "mutex": ("pthread_mutex_lock(&{0}); pthread_mutex_unlock(&{0});", "m", "n"),
    "try": ("pthread_mutex_trylock(&{0}); pthread_mutex_unlock(&{0});", "m", "n"),
    "timed": ("pthread_mutex_timedlock(&{0}, &t); pthread_mutex_unlock(&{0});", "m", "n"),
    "spin lock": ("pthread_spin_lock(&{0}); pthread_spin_unlock(&{0});", "s", "u"),
    "reader": ("pthread_rwlock_rdlock(&{0}); pthread_rwlock_unlock(&{0});", "v", "w"),
    "writer": ("pthread_rwlock_wrlock(&{0}); pthread_rwlock_unlock(&{0});", "v", "w"),
    "semaphore": ("sem_wait(&{0}); sem_post(&{0});", "g", "h"),
    "barrier": ("pthread_barrier_wait(&{0});", "one", "also"),
    "once": ("pthread_once(&{0}, nothing);", "o", "q"),
    "condition": ("pthread_cond_signal(&{0}); pthread_cond_broadcast(&{0});", "c", "d"),
    "C11's mutex": ("mtx_lock(&{0}); mtx_unlock(&{0});", "k", "l"),
    "value of a semaphore": ("int i; sem_getvalue(&{0}, &i);", "g", "h"),
}


@needs_clang
@pytest.mark.parametrize("name", tiers.every(2, PAIRS))
def test_no_function_is_a_fence(name: str) -> None:
    call, *objects = PAIRS[name]
    first, second = (call.format(item) for item in objects)
    left = f"SET(x, 1); {first} if (GET(y) == 0) data = 1;"
    right = f"SET(y, 1); {second} if (GET(x) == 0) data = 2;"
    # Both may see 0, and then both write the plain variable.
    assert verdict(left, right).startswith("violated races")


# How one thread tells the other that `data` is written; the test is in the second one.
MESSAGES = {
    "mutex": (
        "pthread_mutex_lock(&m); data = 1; SET(x, 1); pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&m); if (GET(x)) assert(data == 1); pthread_mutex_unlock(&m);",
    ),
    "try": (
        "pthread_mutex_lock(&m); data = 1; SET(x, 1); pthread_mutex_unlock(&m);",
        "if (!pthread_mutex_trylock(&m)) { if (GET(x)) assert(data == 1); pthread_mutex_unlock(&m); }",
    ),
    "timed": (
        "pthread_mutex_lock(&m); data = 1; SET(x, 1); pthread_mutex_unlock(&m);",
        "if (!pthread_mutex_timedlock(&m, &t)) { if (GET(x)) assert(data == 1); pthread_mutex_unlock(&m); }",
    ),
    "spin lock": (
        "pthread_spin_lock(&s); data = 1; SET(x, 1); pthread_spin_unlock(&s);",
        "pthread_spin_lock(&s); if (GET(x)) assert(data == 1); pthread_spin_unlock(&s);",
    ),
    "reader after writer": (
        "pthread_rwlock_wrlock(&v); data = 1; SET(x, 1); pthread_rwlock_unlock(&v);",
        "pthread_rwlock_rdlock(&v); if (GET(x)) assert(data == 1); pthread_rwlock_unlock(&v);",
    ),
    "writer after reader": (
        "pthread_rwlock_rdlock(&v); data = 1; SET(x, 1); pthread_rwlock_unlock(&v);",
        "pthread_rwlock_wrlock(&v); if (GET(x)) assert(data == 1); pthread_rwlock_unlock(&v);",
    ),
    "semaphore": (
        "data = 1; sem_post(&g);",
        "sem_wait(&g); sem_wait(&g); assert(data == 1);",
    ),
    "semaphore, tried": (
        "data = 1; sem_post(&g);",
        "sem_wait(&g); if (!sem_trywait(&g)) assert(data == 1);",
    ),
    "barrier": ("data = 1; pthread_barrier_wait(&both);", "pthread_barrier_wait(&both); assert(data == 1);"),
    "once": ("pthread_once(&o, fill);", "pthread_once(&o, fill); assert(data == 1);"),
    "C11's mutex": (
        "mtx_lock(&k); data = 1; SET(x, 1); mtx_unlock(&k);",
        "mtx_lock(&k); if (GET(x)) assert(data == 1); mtx_unlock(&k);",
    ),
    "condition": (
        "pthread_mutex_lock(&m); data = 1; SET(x, 1); pthread_cond_signal(&c); pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&m); while (!GET(x)) pthread_cond_wait(&c, &m); assert(data == 1);"
        " pthread_mutex_unlock(&m);",
    ),
}


@needs_clang
@pytest.mark.parametrize("name", tiers.every(2, MESSAGES))
def test_what_synchronises_does(name: str) -> None:
    assert verdict(*MESSAGES[name]).startswith("holds (")


# What looks like a message and is none.
NO_MESSAGES = {
    "a lock that is only taken": (
        "data = 1; pthread_mutex_lock(&m);",
        "if (pthread_mutex_trylock(&m)) data = 2;",
    ),
    "two mutexes": (
        "data = 1; pthread_mutex_lock(&m); SET(x, 1); pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&n); if (GET(x)) data = 2; pthread_mutex_unlock(&n);",
    ),
    "two readers": (
        "pthread_rwlock_rdlock(&v); data = 1; SET(x, 1); pthread_rwlock_unlock(&v);",
        "pthread_rwlock_rdlock(&v); if (GET(x)) data = 2; pthread_rwlock_unlock(&v);",
    ),
    "the value of a semaphore": (
        "data = 1; sem_post(&g);",
        "int i; sem_getvalue(&g, &i); if (i == 2) data = 2;",
    ),
    "a semaphore that cannot be taken": ("data = 1; sem_wait(&g);", "if (sem_trywait(&g)) data = 2;"),
    "a signal": (
        "data = 1; pthread_cond_signal(&c);",
        "pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); data = 2; pthread_mutex_unlock(&m);",
    ),
}


@needs_clang
@pytest.mark.parametrize("name", NO_MESSAGES)
def test_what_does_not_synchronise_does_not(name: str) -> None:
    assert verdict(*NO_MESSAGES[name]).startswith("violated races")


# Misuse.
MISUSES = {
    "unlock without lock": ("pthread_mutex_unlock(&m);", ""),
    "unlock by another": ("pthread_mutex_lock(&m);", "while (!GET(x)) ; pthread_mutex_unlock(&m);"),
    "destroy while held": ("pthread_mutex_lock(&m); pthread_mutex_destroy(&m);", ""),
    "lock after destroy": ("pthread_mutex_destroy(&m); pthread_mutex_lock(&m);", ""),
    "destroy twice": ("pthread_mutex_destroy(&m); pthread_mutex_destroy(&m);", ""),
    "spin lock": ("pthread_spin_unlock(&s);", ""),
    "reader": ("pthread_rwlock_unlock(&v);", ""),
    "barrier": ("pthread_barrier_destroy(&one); pthread_barrier_wait(&one);", ""),
    "semaphore": ("sem_destroy(&g); sem_post(&g);", ""),
    "condition without mutex": ("pthread_cond_wait(&c, &m);", ""),
    "detach twice": ("pthread_detach(pthread_self()); pthread_detach(pthread_self());", ""),
}


@needs_clang
@pytest.mark.parametrize("name", tiers.every(2, MISUSES))
def test_misuse_is_a_violation_of_locks(name: str) -> None:
    first, second = MISUSES[name]
    assert verdict(first.replace("GET(x)", "1"), second.replace("!GET(x)", "0")).startswith("violated locks")


# A thread locks twice: what the kind of the mutex says.
TWICE = {
    "mtx_plain": ("mtx_lock(&z); mtx_lock(&z);", "violated deadlock"),
    "mtx_timed": ("mtx_lock(&z); assert(mtx_timedlock(&z, &t) == thrd_success);", "violated assertions"),
    "mtx_recursive": ("mtx_lock(&z); mtx_lock(&z); mtx_unlock(&z); mtx_unlock(&z);", "holds"),
    "mtx_timed | mtx_recursive": ("mtx_lock(&z); assert(mtx_timedlock(&z, &t) == thrd_success);", "holds"),
}


@needs_clang
@pytest.mark.parametrize("kind", TWICE)
def test_a_mutex_is_of_the_kind_that_was_asked_for(kind: str) -> None:
    first, expected = TWICE[kind]
    assert verdict(f"mtx_init(&z, {kind}); {first}", "").startswith(expected)
