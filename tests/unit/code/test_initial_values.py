"""What memory begins with: reads before it is set are found, unless a store comes before everything else."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from strategies.compiled_code import needs_clang

HEAD = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct pair { atomic_int first; atomic_long second; };
static struct pair *shared;
static atomic_int turn;
static pthread_t t;
static void *reader(void *unused) { return (void *)(shared->first + shared->second ? 0L : 1L); }
static void *writer(void *unused) { shared->first = 1; shared->second = 2; return NULL; }
static void start(void *(*function)(void *)) { pthread_create(&t, NULL, function, NULL); }
static void look(atomic_int *p, int i) { if (i == 0) *p = 1; if (*p == 2) abort(); }
int main(void) {
  struct pair own;
"""
CASES = [
    ("set first", "shared = &own; own.first = 1; own.second = 2; start(reader);", "holds"),
    ("allocated", "shared = malloc(16); shared->first = 1; shared->second = 2; start(reader);", "holds"),
    ("half of it", "shared = &own; own.first = 1; start(reader);", "violated"),
    ("in one branch", "shared = &own; own.first = 1; if (turn) own.second = 2; start(reader);", "violated"),
    ("by another thread", "shared = &own; start(writer); assert(own.first < 2);", "violated"),
    ("too late", "shared = &own; own.first = 1; start(reader); own.second = 2;", "violated"),
    ("each time", "for (int i = 0; i < 2; i++) { atomic_int n; look(&n, i); }", "violated"),
    (
        "before it was released",
        "shared = malloc(16); shared->first = 1; shared->second = 2; start(reader); pthread_join(t, 0);"
        " free(shared); shared = malloc(16); start(reader);",
        "violated",
    ),
]


@needs_clang
@pytest.mark.parametrize(("text", "verdict"), [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_memory_is_set_before_it_is_read(text: str, verdict: str, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(f"{HEAD}{text}\n  if (t) pthread_join(t, NULL);\n}}\n")
    answer = membar.check(path, properties=["assertions", "memory"])
    assert answer.verdict == verdict
    assert verdict == "holds" or "read before it was set" in answer.render("terminal").replace("\n", " ")
