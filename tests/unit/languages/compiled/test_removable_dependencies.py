"""Dependencies that a compiler may remove: a program that needs one holds with a flag, or is violated."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import membar
from membar.cli import command as cli
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

pytestmark = needs_clang
FLAG = "compiler-dependency"
# Load buffering: forbidden as long as the store of line 10 comes after the load of line 9.
TEXT = """\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define SET(x, value) atomic_store_explicit(&x, value, memory_order_relaxed)
atomic_int x, y, z, seen, array[2];
int own;
volatile int kept;
void *thread(void *unused) {
  int r = atomic_load_explicit(&x, memory_order_relaxed);
  STORE
  seen = r;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, thread, 0);
  int s = atomic_load_explicit(&y, memory_order_relaxed);
  SET(x, s);
  pthread_join(t, 0);
  assert(!(seen == 1 && s == 1));
  return 0;
}
"""
REMOVABLE = [
    "SET(y, 1 + (r ^ r));",
    "SET(y, 1 + (r - r));",
    "SET(y, 1 + r * 0);",
    "SET(y, 1 + (r & 0));",
    "SET(y, 1 + ((r & 1) >> 1));",
    "SET(y, (r | 1) & 1);",
    "SET(y, (r > 5) <= (r > 4));",
    "SET(y, r + 1 > r);",
    "SET(y, (r + 1) - r);",
    "SET(y, r * 1000 / 1000 - r + 1);",
    "SET(y, (unsigned char)r < 256);",
    "int q = r | 1; SET(z, q);\nSET(y, q & 1);",
    "own = r;\nSET(y, own + 1 > own);",
    "SET(y, r == r);",
    "SET(y, r ? 1 : 1);",
    "if (r) SET(y, 1); else SET(y, 1);",
    "if (r) SET(z, 1);\nSET(y, 1);",
    "if (r == r) SET(y, 1);",
    "if ((r | 1) & 1) SET(y, 1);",
]
KEPT = [
    "SET(y, r + 1);",
    "SET(y, r ? 1 : 2);",
    "SET(y, 1 + (r & 1));",
    "SET(y, 1 + (r > 100000));",
    "SET(y, 1 + (r == 2147483647));",
    "SET(y, 1 + (r / 1000 == 7));",
    "SET(y, 1 + ((r & 0xff00) == 0x1200));",
    "SET(y, 1 + ((r ^ 0x5555) == 0x1234));",
    "SET(y, 1 + ((unsigned)r * 2654435761u == 17u));",
    "SET(y, 1 + (r * 0.5 > 70000));",
    "SET(y, 1 + ((void *)(long)r == &array[1]));",
    "own = r; if (r > 100000) own = 7; SET(y, own + 1 - r);",
    "kept = r; SET(y, 1 + (kept != kept));",
    "if (r) SET(y, 1); else SET(y, 2);",
    "if (r == 1) SET(y, r);",
    "if (r > 100000 || r == 1) { SET(z, 1); SET(y, 1); }",
    "if (r) { SET(z, 1); SET(y, 1); }",
    "while (!atomic_load_explicit(&x, memory_order_relaxed)); SET(y, 1);",
]


def check(text: str, **options: object) -> membar.Answer:
    return membar.check(SourceFile("case.c", text), model="armv8", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("store", REMOVABLE)
def test_what_a_compiler_may_remove_is_no_reason_to_hold(store: str) -> None:
    text = TEXT.replace("STORE", store)
    found = check(text)
    assert found.verdict == "holds"
    assert FLAG in found.outcome.run.flags
    (note,) = (note for note in found.outcome.run.notes if note.startswith("relies on"))
    assert re.search(r"dependenc.* line (9|10|11) → line 1[01].*which a compiler may remove$", note)
    assert check(text, strict_dependencies=True).verdict == "violated"


def test_another_dependency_between_the_same_lines_hides_none() -> None:
    joined = TEXT.replace("\n  STORE\n  seen", " SET(y, 1 + (r ^ r)); seen")
    assert FLAG in check(joined).outcome.run.flags
    put = "static void put(atomic_int *cell, int value) { SET(*cell, value); }\nvoid *thread"
    called = TEXT.replace("void *thread", put).replace("STORE", "put(&y, 1 + (r ^ r)); put(&z, r);")
    assert FLAG in check(called).outcome.run.flags


@pytest.mark.parametrize("store", KEPT)
def test_what_a_compiler_keeps_is_one(store: str) -> None:
    text = TEXT.replace("STORE", store)
    found = check(text, strict_dependencies=True, properties=["assertions"])
    assert found.verdict == "holds"
    assert FLAG not in found.outcome.run.flags


def test_an_index_that_a_branch_tells_is_known() -> None:
    text = TEXT.replace("STORE", "if (r == 1) seen = atomic_load_explicit(&array[r], memory_order_relaxed);")
    text = text.replace("seen = r;", "").replace(
        "int s = atomic_load_explicit(&y, memory_order_relaxed);", ""
    )
    text = text.replace("SET(x, s);", "SET(array[1], 1); atomic_store(&x, 1);")
    text = text.replace("assert(!(seen == 1 && s == 1))", "assert(!(seen == 2))")
    text = text.replace("seen = atomic_load", "seen = 2 - atomic_load")
    found = check(text)
    assert (found.verdict, found.outcome.run.flags) == ("holds", (FLAG,))


@pytest.mark.parametrize(
    ("index", "flags"), [("r * 2 % 2", (FLAG,)), ("r & 0", (FLAG,)), ("(r | 2) >> 2", ()), ("r", ())]
)
def test_an_index_that_is_always_the_same_is_known(index: str, flags: tuple[str, ...]) -> None:
    text = TEXT.replace("STORE", f"r = r - atomic_load_explicit(&array[{index}], memory_order_relaxed);")
    text = text.replace("int s = atomic_load_explicit(&y, memory_order_relaxed);", "int s = 1;")
    text = text.replace("SET(x, s);", "SET(array[0], 1); SET(array[1], 1); atomic_store(&x, 1);")
    found = check(text, properties=["assertions"])
    assert (found.verdict, found.outcome.run.flags) == ("holds", flags)


@pytest.mark.parametrize("model", ["sc", "rc11", "x86-tso"])
def test_models_without_dependencies_are_not_asked_again(model: str) -> None:
    text = TEXT.replace("STORE", REMOVABLE[0])
    found = membar.check(SourceFile("case.c", text), model=model, strict_dependencies=True)
    assert FLAG not in found.outcome.run.flags


def test_the_execution_that_shows_it_replays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "case.c"
    file.write_text(TEXT.replace("STORE", REMOVABLE[0]), encoding="utf-8")
    words = ["check", str(file), "--model", "armv8", "--json"]
    assert cli.main([*words, "--strict-dependencies"]) == cli.VIOLATED
    (tmp_path / "witness.json").write_text(capsys.readouterr().out, encoding="utf-8")
    assert cli.main(["replay", str(tmp_path / "witness.json")]) == cli.HOLDS
    assert "VIOLATED (assertions)" in capsys.readouterr().out


def test_the_kernel_too() -> None:
    text = """\
#include <linux/compiler.h>
#include <pthread.h>
#include <assert.h>
int x, y, seen;
void *thread(void *unused) {
  int r = READ_ONCE(x);
  WRITE_ONCE(y, 1 + (r ^ r));
  seen = r;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, thread, 0);
  int s = READ_ONCE(y);
  WRITE_ONCE(x, s);
  pthread_join(t, 0);
  assert(!(seen == 1 && s == 1));
  return 0;
}
"""
    found = membar.check(SourceFile("case.c", text), model="lkmm")
    assert (found.verdict, found.outcome.run.flags) == ("holds", (FLAG,))
