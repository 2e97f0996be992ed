"""A repair must not break another configuration (`-D NAME`) that the text knows."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from membar.cli.command import main
from membar.languages.compiled.configurations import configurations
from membar.questions.repair import NotRepairable, Repair
from membar.reports.repair import render
from membar.source import SourceFile

_BREAKING = Path(__file__).parent / "inputs" / "repair-breaks-other-config.c"

_HEADER = """\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
int data, a, b;
"""
_THREADS = """
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, t0, 0);
  pthread_create(&two, 0, t1, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
#ifdef BOTH
  assert(a || b);
#endif
  return 0;
}
"""
# Message passing, for which release and acquire do; with BOTH also store buffering, which needs seq_cst.
_STRONG = (
    _HEADER
    + """
static void *t0(void *p) {
  atomic_store_explicit(&x, 1, memory_order_seq_cst);
  a = atomic_load_explicit(&y, memory_order_seq_cst);
  return p;
}
static void *t1(void *p) {
  atomic_store_explicit(&y, 1, memory_order_seq_cst);
  b = atomic_load_explicit(&x, memory_order_seq_cst);
  return p;
}
"""
    + _THREADS
)


@pytest.mark.full
def test_repair_keeps_the_configuration_with_the_stronger_macro() -> None:
    source = SourceFile.read(_BREAKING)
    found = membar.repair(source, model="rc11")
    assert isinstance(found, Repair)
    for defines in ((), ("STRICT",)):
        text = SourceFile("repaired.c", found.repaired.text)
        assert membar.check(text, model="rc11", defines=defines).verdict == "holds"
    assert [each.name for each in found.configurations] == ["-D STRICT"]
    assert "-D STRICT: HOLDS, as before" in render(found, columns=80, color=False)


@pytest.mark.full
def test_json_says_which_configurations_were_checked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["repair", str(_BREAKING), "--model", "rc11", "--json"]) == 0
    assert '"configurations": [{"name": "-D STRICT", "before": "holds", "after": "holds"}]' in (
        capsys.readouterr().out
    )


@pytest.mark.full
def test_weakening_keeps_what_another_configuration_needs() -> None:
    found = membar.repair(SourceFile("strong.c", _STRONG), model="x86-tso", weaken=True)
    assert isinstance(found, Repair)
    text = SourceFile("weakened.c", found.repaired.text)
    assert membar.check(text, model="x86-tso", defines=("BOTH",)).verdict == "holds"
    assert found.repaired.text.count("memory_order_seq_cst") == 2  # the stores; the loads need nothing


def test_weakening_without_other_configurations_takes_all() -> None:
    text = _STRONG.replace("#ifdef BOTH\n  assert(a || b);\n#endif\n", "")
    found = membar.repair(SourceFile("strong.c", text), model="x86-tso", weaken=True)
    assert isinstance(found, Repair)
    assert "memory_order_seq_cst" not in found.repaired.text
    assert found.configurations == ()


@pytest.mark.full
def test_a_change_that_another_configuration_cannot_read_is_not_offered() -> None:
    # A fence before `x = 1` would need braces around a statement that `#else` begins a second time.
    text = """
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
atomic_int x, y;
int a, b;
static void *t0(void *p) {
#ifdef PLAIN
  if (p == 0) {
#else
  {
#endif
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    a = atomic_load_explicit(&y, memory_order_relaxed);
  }
  return p;
}
static void *t1(void *p) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_seq_cst);
  b = atomic_load_explicit(&x, memory_order_relaxed);
  return p;
}
""" + _THREADS.replace("#ifdef BOTH\n", "").replace("#endif\n", "")
    found = membar.repair(SourceFile("split.c", text), model="x86-tso")
    assert not isinstance(found, NotRepairable)
    if isinstance(found, Repair):
        changed = SourceFile("split.c", found.repaired.text)
        assert membar.check(changed, model="x86-tso", defines=("PLAIN",)).verdict == "holds"


@pytest.mark.parametrize(
    ("text", "given", "found"),
    [
        ("#ifdef A\nint a;\n#endif\n", (), [("A",)]),
        ("#ifndef A\nint a;\n#endif\n", ("A",), [()]),
        ("#if defined(A) && B > 2\nint a;\n#elif B == 2\nint b;\n#endif\n", (), [("B=2",)]),
        ("#if defined(A) || B > 2\nint a;\n#endif\n", (), [("B=3",)]),
        ("#ifndef GUARD\n#define GUARD\nint a;\n#endif\n", (), []),
        ("#ifndef N\n#define N 3\n#endif\nint a = N;\n", (), []),
        ("#ifndef N\n#define N 3\n#endif\nint a = N;\n", ("N=4",), [()]),
        ("#ifdef __GNUC__\nint a;\n#endif\n#ifdef MEMBAR_THREADS\nint b;\n#endif\n", (), []),
        ("#define A 1\n#if A\nint a;\n#endif\n", (), []),
        ("/*\n#ifdef A\n*/\nint a;\n", (), []),
        ("#ifdef A\n#error not supported\n#endif\nint a;\n", (), []),
        ("int a;\n#ifdef A\n#endif\n", (), []),
    ],
)
def test_configurations_of_a_text(text: str, given: tuple[str, ...], found: list[tuple[str, ...]]) -> None:
    assert list(configurations(SourceFile("a.c", text, given))) == found
