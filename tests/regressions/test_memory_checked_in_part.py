"""Where memory does not say whether it was set, nobody hears that it always was."""

from __future__ import annotations

import pytest

import membar
from membar.questions.outcome import Violated
from membar.source import SourceFile

SHARED = """#include <pthread.h>
int found;
void *reader(void *p) { found = ((KIND *)p)[1]; return 0; }
int main(void) {
  KIND a[COUNT];
  a[0] = 1;
  pthread_t x;
  pthread_create(&x, 0, reader, a);
  pthread_join(x, 0);
  return 0;
}
"""
IN_THE_KERNEL = "#include <linux/kernel.h>\n" + SHARED
ALLOCATED = """#include <linux/kernel.h>
#include <pthread.h>
#include <stdlib.h>
int found;
void *reader(void *p) { found = ((char *)p)[1]; return 0; }
int main(void) {
  char *a = malloc(4);
  if (!a) return 0;
  pthread_t x;
  pthread_create(&x, 0, reader, a);
  pthread_join(x, 0);
  free(a);
  return 0;
}
"""


def check(text: str, **words: object) -> membar.Answer:
    for name, value in words.items():
        text = text.replace(name, str(value))
    return membar.check(SourceFile("text.c", text))


@pytest.mark.parametrize("kind", ["char", "short"])
def test_elements_of_large_arrays_are_tracked_one_by_one(kind: str) -> None:
    text = "_Atomic int at = 1;\n" + SHARED.replace("p)[1]", "p)[at]")
    assert check(text, KIND=kind, COUNT=100).verdict == "violated"
    assert check(text.replace("at = 1", "at = 0"), KIND=kind, COUNT=100).verdict != "violated"


@pytest.mark.parametrize(("kind", "count"), [("char", 10), ("char", 100), ("short", 10), ("int", 100)])
def test_where_memory_says_so_it_is_a_violation(kind: str, count: int) -> None:
    outcome = check(SHARED, KIND=kind, COUNT=count).outcome
    assert isinstance(outcome, Violated)
    assert outcome.property == "memory"


def test_small_numbers_of_the_kernel_are_checked_too() -> None:
    assert check(IN_THE_KERNEL, KIND="char", COUNT=2).verdict == "violated"
    assert check(ALLOCATED).verdict == "violated"


def test_arrays_with_initial_values_are_all_set() -> None:
    text = SHARED.replace("a[COUNT];", "a[COUNT] = {0};")
    assert check(text, KIND="char", COUNT=100).verdict == "holds"
