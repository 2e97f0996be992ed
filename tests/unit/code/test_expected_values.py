# ruff: noqa: E501 - C programs, one per line
"""Which sizes memory is expected to have, and that nothing is lost where something else happens."""

from __future__ import annotations

import pytest

import membar
from membar.code import ir
from membar.code.analyses.expected_values import ExpectedValues
from membar.code.analyses.lifetimes import ALLOCATE, is_call_of, positions
from membar.code.passes import prepare
from membar.source import SourceFile
from strategies.compiled_code import code_of_c, needs_clang
from tiers import first

pytestmark = needs_clang

PRIMITIVES = """
void *__membar_allocate(unsigned long, _Bool);
unsigned long __membar_spawn(void (*)(void *), void *);
void *__membar_join(unsigned long);
long __membar_choose(long, long);
"""


def prepared(text: str) -> ir.Module:
    """The module that `enumerate_sizes` gets."""
    seen: list[ir.Module] = []

    def watch(name: str, module: ir.Module) -> None:
        if name == "drop_atomic_blocks":
            seen.append(module)

    prepare(code_of_c(PRIMITIVES + text), watch=watch)
    return seen[0]


def sizes(text: str) -> list[tuple[int, ...] | None]:
    """The expected sizes at each allocation."""
    module = prepared(text)
    expected = ExpectedValues(module)
    return [expected.sizes(at) for at, item in positions(module) if is_call_of(item, *ALLOCATE)]


N = "_Atomic unsigned long n = 1; void *p;"
SIZES: dict[str, tuple[str, list[tuple[int, ...] | None]]] = {
    "what is stored": ("int main(void) { n = 3; p = __membar_allocate(n * 4, 0); }", [(4, 12)]),
    "what another thread stores": (
        "void t(void *a) { n = 5; } int main(void) { __membar_spawn(t, 0); p = __membar_allocate(n, 0); }",
        [(1, 5)],
    ),
    "what is stored later": ("int main(void) { p = __membar_allocate(n, 0); n = 5; }", [(1,)]),
    "a choice": (
        "int main(void) { n = __membar_choose(2, 4); p = __membar_allocate(n, 0); }",
        [(1, 2, 3, 4)],
    ),
    "a choice of many": (
        "int main(void) { n = __membar_choose(2, 40); p = __membar_allocate(n, 0); }",
        [None],
    ),
    "a capacity that doubles": (
        "int main(void) { n = n * 2; n = n * 2; p = __membar_allocate(n, 0); }",
        [(1, 2, 4)],
    ),
    "a capacity that two threads double": (
        "void t(void *a) { n = n * 2; }"
        "int main(void) { __membar_spawn(t, 0); n = n * 2; p = __membar_allocate(n, 0); }",
        [(1, 2, 4)],
    ),
    "a number that is counted up": (
        "int main(void) { while (__membar_choose(0, 1)) n = n + 1; p = __membar_allocate(n, 0); }",
        [None],
    ),
    "a number of which a byte is stored": (
        "int main(void) { *(_Atomic unsigned char *)&n = 3; p = __membar_allocate(n, 0); }",
        [None],
    ),
    "numbers in memory that was allocated": (
        "int main(void) { unsigned long *q = __membar_allocate(8, 0); p = q; *q = 6;"
        " p = __membar_allocate(*(unsigned long *)p, 0); n = *q * 2; p = __membar_allocate(n, 0); }",
        [(8,), (6,), (1, 12)],
    ),
    "memory that begins with zeros": (
        "int main(void) { unsigned long *q = __membar_allocate(8, 1); p = q;"
        " n = *q; p = __membar_allocate(n + 2, 0); }",
        [(8,), (2, 3)],
    ),
    "a size that its own memory would have": (
        "int main(void) { unsigned long *q = __membar_allocate(n, 0); p = q; *q = 9; n = *q; }",
        [(1,)],
    ),
    "a pointer that walks over an array": (
        "long m[2]; int main(void) { long *q = __membar_allocate(n * 8, 0);"
        " for (long *at = m; at != m + n; at++) *q++ = *at;"
        " n = 0; p = q; n = q - (long *)p + 2; p = __membar_allocate(n, 0); }",
        [(8,), (0, 1, 2, 3)],
    ),
    "two pointers": (
        "_Atomic unsigned long m; int main(void) { p = __membar_choose(0, 1) ? (void *)&n : (void *)&m;"
        " *(_Atomic unsigned long *)p = 7; p = __membar_allocate(m, 0); }",
        [(0, 7)],
    ),
}


@pytest.mark.parametrize("name", SIZES)
def test_sizes_come_from_what_is_stored(name: str) -> None:
    text, expected = SIZES[name]
    assert sizes(N + text) == expected


def test_control_is_expected_where_values_lead_it() -> None:
    module = prepared(
        f"{N} int main(void) {{ if (n == 2) n = 20; else n = 3; if (n == 3) n = 4; p = __membar_allocate(n, 0); }}"
    )
    expected = ExpectedValues(module)
    stored = {
        item.value.value: expected.is_reached(at.thread, at.block)
        for at, item in positions(module)
        if isinstance(item, ir.Store) and isinstance(item.value, ir.Constant)
    }
    assert stored == {20: False, 3: True, 4: True}
    jumps = [
        (at.thread, at.block, number)
        for at, item in positions(module)
        if at.index == 0
        for number in range(2)
    ]
    assert any(expected.is_taken(*jump) for jump in jumps)


HEAD = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
atomic_size_t n; char *p; int x, y; pthread_t a, b;
"""
# Each ends with a failing assertion where something happens that is hard to expect.
HARD = {
    "the difference of two objects": "int main(void) { n = (char *)&x - (char *)&y; size_t k = n; p = malloc(k ? 3 : 2); assert(!k); }",
    "bytes of a number": "union { unsigned char b[8]; size_t n; } u; int main(void) { volatile unsigned char *q = u.b; q[0] = 5; size_t k = u.n; p = malloc(k); assert(k != 5); }",
    "a number that a copy makes": "size_t m[2] = {3, 4}; size_t k[2]; int main(void) { n = 8; memcpy(k + n - 7, m, 8); p = malloc(k[1]); assert(k[1] != 3); }",
    "a number that a fill makes": "unsigned short k; int main(void) { n = 2; memset(&k, 1, n); p = malloc(k); assert(k != 257); }",
    "an overlapping copy": "unsigned char m[9] = {0, 1, 2}; int main(void) { n = 3; memmove(m, m + 1, n); p = malloc(m[1]); assert(m[1] != 2); }",
    "memory that comes again": "int main(void) { n = 4; p = malloc(n); size_t k = (size_t)p; free(p); p = malloc(n); int same = k == (size_t)p; char *q = malloc(same ? n : n + 1); assert(!same); }",
    "lost updates": "void *t(void *s) { n = n + 1; n = n + 1; return s; } int main(void) { pthread_create(&a, 0, t, 0); n = n + 1; n = n + 1; pthread_join(a, 0); size_t k = n; p = malloc(k); assert(k != 2); }",
    "an exchange that fails": "int main(void) { size_t k = 1; n = 6; atomic_compare_exchange_strong(&n, &k, 2); p = malloc(k); assert(k != 6); }",
    "a thread that starts late": "void *u(void *s) { n = 7; return s; } void *t(void *s) { size_t k = n; p = malloc(k); assert(k != 7); return s; } int main(void) { pthread_create(&a, 0, t, 0); if (n == 0) pthread_create(&b, 0, u, 0); pthread_join(a, 0); }",
    "a function of many": "void f(void) { n = 2; } void g(void) { n = 5; } void (*volatile h)(void) = f; void *t(void *s) { h = g; return s; } int main(void) { pthread_create(&a, 0, t, 0); h(); size_t k = n; p = malloc(k); assert(k != 5); pthread_join(a, 0); }",
    "a shift by what is stored": "int main(void) { n = 3; size_t k = (size_t)1 << n; p = malloc(k); assert(k != 8); }",
    "a negative index": "size_t m[3] = {2, 4, 6}; int main(void) { n = -1; long i = n; p = malloc((m + 1)[i]); assert((m + 1)[i] != 2); }",
    "a value from a condition": "int main(void) { n = 5; size_t k = n > 4 ? n : 1; p = malloc(k); assert(k != 5); }",
    "a tag in an address": "int *volatile q = &x; int main(void) { q = (int *)((size_t)q | 1); n = (size_t)q & 1; size_t k = n ? 6 : 2; p = malloc(k); assert(k != 6); }",
    "an exclusive or": "int main(void) { n = 5; n ^= 3; size_t k = n; p = malloc(k); assert(k != 6); }",
    "a switch": "int main(void) { n = 5; size_t k; switch ((int)n) { case 4: k = 1; break; case 5: k = 3; break; default: k = 2; } p = malloc(k); assert(k != 3); }",
}  # fmt: skip


@pytest.mark.parametrize("name", first(2, HARD))
@pytest.mark.parametrize("model", first(1, ("sc", "x86-tso")))
def test_no_execution_is_lost_without_a_word(name: str, model: str) -> None:
    answer = membar.check(SourceFile("case.c", HEAD + HARD[name]), model=model, properties=("assertions",))
    assert answer.verdict in ("violated", "holds-within", "unknown")
