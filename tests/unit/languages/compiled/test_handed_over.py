"""What a thread knows of the memory that it was started with, and when it must not believe it."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from membar.questions.outcome import Verdict
from strategies.compiled_code import compilers
from strategies.compiled_code import needs_clang as needs_compiler
from tiers import rows

_HEAD = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct start { void (*call)(void); int number; };
static int seen; static _Atomic(struct start *) kept;
static void one(void) { seen = 1; }
static void two(void) { seen = 2; }
"""
_MAIN = """
int main(void) {
  struct start *s = malloc(sizeof *s); pthread_t t;
  s->call = one; s->number = 1; other = two;
  BEFORE pthread_create(&t, NULL, run, s); AFTER pthread_join(t, NULL); assert(seen == 1);
}
"""
_RUN = "static void (*other)(void); static void *run(void *p) { struct start *s = p; BODY return NULL; }"
CASES = [
    ("known", "s->call(); assert(s->number == 1); free(s);", "", "", Verdict.HOLDS),
    ("stored by the thread itself", "s->call = other; s->call(); free(s);", "", "", Verdict.VIOLATED),
    ("stored twice before", "s->call(); free(s);", "if (other == two) s->call = two;", "", Verdict.VIOLATED),
    ("what is stored last", "s->call(); free(s);", "s->call = two; s->call = one;", "", Verdict.HOLDS),
    ("another is stored last", "s->call(); free(s);", "s->call = two;", "", Verdict.VIOLATED),
    ("read after it was freed", "s->call(); free(s); assert(s->number == 1);", "", "", Verdict.VIOLATED),
    ("stored after the start", "s->call(); assert(s->number == 1);", "", "s->number = 2;", Verdict.VIOLATED),
    (
        "known to another thread",
        "while (s->number == 1) {} s->call();",
        "atomic_store(&kept, s);",
        "atomic_load(&kept)->number = 2;",
        Verdict.VIOLATED,
    ),
    (
        "told to another thread",
        "atomic_store(&kept, s); while (atomic_load(&kept)) {} s->call(); assert(s->number == 1);",
        "",
        "struct start *k = atomic_load(&kept); if (k) { k->number = 2; atomic_store(&kept, NULL); }",
        Verdict.VIOLATED,
    ),
]  # fmt: skip


@needs_compiler
@pytest.mark.parametrize(
    ("texts", "verdict"), rows(3, [(row[1:4], row[4]) for row in CASES]), ids=[row[0] for row in CASES]
)
def test_memory_handed_over(texts: tuple[str, str, str], verdict: str, tmp_path: Path) -> None:
    body, before, after = texts
    file = tmp_path / "program.c"
    main = _MAIN.replace("BEFORE", before).replace("AFTER", after)
    file.write_text(_HEAD + _RUN.replace("BODY", body) + main)
    assert membar.check(file).verdict == verdict


FUNCTIONS = """
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> flag{0}; int data;
void producer(int value) { data = value; flag.store(1, std::memory_order_release); }
void consumer(int value) { while (!flag.load(std::memory_order_acquire)) {} assert(data == value); }
int main() { std::thread a(producer, 42), b(consumer, 42); a.join(); b.join(); }
"""
# The compiler of choice, and one that brings no C++ library of its own and takes the system's.
_COMPILERS = [None, *(each.command[0] for each in compilers() if not each.is_zig)][:2]


@needs_compiler
@pytest.mark.parametrize(
    ("model", "compiler"),
    rows(6, [(model, compiler) for compiler in _COMPILERS for model in ("rc20", "x86-tso", "armv8")]),
)
def test_each_thread_runs_its_own_function(model: str, compiler: str | None, tmp_path: Path) -> None:
    file = tmp_path / "program.cpp"
    file.write_text(FUNCTIONS)
    assert membar.check(file, model=model, clang=compiler).verdict == Verdict.HOLDS
    file.write_text(FUNCTIONS.replace("memory_order_release", "memory_order_relaxed"))
    answer = membar.check(file, model=model, clang=compiler)
    assert answer.verdict == (Verdict.HOLDS if model == "x86-tso" else Verdict.VIOLATED)
    if answer.verdict == Verdict.VIOLATED:
        assert "consumer's read of data" in answer.render("terminal")
