"""An atomic block with many branches was refused if it loaded through a pointer under one of them."""

from __future__ import annotations

import pytest

import membar
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

pytestmark = needs_clang

TEXT = """#include <assert.h>
#include <pthread.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int a = 1, b = 2, c, d, e, f, g, h, k, *p, seen, is_set;
static void *writer(void *unused) {
  __VERIFIER_atomic_begin(); p = &b; is_set = 1; __VERIFIER_atomic_end();
  __VERIFIER_atomic_begin(); c = d = e = f = g = h = k = 1; __VERIFIER_atomic_end();
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  __VERIFIER_atomic_begin();
  int s = (c ? a : b) + (d ? a : b) + (e ? a : b) + (f ? a : b) + (g ? a : b) + (h ? a : b) + (k ? a : b);
  seen = is_set ? *p : c ? 8 : 9;
  int sum = s + (f ? c : d) + (g ? c : d);
  __VERIFIER_atomic_end();
  assert(CONDITION);
  pthread_join(t, 0);
  return 0;
}
"""


@pytest.mark.parametrize(
    ("condition", "verdict"),
    [
        ("seen == 2 || seen == 9", "holds"),
        ("seen != 2", "violated"),
        ("seen != 9", "violated"),
        ("sum == 14 || sum == 9", "holds"),
        ("sum != 9 || seen == 9", "violated"),
    ],
)
def test_the_load_is_made_where_the_program_makes_it(condition: str, verdict: str) -> None:
    found = membar.check(SourceFile("block.c", TEXT.replace("CONDITION", condition)), model="sc")
    assert found.verdict == verdict
