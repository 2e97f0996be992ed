"""What the passes and the lowering make of C programs: verdicts, through clang."""

from __future__ import annotations

import pytest

from strategies.both_doors import said_through_clang
from strategies.compiled_code import needs_clang

HEAD = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
"""
MAIN = HEAD + "{before}\nint main(void) {{ {body} }}\n"
PLAIN = {
    "a copy that overlaps": ("int a[4] = {0}; memcpy(a, a + 1, 8);", "memory: memory is copied to memory"),
    "a copy that overlaps backwards": ("int a[4] = {0}; memcpy(a + 1, a, 8);", "memory: memory is copied"),
    "a copy beside": ("int a[4] = {0}; memcpy(a, a + 2, 8);", "holds"),
    "a structure is assigned to itself": ("struct { int a[3]; } s = {{1}}, *p = &s; s = *p;", "holds"),
    "an unset value is printed": ('int *a = malloc(8); printf("%d", a[0]);', "memory: "),
    "a set value is printed": ('int *a = malloc(8); a[0] = 1; printf("%d", a[0]); free(a);', "holds"),
    "a random number is printed": ('printf("%d", rand() % 10);', "holds"),
}


@needs_clang
@pytest.mark.parametrize("name", PLAIN)
def test_verdicts_about_one_thread(name: str) -> None:
    body, says = PLAIN[name]
    assert said_through_clang(MAIN.format(before="", body=body)).startswith(says)


LATE = (
    HEAD
    + """
int *shared; atomic_int done;
void *reader(void *unused) {
  int v = *shared;
  atomic_store_explicit(&done, 1 + 0 * v, memory_order_relaxed);
  return 0;
}
int main(void) {
  pthread_t t; shared = malloc(sizeof *shared); *shared = 1;
  pthread_create(&t, 0, reader, 0);
  while (!atomic_load_explicit(&done, memory_order_relaxed)) ;
  free(shared);
  pthread_join(t, 0);
}
"""
)


@needs_clang
def test_an_access_that_a_processor_delays_beyond_a_free_is_no_plain_holds() -> None:
    assert said_through_clang(LATE, "armv8") == "unknown"
    assert said_through_clang(LATE, "sc") == "holds"
