# ruff: noqa: E501 - C programs, one per line
"""Threads that wait for `main`, for themselves or for one that ends the process; functions called at the end."""

from __future__ import annotations

import pytest

import membar
import tiers
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

HEAD = """#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <strings.h>
pthread_t me; int x;
#define START pthread_t t; pthread_create(&t, 0, other, 0);
"""
FAIL = "void fail(void) { assert(0); }\n"
# Program, and what must be said about it.
CASES = {
    "main is joined": ("void *other(void *a) { void *r; pthread_join(me, &r); assert(x == 1 && r == &x); return a; }\nint main(void) { me = pthread_self(); START x = 1; pthread_exit(&x); }", "holds"),
    "main is joined twice": ("void *other(void *a) { pthread_join(me, 0); pthread_join(me, 0); return a; }\nint main(void) { me = pthread_self(); START pthread_exit(0); }", "locks"),
    "main and another wait for one another": ("void *other(void *a) { pthread_join(me, 0); return a; }\nint main(void) { me = pthread_self(); START pthread_join(t, 0); return 0; }", "deadlock"),
    "main ends the process": ("void *other(void *a) { pthread_join(me, 0); assert(0); return a; }\nint main(void) { me = pthread_self(); START return 0; }", "holds"),
    "main waits for itself": ("int main(void) { pthread_join(pthread_self(), 0); return 0; }", "deadlock"),
    "a thread waits for itself": ("void *other(void *a) { pthread_join(pthread_self(), 0); return a; }\nint main(void) { START pthread_exit(0); }", "deadlock"),
    "a thread that does not exist": ("int main(void) { pthread_join(me, 0); return 0; }", "memory"),
    "a thread ends the process": ("void *other(void *a) { exit(0); }\nint main(void) { START pthread_join(t, 0); assert(0); }", "holds"),
    "a thread may end the process": ("void *other(void *a) { if (x) exit(0); return a; }\nint main(void) { START pthread_join(t, 0); assert(0); }", "assertions"),
    "quick_exit calls functions": (FAIL + "int main(void) { at_quick_exit(fail); quick_exit(0); }", "assertions"),
    "exit calls others": (FAIL + "int main(void) { at_quick_exit(fail); exit(0); }", "holds"),
    "quick_exit does not call those of atexit": (FAIL + "int main(void) { atexit(fail); quick_exit(0); }", "holds"),
    "two threads register functions": ("void nothing(void) {}\nvoid *other(void *a) { atexit(nothing); return a; }\nint main(void) { START atexit(nothing); pthread_join(t, 0); return 0; }", "holds"),
    "what another thread registered is called": (FAIL + "void *other(void *a) { atexit(fail); return a; }\nint main(void) { START pthread_join(t, 0); return 0; }", "assertions"),
    "registering orders nothing": ("void nothing(void) {}\nvoid *other(void *a) { x = 1; atexit(nothing); return a; }\nint main(void) { START atexit(nothing); x = 2; return 0; }", "races"),
    "the process ends after main": (FAIL + "int main(void) { atexit(fail); pthread_exit(0); }", "unknown"),
    "ffs of 0": ("int main(void) { assert(ffs(0) == 0); assert(__builtin_ffsll(x) == 0); return 0; }", "holds"),
    "ctz of 0": ("int main(void) { return __builtin_ctz(x) > 3; }", "memory"),
}  # fmt: skip


@needs_clang
@pytest.mark.parametrize("name", tiers.every(2, CASES))
def test_what_happens_at_the_end(name: str) -> None:
    program, expected = CASES[name]
    found = membar.check(SourceFile("ends.c", HEAD + program), model="rc11")
    assert (getattr(found.outcome, "property", None) or found.verdict) == expected
