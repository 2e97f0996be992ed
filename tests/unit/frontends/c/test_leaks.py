"""Memory that is never freed is a warning: a flag and a note with its line, never a verdict."""

from __future__ import annotations

import pytest

from membar import api
from membar.source import SourceFile
from strategies.c_heap_cases import HEADERS, NODE

MAIN = "int main(void) {{\n  {}\n}}\n"
NEW = "struct node *n = malloc(sizeof *n); n->value = 1;"
OTHER = "void *other(void *unused) { struct node *n = malloc(sizeof *n); n->value = 2; return NULL; }\n"
# What main does, and whether memory leaks.
CASES = [
    (f"{NEW} struct node *m = malloc(sizeof *m); free(m);", True),
    (f"{NEW} free(n);", False),
    (f"{NEW}", True),
    (f"{NEW} n = malloc(sizeof *n); n->value = 2; free(n);", True),
    (f"{NEW} free(n); n = malloc(sizeof *n); n->value = 2; free(n);", False),
    (f"{NEW} free(n); n = malloc(sizeof *n); n->value = 2;", True),
    ("int x; if (__VERIFIER_nondet_bool()) { " + NEW + " if (__VERIFIER_nondet_bool()) free(n); }", True),
    ("int x; if (__VERIFIER_nondet_bool()) { " + NEW + " free(n); }", False),
    (f"pthread_t t; {NEW} pthread_create(&t, NULL, other, NULL); pthread_join(t, NULL); free(n);", True),
    # Whether a thread that still runs will free it is not asked.
    (f"pthread_t t; {NEW} pthread_create(&t, NULL, other, NULL); free(n);", False),
]


@pytest.mark.parametrize("model", ["sc", "rc11"])
@pytest.mark.parametrize(("body", "leaks"), CASES)
def test_memory_that_is_never_freed_is_told(body: str, leaks: bool, model: str) -> None:  # noqa: FBT001 - a table
    found = api.check(SourceFile("leak.c", HEADERS + NODE + OTHER + MAIN.format(body)), model=model)
    assert found.verdict == "holds"
    assert ("memory-leak" in found.outcome.run.flags) == leaks
    assert any("is never freed" in note for note in found.outcome.run.notes) == leaks


def test_a_leak_does_not_hide_an_overflow() -> None:
    body = f"{NEW} free(n); n = malloc(sizeof *n); n->value = 2147483647; n->value = n->value + 1;"
    found = api.check(SourceFile("leak.c", HEADERS + NODE + MAIN.format(body)), model="sc")
    assert set(found.outcome.run.flags) == {"memory-leak", "signed-overflow"}
