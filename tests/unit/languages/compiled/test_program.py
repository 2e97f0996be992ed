"""C programs as clang reads them, down to the verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from differential.compilers import Case, answer
from membar.diagnostics import InputError
from membar.languages.compiled.program import parse_compiled
from membar.program.operations import Load, Store
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

pytestmark = needs_clang

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
TWO = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
int a, b;
void *first(void *n) {{ {first} return 0; }}
void *second(void *n) {{ {second} return 0; }}
int main(void) {{
  pthread_t s, t;
  pthread_create(&s, 0, first, 0);
  pthread_create(&t, 0, second, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  {check}
}}
"""
PROGRAMS = {
    "store buffering": TWO.format(
        first="x = 1; a = y;", second="y = 1; b = x;", check="assert(a == 1 || b == 1);"
    ),
    "relaxed store buffering": TWO.format(
        first="atomic_store_explicit(&x, 1, memory_order_relaxed); a = y;",
        second="y = 1; b = atomic_load_explicit(&x, memory_order_relaxed);",
        check="assert(a == 1 || b == 1);",
    ),
    "message passing": TWO.format(
        first="a = 7; atomic_store_explicit(&x, 1, memory_order_release);",
        second="if (atomic_load_explicit(&x, memory_order_acquire)) assert(a == 7);",
        check="",
    ),
    "message passing with a relaxed flag": TWO.format(
        first="a = 7; atomic_store_explicit(&x, 1, memory_order_relaxed);",
        second="if (atomic_load_explicit(&x, memory_order_acquire)) assert(a == 7);",
        check="",
    ),
    "a wait": TWO.format(
        first="a = 7; x = 1;", second="while (!x) ; assert(a == 7);", check="assert(a == 7);"
    ),
    "compare-exchange": TWO.format(
        first="int e = 0; if (!atomic_compare_exchange_strong(&x, &e, 1)) assert(e == 2);",
        second="int e = 0; if (!atomic_compare_exchange_weak(&x, &e, 2)) assert(e == 1 || e == 0);",
        check="assert(x == 1 || x == 2);",
    ),
    "a choice": TWO.format(first="x = 1;", second="b = x ? 5 : 6;", check="assert(b == 5 || b == 6);"),
}


# Verdicts and numbers of executions under sc, rc11 and armv8.
ANSWERS = {
    "store buffering": ("holds (3)", "holds (3)", "holds (3)"),
    "relaxed store buffering": ("holds (3)", "violated assertions", "violated assertions"),
    "message passing": ("holds (2)", "holds (2)", "holds (2)"),
    "message passing with a relaxed flag": ("holds (2)", "violated assertions", "violated assertions"),
    "a wait": ("holds (1)", "holds (1)", "holds (1)"),
    "compare-exchange": ("holds (3)", "holds (3)", "holds (3)"),
    "a choice": ("holds (2)", "holds (2)", "holds (2)"),
}


@pytest.mark.parametrize(("number", "model"), list(enumerate(("sc", "rc11", "armv8"))))
@pytest.mark.parametrize("name", PROGRAMS)
def test_small_programs_get_their_answers(name: str, number: int, model: str) -> None:
    found = answer(Case("here", name, SourceFile("case.c", PROGRAMS[name]), model), 60)
    assert str(found).startswith(ANSWERS[name][number])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("peterson", "holds (4)"),
        ("peterson-release", "violated assertions"),
        ("tas", "holds (2)"),
        ("ring", "holds (9)"),
        ("seqlock-relaxed", "violated assertions"),
    ],
)
def test_examples_get_their_answers(name: str, expected: str) -> None:
    found = answer(Case("examples", name, SourceFile.read(EXAMPLES / f"c/{name}.c"), "rc11"), 60)
    assert str(found).startswith(expected)


def test_steps_show_what_the_user_wrote() -> None:
    program = parse_compiled(SourceFile.read(EXAMPLES / "c/peterson.c"))
    shown = {
        edge.span.flat_text
        for thread in program.threads
        for edge in thread.edges
        for item in edge.operations
        if isinstance(item, Load | Store) and edge.span is not None
    }
    assert "atomic_store_explicit(&last[l], me, RAISE)" in shown
    assert "atomic_load(&level[other])" in shown
    assert "shared = me" in shown


def test_what_has_no_body_is_not_followed_and_named_at_the_call() -> None:
    text = "int puzzle(int);\nint main(void) {\n  return puzzle(3);\n}\n"
    answer = membar.check(SourceFile("case.c", text))
    assert answer.verdict == "unknown"
    assert "what `puzzle` does" in answer.reason
    assert "(line 3)" in answer.reason


def test_errors_of_a_text_that_is_on_no_disk_show_it() -> None:
    with pytest.raises(InputError) as caught:
        parse_compiled(SourceFile("case.c", "int main(void) {\n  return puzzle;\n}\n"))
    (problem,) = caught.value.diagnostics
    assert "puzzle" in problem.message
    assert problem.primary is not None
    assert problem.primary.span.line == 2
