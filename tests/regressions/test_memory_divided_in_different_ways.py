"""A pointer to memory that other accesses divide into bytes, or to a whole number, was refused."""

from __future__ import annotations

import pytest

import membar
from membar.questions.outcome import HoldsWithin
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

pytestmark = needs_clang

SORTED = """#include <assert.h>
#include <stdlib.h>
static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
  int v[3] = {3, 1, 2}, key = KEY;
  qsort(v, 3, sizeof v[0], order);
  int *found = bsearch(&key, v, 3, sizeof v[0], order);
  assert(v[0] == 1 && v[1] == 2 && v[2] == 3 && found == &v[1]);
  return 0;
}
"""
BYTES = """#include <assert.h>
int cells[4], alone = 7, which;
static int get(int *p) { return *p; }
int main(void) {
  int i = WHICH;
  unsigned char *at = (unsigned char *)cells, *end = at + sizeof cells;
  for (; at < end && *at == 0; at++) *at = 1;
  assert(get(i > 3 ? &alone : cells + i) == (i > 3 ? 7 : 0x01010101));
  return 0;
}
"""


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (SORTED.replace("KEY", "2"), "holds"),
        (SORTED.replace("KEY", "3"), "violated"),
        (BYTES.replace("WHICH", "which"), "holds"),
        (BYTES.replace("WHICH", "4 + which"), "holds"),
        (BYTES.replace("WHICH", "which").replace("0x01010101", "1"), "violated"),
    ],
)
def test_it_is_divided_alike_everywhere(text: str, verdict: str) -> None:
    assert membar.check(SourceFile("divided.c", text), model="sc").verdict == verdict


def test_the_bound_names_the_bit_fields_whose_races_are_not_checked() -> None:
    text = "struct s {\n  int m0 : 31; unsigned long m1 : 40;\n} x;\nint main(void) { x.m0 = 1; return 0; }"
    outcome = membar.check(SourceFile("case.c", text)).outcome
    assert isinstance(outcome, HoldsWithin)
    assert outcome.bound == "without races between the bit fields of line 2 and adjacent ones"
