# ruff: noqa: E501 - a line for each program
"""Small C programs as clang reads them, each with the answer that it must get."""

from __future__ import annotations

import pytest

import membar
import tiers
from strategies.compiled_code import needs_clang

pytestmark = needs_clang

HEAD = """
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
atomic_uint x;
pthread_t t;
"""
_FUTEX = """
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
int d;
#define WAIT syscall(SYS_futex, &x, FUTEX_WAIT, 0, 0, 0, 0)
#define WAKE syscall(SYS_futex, &x, FUTEX_WAKE, 1, 0, 0, 0)
"""
CASES = {
    # Bits.
    "zeros at the end are counted": ("void *f(void *a) { x = 8; return 0; }", "assert(__builtin_ctz(x | 16) >= 3);", "holds"),
    "of 0 that is undefined": ("void *f(void *a) { x = 8; return 0; }", "assert(__builtin_ctz(x) < 40);", "violated memory"),
    "the first bit of 0 is none": ("void *f(void *a) { x = 8; return 0; }", "int n = __builtin_ffs(x); assert(n == 0 || n == 4);", "holds"),
    "zeros at the beginning are counted": ("void *f(void *a) { x = 8; return 0; }", "assert(__builtin_clz(x | 1) > 28);", "violated assertions"),
    "ones are counted": ("void *f(void *a) { x = 0xf0; return 0; }", "unsigned n = __builtin_popcount(x); assert(n == 0 || n == 4);", "holds"),
    "bytes are swapped": ("void *f(void *a) { x = 0x0102; return 0; }", "assert(__builtin_bswap32(x) != 0x02010000);", "violated assertions"),
    # Memory.
    "no object is that large": ("void *f(void *a) { return 0; }", "assert(malloc(-2) == 0);", "holds"),
    # Threads.
    "a thread waits for itself": ("void *f(void *a) { pthread_join(pthread_self(), 0); return 0; }", "", "violated locks"),
    # Signals.
    "signals that are handled may come": ("void h(int n) {} void *f(void *a) { return 0; }", "signal(SIGINT, h);", "holds-within"),
    "signals that are ignored do not matter": ("void *f(void *a) { return 0; }", "signal(SIGINT, SIG_IGN);", "holds"),
    # Copies that check.
    "what does not fit is not copied": ("int memcpy_s(void *, size_t, const void *, size_t); void *f(void *a) { return 0; }", "static int a[1] = {1}, b[1] = {2}; assert(memcpy_s(a, 0, b, 4) && a[0] == 1); assert(!memcpy_s(a, 4, b, 4) && a[0] == 2);", "holds"),
    # Habits.
    "a number as a pointer": ("void *f(void *a) { return 42; }", "void *r; pthread_join(t, &r); assert((long)r == 42); pthread_create(&t, 0, f, 0);", "holds"),
    # Before, beside and after `main`.
    "constructors run first": ("int c; __attribute__((constructor)) void i(void) { c = 5; } void *f(void *a) { return 0; }", "assert(c == 5);", "holds"),
    "the last function given to atexit runs first": ("int c; void p(void) { assert(c == 2); } void q(void) { c = 2; } void *f(void *a) { return 0; }", "atexit(p); atexit(q);", "holds"),
    "the first one runs last": ("int c; void p(void) { assert(c == 2); } void q(void) { c = 2; } void *f(void *a) { return 0; }", "atexit(q); atexit(p);", "violated assertions"),
    "each thread has its own variable": ("_Thread_local int n = 3; void *f(void *a) { assert(++n == 4); return 0; }", "assert(++n == 4);", "holds"),
    "destructors of keys get what a thread leaves": ("int d; pthread_key_t k; void e(void *p) { d = (int)(long)p; } void *f(void *a) { pthread_key_create(&k, e); pthread_setspecific(k, (void *)7); return 0; }", "pthread_join(t, 0); assert(d == 7); pthread_create(&t, 0, f, 0);", "holds"),
    # Futexes.
    "a wake is not lost": (_FUTEX + "void *f(void *a) { d = 1; x = 1; WAKE; return 0; }", "while (!x) WAIT; assert(d == 1);", "holds"),
    "who is not woken waits forever": (_FUTEX + "void *f(void *a) { d = 1; x = 1; return 0; }", "while (!x) WAIT;", "violated deadlock"),
    "waiting orders nothing": (_FUTEX + "void *f(void *a) { d = 1; atomic_store_explicit(&x, 1, memory_order_relaxed); WAKE; return 0; }", "while (!atomic_load_explicit(&x, memory_order_relaxed)) WAIT; assert(d == 1);", "violated assertions"),
    # Addresses: no better aligned than C says, whether anybody accesses the variable or only looks where it is.
    "a byte is aligned to nothing": ("char b; void *f(void *a) { return 0; }", "assert(((uintptr_t)&b & 1) == 0);", "violated assertions"),
    "a word is aligned no better": ("long w; uintptr_t p; void *f(void *a) { return 0; }", "p = (uintptr_t)&w; assert((p & 15) == 0);", "violated assertions"),
    "a word is aligned to itself": ("long w; void *f(void *a) { return 0; }", "assert(((uintptr_t)&w & 7) == 0);", "holds"),
    # Constants.
    "a constant expression about an address": ("void *f(void *a) { return 0; }", "static unsigned long p; p = (unsigned long)&x & 3; assert(p == 0);", "holds"),
}  # fmt: skip


@pytest.mark.parametrize("name", tiers.every(2, CASES))
def test_the_answer_is_as_it_must_be(name: str) -> None:
    thread, body, expected = CASES[name]
    text = f"{HEAD}{thread}\nint main(void) {{ pthread_create(&t, 0, f, 0); {body} pthread_join(t, 0); }}\n"
    found = membar.check(membar.SourceFile("case.c", text), standard="gnu17")
    broken = getattr(found.outcome, "property", "")
    assert f"{found.verdict} {broken}".strip() == expected
