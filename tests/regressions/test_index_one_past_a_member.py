"""An element one past the last one of a member is the next member: accessing it there is an error."""

from __future__ import annotations

import pytest

import membar
from membar.questions.outcome import Violated
from membar.source import SourceFile

_HEAD = """#include <stdatomic.h>
#include <stdlib.h>
struct inner { int first; int a[2]; int last; };
struct outer { struct inner parts[2]; int last; };
struct inner one;
struct { int first; int a[1]; int last; } single;
struct outer both;
atomic_int two = 2;
"""
_OUTSIDE = {
    "a literal": "one.a[2] = 1;",
    "a literal in a local variable": "struct inner s = {0}; s.a[2] = 1;",
    "before the first": "one.a[-1] = 1;",
    "a known index": "int i = 2; one.a[i] = 1;",
    "a known index in a local variable": "struct inner s = {0}; int i = 2; s.a[i] = 1;",
    "a promoted variable": "struct inner s; s.last = 0; int i = 2; s.a[i] = 1; return s.last;",
    "in allocated memory": "struct inner *p = malloc(sizeof *p); int i = 2; p->a[i] = 1; free(p);",
    "an index from memory": "int i = two; one.last = 3; one.a[i] = 1;",
    "a member of one element": "int i = two - 1; single.last = 3; single.a[i] = 1;",
    "a member of an element": "int i = two; both.last = 3; both.parts[i].first = 1;",
    "a structure": "int i = 2; both.parts[i] = one;",
    "read": "int i = 2; return one.a[i];",
    "updated": "int i = 2; one.a[i]++;",
    "updated atomically": "int i = 2; __atomic_fetch_add(&one.a[i], 1, __ATOMIC_RELAXED);",
}
_INSIDE = {
    "the last": "int i = two - 1; one.a[i] = 1; both.parts[i].a[i] = 2; both.parts[i] = one;",
    "an address": "int *end = &one.a[2]; for (int *p = one.a; p != end; p++) *p = 1;",
    "an address by a known index": "int i = 2; int *end = &one.a[i]; end[-1] = 1;",
    "an address by an index from memory": "int i = two; int *end = &one.a[i]; end[-1] = 1; end[-2] = 1;",
    "the end of one element": "int i = two - 1; int *end = &single.a[i]; end[-1] = 1;",
    "the end of structures": "int i = two; struct inner *end = &both.parts[i]; end[-1].a[i - 1] = 1;",
    "backwards from the end": "int i = two; int *p = &one.a[i]; while (p != one.a) *--p = 1;",
    "the size": "return sizeof one.a[2] == 0;",
}


def _check(body: str, engine: str = "graphs") -> membar.Answer:
    text = _HEAD + "int main(void) { " + body + " return 0; }\n"
    return membar.check(SourceFile("text.c", text), engine=engine)


@pytest.mark.parametrize("engine", ["graphs", "reference"])
@pytest.mark.parametrize("body", _OUTSIDE.values(), ids=_OUTSIDE)
def test_an_element_that_a_member_does_not_have(body: str, engine: str) -> None:
    outcome = _check(body, engine).outcome
    assert isinstance(outcome, Violated)
    assert outcome.property == "memory"


@pytest.mark.parametrize("body", _INSIDE.values(), ids=_INSIDE)
def test_elements_and_addresses_that_are_allowed(body: str) -> None:
    assert _check(body).verdict == "holds"
