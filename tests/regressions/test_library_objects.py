"""Locks that were initialised twice or not at all passed; the last thread at a barrier could not destroy it.

Functions for `quick_exit` were not called, and a range of inputs that the program gave was no bound.
"""

from __future__ import annotations

import pytest

import membar
from membar import SourceFile

_HEADERS = """#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <strings.h>
#include <threads.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
"""


def _main(body: str, globals_: str = "") -> str:
    return f"{_HEADERS}{globals_}\nint main(void) {{ {body} return 0; }}\n"


_MISUSE = {
    "mutex initialised twice": _main(
        "pthread_mutex_init(&m, 0); pthread_mutex_init(&m, 0);", "pthread_mutex_t m;"
    ),
    "mtx initialised twice": _main("mtx_init(&m, mtx_plain); mtx_init(&m, mtx_plain);", "mtx_t m;"),
    "rwlock initialised twice": _main(
        "pthread_rwlock_init(&l, 0); pthread_rwlock_init(&l, 0);", "pthread_rwlock_t l;"
    ),
    "semaphore initialised twice": _main("sem_init(&s, 0, 0); sem_init(&s, 0, 1);", "sem_t s;"),
    "condition initialised twice": _main(
        "pthread_cond_init(&c, 0); pthread_cond_init(&c, 0);", "pthread_cond_t c;"
    ),
    "spin lock initialised while held": _main(
        "pthread_spin_init(&l, 0); pthread_spin_lock(&l); pthread_spin_init(&l, 0);", "pthread_spinlock_t l;"
    ),
    "condition signalled after its end": _main(
        "pthread_cond_init(&c, 0); pthread_cond_destroy(&c); pthread_cond_signal(&c);", "pthread_cond_t c;"
    ),
    "condition destroyed twice": _main(
        "pthread_cond_init(&c, 0); pthread_cond_destroy(&c); pthread_cond_destroy(&c);", "pthread_cond_t c;"
    ),
    "semaphore read after its end": _main(
        "int v; sem_init(&s, 0, 0); sem_destroy(&s); sem_getvalue(&s, &v);", "sem_t s;"
    ),
    "mutex never initialised": _main("pthread_mutex_t m; pthread_mutex_lock(&m);"),
    "mutex on the heap never initialised": _main(
        "pthread_mutex_t *m = malloc(sizeof *m); pthread_mutex_trylock(m); free(m);"
    ),
    "rwlock never initialised": _main("pthread_rwlock_t l; pthread_rwlock_tryrdlock(&l);"),
    "semaphore never initialised": _main("sem_t s; sem_trywait(&s);"),
    "spin lock never initialised": _main("pthread_spinlock_t l; pthread_spin_lock(&l);"),
    "mtx never initialised": _main("mtx_t m; mtx_trylock(&m);"),
}
_CORRECT = {
    "initialised again after its end": _main(
        "for (int i = 0; i < 2; i++) { pthread_mutex_init(&m, 0); pthread_mutex_destroy(&m); }"
        " for (int i = 0; i < 2; i++) { sem_init(&s, 0, 1); sem_wait(&s); sem_destroy(&s); }"
        " for (int i = 0; i < 2; i++) { pthread_cond_init(&c, 0); pthread_cond_destroy(&c); }"
        " for (int i = 0; i < 2; i++) { pthread_rwlock_init(&l, 0); pthread_rwlock_destroy(&l); }",
        "pthread_mutex_t m; sem_t s; pthread_cond_t c; pthread_rwlock_t l;",
    ),
    "a new local mutex in each call": _main(
        "once(); once();",
        "static void once(void) { pthread_mutex_t m; pthread_mutex_init(&m, 0); pthread_mutex_lock(&m);"
        " pthread_mutex_unlock(&m); }",
    ),
    "a new mutex on the heap": _main(
        "for (int i = 0; i < 2; i++)"
        " { pthread_mutex_t *m = malloc(sizeof *m); pthread_mutex_init(m, 0); free(m); }"
    ),
    "the last thread at a barrier destroys it": _main(
        "pthread_t a; pthread_barrier_init(&b, 0, 2); pthread_create(&a, 0, t, 0); t(0); pthread_join(a, 0);",
        "pthread_barrier_t b;\nstatic void *t(void *unused) {"
        " if (pthread_barrier_wait(&b)) pthread_barrier_destroy(&b); return 0; }",
    ),
    "threads register functions for the end": _main(
        "pthread_t a; pthread_create(&a, 0, t, 0); atexit(f); pthread_join(a, 0);",
        "static void f(void) {}\nstatic void *t(void *unused) { atexit(f); return 0; }",
    ),
    "ffs of 0": _main("assert(ffs(0) == 0); assert(__builtin_ffs(0) == 0);"),
}


@pytest.mark.parametrize("text", _MISUSE.values(), ids=_MISUSE)
def test_misuse_of_an_object_of_the_library_violates_locks(text: str) -> None:
    answer = membar.check(SourceFile("a.c", text), model="sc", properties=("locks",))
    assert answer.verdict == "violated"


@pytest.mark.parametrize("model", ["sc", "rc11"])
@pytest.mark.parametrize("text", _CORRECT.values(), ids=_CORRECT)
def test_correct_use_of_objects_of_the_library_holds(text: str, model: str) -> None:
    assert membar.check(SourceFile("a.c", text), model=model).verdict == "holds"


def test_quick_exit_calls_the_functions_that_were_registered_for_it() -> None:
    text = _main("at_quick_exit(f); quick_exit(0);", "static void f(void) { assert(0); }")
    assert membar.check(SourceFile("a.c", text), model="sc").verdict == "violated"
    text = _main("at_quick_exit(f); exit(0);", "static void f(void) { assert(0); }")
    assert membar.check(SourceFile("a.c", text), model="sc").verdict == "holds"


@pytest.mark.parametrize(("low", "high"), [(0, 9), (-5, -1)])
def test_a_range_of_inputs_is_a_bound(low: int, high: int) -> None:
    bounds = f"#define MEMBAR_NONDET_MIN ({low})\n#define MEMBAR_NONDET_MAX ({high})\n"
    text = bounds + _main("unsigned k = __VERIFIER_nondet_uint(); assert(k < 100);")
    assert membar.check(SourceFile("a.c", text), model="sc").verdict == "holds-within"
    text = bounds + _main("int k = __VERIFIER_nondet_int(); assert(k < 5 && k != -2);")
    assert membar.check(SourceFile("a.c", text), model="sc").verdict == "violated"
