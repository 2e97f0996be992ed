# ruff: noqa: E501 - C programs, one per line
"""What the reference says about C programs that are followed only in part, or not at all, through clang."""

from __future__ import annotations

import pytest

import membar
import tiers
from membar.diagnostics import InputError
from membar.source import CompilerOptions, SourceFile
from strategies.compiled_code import needs_clang

HEAD = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
int __VERIFIER_nondet_int(void); unsigned __VERIFIER_nondet_uint(void); _Bool __VERIFIER_nondet_bool(void);
atomic_int x, y, n = 3;
"""


def two(globals_: str, main: str, end: str = "") -> str:
    """A program whose `main` does something beside a thread."""
    return (
        globals_
        + f"int main(void) {{ pthread_t t; pthread_create(&t, 0, thread, 0); {main} pthread_join(t, 0); {end} return 0; }}"
    )


# Program, model, and what is said about it.
CASES = {
    "recursion": (
        "static int down(int k) { return k ? 1 + down(k - 1) : 0; }\nint main(void) { int k = x + 3; assert(down(k) == 3); return 0; }",
        "sc",
        "holds",
    ),
    "deep recursion": (
        "static int down(int k) { return k ? 1 + down(k - 1) : 0; }\nint main(void) { assert(down(100) == 100); return 0; }",
        "sc",
        "holds-within",
    ),
    "recursion as deep as a variable says": (
        "static int down(int k) { return k ? 1 + down(k - 1) : 0; }\nint main(void) { assert(down(atomic_load(&n)) == 3); return 0; }",
        "sc",
        "holds",
    ),
    "recursion in two directions": (
        "static int fib(int k) { return k < 2 ? k : fib(k - 1) + fib(k - 2); }\nint main(void) { assert(fib(n) == 2); return 0; }",
        "sc",
        "holds",
    ),
    "an atomic block beside no thread": (
        "void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);\nint z;\nint main(void) { __VERIFIER_atomic_begin(); while (z < 1) z++; __VERIFIER_atomic_end(); return 0; }",
        "rc11",
        "holds",
    ),
    "a random number for how long to sleep": (
        "int main(void) { int r = rand() % 10; usleep(r); return 0; }",
        "sc",
        "holds",
    ),
    "the time": ("int main(void) { if (time(0) > 5) x = 1; return 0; }", "sc", "holds-within"),
    "a random number": (
        "int main(void) { int r = rand(); assert(r != 77); return 0; }",
        "sc",
        "holds-within",
    ),
    "a random number that does not matter": (
        "int main(void) { int r = rand(); r++; return 0; }",
        "sc",
        "holds",
    ),
    "the environment": (
        'int main(void) { char *s = getenv("A"); if (s) x = 1; return 0; }',
        "sc",
        "holds-within",
    ),
    "the number of processors": (
        "int main(void) { if (sysconf(_SC_NPROCESSORS_ONLN) > 1) x = 1; return 0; }",
        "sc",
        "holds-within",
    ),
    "a clock": (
        "int main(void) { struct timespec t; clock_gettime(CLOCK_REALTIME, &t); if (t.tv_nsec > 3) x = 1; return 0; }",
        "sc",
        "holds-within",
    ),
    "the length of printed text": (
        'int main(void) { char b[8]; int k = snprintf(b, 8, "%d", 3); assert(k == 1); return 0; }',
        "sc",
        "unknown",
    ),
    "printed text": (
        "int main(void) { char b[8]; snprintf(b, 8, \"%d\", 3); assert(b[0] == '3'); return 0; }",
        "sc",
        "unknown",
    ),
    "an input": ("int main(void) { assert(__VERIFIER_nondet_int() != 77); return 0; }", "sc", "holds-within"),
    "an unsigned input": (
        "int main(void) { assert(__VERIFIER_nondet_uint() != 2); return 0; }",
        "sc",
        "violated",
    ),
    "a truth value": ("int main(void) { assert(__VERIFIER_nondet_bool() < 2); return 0; }", "sc", "holds"),
    "a loop as long as an input": (
        "int main(void) { int k = __VERIFIER_nondet_int(), s = 0; for (int i = 0; i < k; i++) s++; assert(s <= 2); return 0; }",
        "sc",
        "holds-within",
    ),
    "a short loop": (
        "int main(void) { int s = 0; while (atomic_fetch_sub(&n, 1) > 0) s++; assert(s == 3); return 0; }",
        "sc",
        "holds",
    ),
    "a long loop": (
        "int main(void) { n = 100; int s = 0; while (atomic_fetch_sub(&n, 1) > 0) s++; assert(s == 100); return 0; }",
        "sc",
        "holds-within",
    ),
    "a test-and-set loop under rc11": (
        two(
            "atomic_flag f;\nvoid *thread(void *a) { while (atomic_flag_test_and_set(&f)); y = 1; atomic_flag_clear(&f); return 0; }\n",
            "while (atomic_flag_test_and_set(&f)); y = 2; atomic_flag_clear(&f);",
        ),
        "rc11",
        "holds",
    ),
    "a test-and-set loop under armv8": (
        two(
            "atomic_flag f;\nvoid *thread(void *a) { while (atomic_flag_test_and_set(&f)); y = 1; atomic_flag_clear(&f); return 0; }\n",
            "while (atomic_flag_test_and_set(&f)); y = 2; atomic_flag_clear(&f);",
        ),
        "armv8",
        "holds-within",
    ),
    "a loop around a weak compare-exchange": (
        two(
            "void *thread(void *a) { int o = x; while (!atomic_compare_exchange_weak(&x, &o, o + 1)); return 0; }\n",
            "int o = x; while (!atomic_compare_exchange_weak(&x, &o, o + 1));",
            "assert(x == 2);",
        ),
        "rc11",
        "holds-within",
    ),
    "a loop that waits": (
        two("void *thread(void *a) { while (!x); y = 1; return 0; }\n", "x = 1;", "assert(y == 1);"),
        "rc11",
        "holds",
    ),
    "a loop that waits by compare-exchange": (
        two(
            "void *thread(void *a) { int o; do { o = 1; } while (!atomic_compare_exchange_strong(&x, &o, 2)); return 0; }\n",
            "x = 1;",
            "assert(x == 2);",
        ),
        "rc11",
        "holds",
    ),
    "memory in a loop": (
        "int main(void) { while (atomic_fetch_sub(&n, 1) > 0) free(malloc(4)); return 0; }",
        "sc",
        "holds",
    ),
    "more memory in a loop": (
        "int main(void) { n = 6; while (atomic_fetch_sub(&n, 1) > 0) free(malloc(4)); return 0; }",
        "sc",
        "holds-within",
    ),
    "a size that only the execution knows": (
        "int main(void) { int k = n; int *p = malloc(k * sizeof(int)); p[2] = 1; free(p); return 0; }",
        "sc",
        "holds",
    ),
    "a larger one that is stored as a constant": (
        "int main(void) { n = 9; int k = n; int *p = malloc(k * sizeof(int)); p[2] = 1; free(p); return 0; }",
        "sc",
        "holds",
    ),
    "a larger one that is computed from memory": (
        "int main(void) { n = 3; n *= 3; int *p = malloc(n * sizeof(int)); p[2] = 1; free(p); return 0; }",
        "sc",
        "holds-within",
    ),
    "an access beyond a free under armv8": (
        two(
            "int *_Atomic p; atomic_int done;\nvoid *thread(void *a) { int *q = atomic_load_explicit(&p, memory_order_relaxed); if (q) { *q; atomic_store_explicit(&done, 1, memory_order_relaxed); } return 0; }\n",
            "int *q = malloc(4); *q = 1; atomic_store(&p, q); if (atomic_load_explicit(&done, memory_order_relaxed)) free(q);",
        ),
        "armv8",
        "unknown",
    ),
    "an access before a free under x86-tso": (
        two(
            "int *_Atomic p; atomic_int done;\nvoid *thread(void *a) { int *q = atomic_load_explicit(&p, memory_order_relaxed); if (q) { *q; atomic_store_explicit(&done, 1, memory_order_relaxed); } return 0; }\n",
            "int *q = malloc(4); *q = 1; atomic_store(&p, q); if (atomic_load_explicit(&done, memory_order_relaxed)) free(q);",
        ),
        "x86-tso",
        "holds",
    ),
    "arguments that are looked at": (
        "int main(int argc, char **argv) { if (argc > 1) x = 1; return 0; }",
        "sc",
        "holds-within",
    ),
    "arguments that are not": ("int main(int argc, char **argv) { (void)argc; return 0; }", "sc", "holds"),
    "as many threads as an input says": (
        "void *thread(void *a) { x++; return 0; }\nint main(void) { pthread_t t[9]; int k = __VERIFIER_nondet_int(); for (int i = 0; i < k; i++) pthread_create(&t[i], 0, thread, 0); return 0; }",
        "sc",
        "holds-within",
    ),
    "as many threads as a variable says": (
        "int count = 2;\nvoid *thread(void *a) { x++; return 0; }\nint main(void) { pthread_t t[9]; for (int i = 0; i < count; i++) pthread_create(&t[i], 0, thread, 0); for (int i = 0; i < count; i++) pthread_join(t[i], 0); assert(x == 2); return 0; }",
        "sc",
        "holds",
    ),
    "as many threads as an atomic variable says": (
        "void *thread(void *a) { x++; return 0; }\nint main(void) { pthread_t t[9]; for (int i = 0; i < n; i++) pthread_create(&t[i], 0, thread, 0); for (int i = 0; i < n; i++) pthread_join(t[i], 0); assert(x == 3); return 0; }",
        "sc",
        "holds",
    ),
    "an array as long as a variable says": (
        "int count = 2;\nint main(void) { int a[count]; for (int i = 0; i < count; i++) a[i] = i; assert(a[1] == 1); return 0; }",
        "sc",
        "holds",
    ),
    "a short text": ('int main(void) { assert(strlen("abc") == 3); return 0; }', "sc", "holds"),
    "a long text": (
        "char b[400];\nint main(void) { memset(b, 'a', 300); assert(strlen(b) == 300); return 0; }",
        "sc",
        "holds-within",
    ),
    "a signal handler": (
        "#include <signal.h>\nstatic void h(int s) { (void)s; }\nint main(void) { signal(SIGINT, h); return 0; }",
        "sc",
        "holds-within",
    ),
    "wake-ups without cause": (
        two(
            "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int ready;\nvoid *thread(void *a) { pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); return 0; }\n",
            "pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);",
        ),
        "sc",
        "holds",
    ),
    "wake-ups that are counted": (
        two(
            "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int ready;\nvoid *thread(void *a) { pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); return 0; }\n",
            "pthread_mutex_lock(&m); while (!ready) { pthread_cond_wait(&c, &m); x++; } pthread_mutex_unlock(&m);",
        ),
        "sc",
        "unknown",
    ),
    "a lock that gives up": (
        two(
            "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nvoid *thread(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; }\n",
            "struct timespec s = {0, 0}; int r = pthread_mutex_timedlock(&m, &s); assert(r == 0);",
        ),
        "sc",
        "violated",
    ),
    "a destructor that sets its key again": (
        "pthread_key_t k; static void d(void *p) { if (x++ < 9) pthread_setspecific(k, p); }\nvoid *thread(void *a) { pthread_setspecific(k, &k); return 0; }\nint main(void) { pthread_t t; pthread_key_create(&k, d); pthread_create(&t, 0, thread, 0); pthread_join(t, 0); assert(x == 4); return 0; }",
        "sc",
        "holds",
    ),
    "a test-and-set loop under power": (
        two(
            "atomic_int l;\nvoid *thread(void *a) { while (atomic_exchange(&l, 1)); l = 0; return 0; }\n",
            "while (atomic_exchange(&l, 1)); l = 0;",
        ),
        "power",
        "holds-within",
    ),
    "an allocation that is not ordered before a use": (
        two(
            "int *_Atomic p;\nvoid *thread(void *a) { int *q = atomic_load_explicit(&p, memory_order_relaxed); if (q) *q = 1; return 0; }\n",
            "int *q = malloc(4); atomic_store_explicit(&p, q, memory_order_relaxed);",
        ),
        "rc11",
        "violated",
    ),
    "a calculation with floating-point numbers": (
        "double d = 1.5;\nint main(void) { double e = d * x; assert(e < 2); return 0; }",
        "sc",
        "holds-within",
    ),
    "an order of addresses": (
        "int a, b;\nint main(void) { assert(&a < &b); return 0; }",
        "sc",
        "holds-within",
    ),
    "an order of locks": (
        "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, k = PTHREAD_MUTEX_INITIALIZER;\nstatic void both(pthread_mutex_t *a, pthread_mutex_t *b) { pthread_mutex_lock(a > b ? b : a); pthread_mutex_unlock(a > b ? b : a); }\nint main(void) { both(&m, &k); return 0; }",
        "sc",
        "holds-within",
    ),
    "an order in an array": (
        "int a[4];\nint main(void) { int s = 0; for (int *p = a; p < a + 4; p++) s += *p; assert(s == 0); return 0; }",
        "sc",
        "holds",
    ),
    "a distance in an array": (
        "int a[4];\nint main(void) { int *p = a + n; assert((p - a) * 2 % 5 == 1); return 0; }",
        "sc",
        "holds",
    ),
    "bits of an address": (
        "int a;\nint main(void) { assert(((uintptr_t)&a >> 4 & 1) == 0); return 0; }",
        "sc",
        "holds-within",
    ),
    "an address as key of a table": (
        "int a, t[7];\nint main(void) { t[(uintptr_t)&a % 7] = 1; return 0; }",
        "sc",
        "holds-within",
    ),
    "the bits that the alignment decides": (
        "int a;\nint main(void) { uintptr_t p = (uintptr_t)&a | 1; assert((p & 3) == 1 && (int *)(p & ~(uintptr_t)1) == &a && (uintptr_t)&a % 4 == 0); return 0; }",
        "sc",
        "holds",
    ),
    "an address that is copied in pieces": (
        "int a; char b[9];\nint main(void) { int *p = &a, *q; memcpy(b + 1, &p, sizeof p); memcpy(&q, b + 1, sizeof q); b[0] = b[2]; *q = 3; assert(a == 3); return 0; }",
        "sc",
        "holds",
    ),
    "a counter above an address": (
        "int a;\nint main(void) { uintptr_t w = (uintptr_t)&a | (uintptr_t)3 << 48; assert(w >> 48 == 3); return 0; }",
        "sc",
        "holds",
    ),
    "a compound literal in its function": (
        "int main(void) { int *p = (int[]){1, 2}; assert(*p == 1); return 0; }",
        "sc",
        "holds",
    ),
    "a compound literal after its block": (
        "int main(void) { int *p; { p = (int[]){1, 2}; } assert(*p == 1); return 0; }",
        "sc",
        "holds-within",
    ),
    "a compound literal that a function returns": (
        "static int *same(int *p) { return p; }\nint main(void) { int *p; { p = same((int[]){1, 2}); } assert(*p == 1); return 0; }",
        "sc",
        "holds-within",
    ),
    "a compound literal that a function keeps": (
        "int *kept; static void keep(int *p) { kept = p; }\nint main(void) { { keep((int[]){1, 2}); } assert(*kept == 1); return 0; }",
        "sc",
        "holds-within",
    ),
    "a compound literal that is only passed": (
        "static int first(int *p) { return *p; }\nint main(void) { for (int i = 0; i < 2; i++) { assert(first((int[]){1, 2}) == 1); } return 0; }",
        "sc",
        "holds",
    ),
    "a calculation with constants": (
        "int main(void) { double e = 1.5 * 2; assert(e == 3); return 0; }",
        "sc",
        "holds",
    ),
    "identifiers of threads of which one was joined": (
        "void *f(void *p) { return p; }\nint main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_join(a, 0); pthread_create(&b, 0, f, 0); pthread_join(b, 0); assert(a != b); return 0; }",
        "sc",
        "holds-within",
    ),
    "identifiers of threads that pthread_equal compares": (
        "int ok; pthread_t first;\nvoid *f(void *p) { ok = !ok ? first = pthread_self(), 1 : !pthread_equal(first, pthread_self()); return p; }\nint main(void) { for (int i = 0; i < 2; i++) { pthread_t a; pthread_create(&a, 0, f, 0); pthread_join(a, 0); } assert(ok); return 0; }",
        "sc",
        "holds-within",
    ),
    "identifiers of threads that run at the same time": (
        "void *f(void *p) { return p; }\nint main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0); pthread_join(a, 0); pthread_join(b, 0); assert(!pthread_equal(a, b) && a != b); return 0; }",
        "sc",
        "holds",
    ),
    "a thread that reads again while another waits to write": (
        two(
            "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; void *thread(void *p) { pthread_rwlock_wrlock(&l); pthread_rwlock_unlock(&l); return 0; }\n",
            "pthread_rwlock_rdlock(&l); pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l); pthread_rwlock_unlock(&l);",
        ),
        "sc",
        "holds-within",
    ),
    "a thread that waits for a mutex while it reads": (
        two(
            "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; void *thread(void *p) { pthread_rwlock_wrlock(&l); pthread_rwlock_unlock(&l); return 0; }\n",
            "pthread_rwlock_rdlock(&l); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_rwlock_unlock(&l);",
        ),
        "sc",
        "holds-within",
    ),
    "a thread that waits for nothing while it reads": (
        two(
            "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; void *thread(void *p) { pthread_rwlock_wrlock(&l); pthread_rwlock_unlock(&l); return 0; }\n",
            "pthread_mutex_lock(&m); pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l); pthread_mutex_unlock(&m);",
        ),
        "sc",
        "holds",
    ),
    "an array of variable length with elements": (
        "int main(void) { int a[n]; char *p = __builtin_alloca(x); a[2] = 0; (void)p; return a[2]; }",
        "sc",
        "holds",
    ),
    "an array of variable length without elements": (
        "int main(void) { int a[x]; return sizeof a; }",
        "sc",
        "violated",
    ),
    "a misaligned volatile access beside another thread": (
        two(
            "struct __attribute__((packed, aligned(64))) { char pad[62]; volatile int x; } s; int r; void *thread(void *p) { s.x = -1; return 0; }\n",
            "r = s.x;",
            "assert(r == 0 || r == -1);",
        ),
        "x86-tso",
        "holds-within",
    ),
    "an aligned volatile access beside another thread": (
        two(
            "volatile long z; long r; void *thread(void *p) { z = -1; return 0; }\n",
            "r = z;",
            "assert(r == 0 || r == -1);",
        ),
        "x86-tso",
        "holds",
    ),
}


@needs_clang
@pytest.mark.parametrize("name", tiers.every(4, CASES))
def test_what_is_not_followed_is_no_plain_answer(name: str) -> None:
    program, model, verdict = CASES[name]
    try:
        found = membar.check(SourceFile("case.c", HEAD + program), model=model).verdict
    except InputError:
        found = "refused"
    assert found == verdict


@needs_clang
def test_integers_of_two_registers_are_accessed_in_two_steps() -> None:
    program = two(
        "volatile long long z; long long r; void *thread(void *p) { z = -1; return 0; }\n",
        "r = z;",
        "assert(r == 0 || r == -1);",
    )
    options = CompilerOptions(data_model="ILP32")
    given = SourceFile("wide.c", HEAD + program, compiler=options)
    assert membar.check(given, model="x86-tso").verdict == "holds-within"


UNEXPLORED = "int main(void) { *(unsigned char *)&n = 9; char *p = malloc(n); assert(p != 0); return 0; }"


@needs_clang
@pytest.mark.parametrize(("engine", "model"), [("graphs", "rc11"), ("states", "sc"), ("reference", "sc")])
def test_nothing_is_said_where_every_execution_is_truncated(engine: str, model: str) -> None:
    text = HEAD.replace("atomic_int x, y, n = 3", "atomic_size_t n")
    answer = membar.check(
        SourceFile("t.c", text + UNEXPLORED), engine=engine, model=model, properties=("assertions",)
    )
    assert (answer.verdict, answer.reason) == (
        "unknown",
        "every execution reaches something that is not explored: memory of more than 8 elements "
        "where their number is not known (line 12)",
    )
    given = SourceFile("t.c", "int x; int main(void) { while (1) x = 1; }")
    assert membar.check(given, engine="graphs", model="sc", unroll=2).verdict == "holds-within"
