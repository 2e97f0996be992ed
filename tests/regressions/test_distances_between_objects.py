"""The distance between two objects depends on where they lie: what is computed from it was HOLDS."""

from __future__ import annotations

import pytest

import membar
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

TEXT = """#include <assert.h>
#include <stdint.h>
long a[3], b[5];
int main(void) {
  uintptr_t distance = (uintptr_t)&%s - (uintptr_t)&%s;
  assert(((distance >> 6) & 1) == 0);
}
"""


@needs_clang
@pytest.mark.parametrize(("one", "other", "verdict"), [("a", "b", "holds-within"), ("b[4]", "b[1]", "holds")])
def test_a_distance_between_objects_is_of_one_address_only(one: str, other: str, verdict: str) -> None:
    found = membar.check(SourceFile("distance.c", TEXT % (one, other)), model="rc11")
    assert found.verdict == verdict


@needs_clang
def test_pointers_into_the_same_two_objects_may_point_into_different_ones() -> None:
    text = """#include <assert.h>
#include <stdatomic.h>
long a[3], b[5];
atomic_int choice;
int main(void) {
  long *one = choice ? a : b, *other = choice ? b : a;
  assert((one < other) == 0);
}
"""
    found = membar.check(SourceFile("pointers.c", text), model="rc11")
    assert found.verdict == "holds-within"
