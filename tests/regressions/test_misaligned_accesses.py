"""A misaligned access is an error, or not said to be none, wherever the compiler knows of it."""

from __future__ import annotations

import pytest

import membar
from membar.source import SourceFile

_HEAD = """#include <stdlib.h>
struct __attribute__((packed)) packed { char c; int i; int a[2]; };
struct fields { char c; unsigned b : 9; unsigned d : 20; };
struct units { unsigned a : 17; unsigned short b : 2, c : 16; int d : 17; };
struct packed g;
struct fields h;
"""
_MISALIGNED = {
    "static": "static long b[2]; *(int *)((char *)b + 1) = 3;",
    "local": "_Alignas(4) char b[8]; *(int *)(b + 1) = 3;",
    "by a pointer": "static char b[8]; int *p = (int *)(b + 1); *p = 3;",
    "one of two": "short s[4]; *(int *)(s + 1) = 3;",
    "read": "static long b[2]; return *(int *)((char *)b + 2);",
}
_ALIGNED = {
    "packed": "g.i = 1; struct packed *p = &g; p->i = 2; p->a[1] = 3; struct packed l; l.i = 1;",
    "bit fields": "h.b = 3; h.d = 4; struct fields *p = &h; p->d = 5;",
    "bit fields of two units": "struct units u, *p = &u; p->a = 1; p->b = 2;"
    " struct units *q = calloc(1, sizeof *q); q->a = p->b; free(q);",
    "bytes as a number": "_Alignas(8) char b[16]; *(long *)(b + 8) = 1;",
    "allocated": "char *b = malloc(16); *(int *)(b + 4) = 1; free(b);",
}


def _verdict(body: str) -> str:
    text = _HEAD + "int main(void) { " + body + " return 0; }\n"
    return str(membar.check(SourceFile("text.c", text), properties=["memory"]).verdict)


@pytest.mark.parametrize("body", _MISALIGNED.values(), ids=_MISALIGNED)
def test_a_misaligned_access_is_no_plain_success(body: str) -> None:
    assert _verdict(body) in ("violated", "holds-within")


@pytest.mark.parametrize("body", _ALIGNED.values(), ids=_ALIGNED)
def test_an_access_of_less_alignment_in_a_packed_structure_is_right(body: str) -> None:
    assert _verdict(body) == "holds"
