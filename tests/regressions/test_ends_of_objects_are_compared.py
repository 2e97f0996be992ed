"""The end of one object may be the beginning of another: whether they are equal is not known."""

from __future__ import annotations

import pytest

import membar
from membar.source import SourceFile

_HEAD = """#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
int a[4], b[4];
atomic_int four = 4;
"""
_MAY_BE_EQUAL = {
    "the end of an array": "int *e = a + 4; assert(e != b);",
    "the other way round": "int *e = b, *f = a + 4; assert(e != f);",
    "by an index from memory": "int i = four; int *e = &a[i]; assert(e != b);",
    "as numbers": "uintptr_t p = (uintptr_t)(a + 4), q = (uintptr_t)b; assert(p != q);",
    "allocated": "char *p = malloc(16), *q = malloc(16); assert(p + 16 != q); free(p); free(q);",
    "with bits taken off": "uintptr_t p = (uintptr_t)(a + 4) & ~(uintptr_t)3; assert(p != (uintptr_t)b);",
    "local variables": "int x[2], y[2]; int *e = x + 2; assert(e != y);",
}
_DIFFER = {
    "a loop to the end": "for (int *p = a; p != a + 4; p++) *p = 1;",
    "allocated, not at a multiple of 16": "char *p = malloc(8), *q = malloc(8); assert(p + 8 != q);",
    "elements": "int *p = a, *q = b; assert(p != q); assert(p + 3 != q);",
}


def _verdict(body: str) -> str:
    text = _HEAD + "int main(void) { " + body + " return 0; }\n"
    return str(membar.check(SourceFile("text.c", text)).verdict)


@pytest.mark.parametrize("body", _MAY_BE_EQUAL.values(), ids=_MAY_BE_EQUAL)
def test_a_comparison_whose_result_is_not_known_is_a_bound(body: str) -> None:
    assert _verdict(body) == "holds-within"


@pytest.mark.parametrize("body", _DIFFER.values(), ids=_DIFFER)
def test_one_whose_result_is_known_is_none(body: str) -> None:
    assert _verdict(body) == "holds"
