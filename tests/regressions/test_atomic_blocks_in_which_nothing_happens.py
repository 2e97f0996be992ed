"""An atomic block without a shared access ended nowhere: what followed it became part of it."""

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
int x, seen;
void *writer(void *unused) {{
  int i = 0;
  __VERIFIER_atomic_begin();
  {inside}
  __VERIFIER_atomic_end();
  {between}
  x = 1;
  x = i + 1;
  return 0;
}}
void *reader(void *unused) {{ seen = x; return 0; }}
int main(void) {{
  pthread_t t, u;
  pthread_create(&t, 0, writer, 0);
  pthread_create(&u, 0, reader, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  assert(seen != 1);
  return 0;
}}
"""
ANOTHER = "__VERIFIER_atomic_begin(); __VERIFIER_atomic_end();"


@pytest.mark.parametrize(
    ("inside", "between"),
    [("i++;", ""), ("", ANOTHER), ("i = x; i = 1;", ""), ("i++;", f"{ANOTHER} if (i) i++; {ANOTHER}")],
)
def test_the_steps_behind_it_are_not_one(inside: str, between: str) -> None:
    text = TEXT.format(inside=inside, between=between)
    assert membar.check(SourceFile("block.c", text), model="sc").verdict == "violated"
    assert (
        membar.check(SourceFile("block.c", text.replace("seen != 1", "seen != 4")), model="sc").verdict
        == "holds"
    )
