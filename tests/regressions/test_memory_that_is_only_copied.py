# ruff: noqa: E501 - C programs, one per line
"""Copies and fills of memory that nothing else accesses race, and go wrong after a `free`, like any access."""

from __future__ import annotations

import pytest

import membar
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

HEAD = """#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
struct pair { int a, b; };
"""
THREADS = (
    "int main(void) { pthread_t t; pthread_create(&t, 0, one, 0); two(0); pthread_join(t, 0); return 0; }"
)
# Program, and what must be said about it.
CASES = {
    "two fills": ("char x[8];\nvoid *one(void *a) { memset(x, 1, 8); return a; }\nvoid *two(void *a) { memset(x, 2, 8); return a; }\n" + THREADS, "races"),
    "fills that overlap in part": ("char x[8];\nvoid *one(void *a) { memset(x, 1, 6); x[0] = 1; return a; }\nvoid *two(void *a) { memset(x + 4, 2, 4); x[7] = 1; return a; }\n" + THREADS, "races"),
    "fills beside each other": ("char x[8];\nvoid *one(void *a) { memset(x, 1, 4); return a; }\nvoid *two(void *a) { memset(x + 4, 2, 4); return a; }\n" + THREADS, None),
    "a copy and a fill": ("char x[8];\nvoid *one(void *a) { char y[8]; memcpy(y, x, 8); return a; }\nvoid *two(void *a) { memset(x, 2, 8); return a; }\n" + THREADS, "races"),
    "two structures": ("struct pair x, y, z;\nvoid *one(void *a) { x = y; return a; }\nvoid *two(void *a) { x = z; return a; }\n" + THREADS, "races"),
    "copies that only read": ("struct pair x, y, z;\nvoid *one(void *a) { y = x; return a; }\nvoid *two(void *a) { z = x; return a; }\n" + THREADS, None),
    "a fill after free": ("int main(void) { char *x = malloc(8); free(x); memset(x, 0, 8); return 0; }", "memory"),
    "a fill of unknown length after free": ("atomic_int n = 4;\nint main(void) { char *x = malloc(8); free(x); memset(x, 0, n); return 0; }", "memory"),
    "a copy after free": ("char y[8];\nint main(void) { char *x = calloc(8, 1); free(x); memcpy(y, x, 8); return 0; }", "memory"),
    "a copy into a variable after free": ("int main(void) { char *x = malloc(8); memset(x, 0, 8); free(x); char y[8]; memcpy(y, x, 8); return 0; }", "memory"),
    "a copy after the block": ("int main(void) { char y[8], *p; { char x[8] = \"abc\"; p = x; } memcpy(y, p, 8); return 0; }", "memory"),
    "a structure after free": ("int main(void) { struct pair *p = malloc(sizeof *p), z = {1, 2}; *p = z; free(p); struct pair q = *p; return 0; }", "memory"),
    "a structure before free": ("int main(void) { struct pair *p = malloc(sizeof *p), z = {1, 2}; *p = z; struct pair q = *p; free(p); return 0; }", None),
}  # fmt: skip


@needs_clang
@pytest.mark.parametrize("name", CASES)
def test_it_counts_as_accessed(name: str) -> None:
    program, expected = CASES[name]
    found = membar.check(SourceFile("copied.c", HEAD + program), model="rc11")
    assert getattr(found.outcome, "property", None) == expected
    assert found.verdict == ("holds" if expected is None else "violated")
