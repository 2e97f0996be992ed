"""Allocated memory and lifetimes through clang: what the C front end finds must stay found."""

from __future__ import annotations

import pytest

from strategies.c_heap_cases import HEAP_CASES, HeapCase, said
from strategies.compiled_code import needs_clang
from tiers import first

# What is not supported yet, or found in another way.
_NOT_YET = {
    "memory from a loop", "objects of a loop are different",
    "more memory from a loop than there is", "freed in the loop that allocates",
}  # fmt: skip
_CASES = [case for case in HEAP_CASES if case.name not in _NOT_YET]


@needs_clang
@pytest.mark.parametrize("case", first(20, _CASES), ids=lambda case: f"{case.name} ({case.model})")
def test_mistakes_with_memory_are_found(case: HeapCase) -> None:
    found = said(case.program, case.model)
    if case.says.startswith("holds"):
        assert found == case.says
    else:
        assert not found.startswith("holds")


SIZED = """
    #include <assert.h>
    #include <stdatomic.h>
    #include <stdlib.h>
    atomic_int n = {count};
    int main(void) {{
      int size = atomic_load(&n), *a = malloc(size * sizeof(int));
      for (int i = 0; i < {used}; i++) a[i] = i;
      {end}
      free(a);
    }}"""


@needs_clang
@pytest.mark.parametrize(
    ("count", "used", "end", "says"),
    [
        (3, 3, "assert(a[2] == 2);", "holds"),
        (3, 3, "assert(a[2] == 1);", "assertions"),
        (3, 4, "", "memory"),
        (9, 3, "", "holds"),
        (9, 10, "", "memory"),
    ],
)
def test_sizes_that_only_the_execution_knows(count: int, used: int, end: str, says: str) -> None:
    found = said(SIZED.format(count=count, used=used, end=end))
    assert found == says if says.startswith("holds") else found.startswith(says)


@needs_clang
def test_what_main_returns_must_have_a_value() -> None:
    text = "union u { int w; char b[4]; }; int main(void) { union u x; x.b[0] = 1; return x.b[1]; }"
    assert said(text).startswith("memory")


@needs_clang
def test_a_copy_whose_length_is_known_late_is_checked_too() -> None:
    text = """
        #include <stdlib.h>
        #include <string.h>
        int main(void) {
          int *a = malloc(8), *b; a[0] = a[1] = 1;
          free(a);
          b = realloc(a, 16);
          return b != 0;
        }"""
    assert said(text).startswith("memory")
