"""What pictures and drawings say of executions that stop, go on forever, or fail."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import membar
from membar.cli.command import main
from membar.source import SourceFile

LASSO = "bool x;\nactive proctype P() { do :: x = !x od }\nltl p { <> (x && !x) }\n"
ENDS = "X86 a\n{ x=0; }\n P0 ;\n MOV [x],$1 ;\nexists (x=1)\n"
SB = """\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
int a, b;
void *first(void *p) {
  atomic_store_explicit(&x, 1, memory_order_release);
  a = atomic_load_explicit(&y, memory_order_acquire);
  return 0;
}
void *second(void *p) {
  atomic_store_explicit(&y, 1, memory_order_release);
  b = atomic_load_explicit(&x, memory_order_acquire);
  return 0;
}
int main(void) {
  pthread_t p, q;
  pthread_create(&p, 0, first, 0);
  pthread_create(&q, 0, second, 0);
  pthread_join(p, 0);
  pthread_join(q, 0);
  assert(a || b);
}
"""
FAILS = """\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y, z;
void *w(void *p) {
  atomic_store(&z, 5);
  atomic_store(&x, 1);
  atomic_store(&y, 1);
  return 0;
}
int main(void) {
  pthread_t p;
  pthread_create(&p, 0, w, 0);
  int r = atomic_load(&x);
  int s = atomic_load(&z);
  int unrelated = atomic_load(&y);
  (void)unrelated;
  int t = r + s;
  if (s == 5)
    WRONG
}
"""


def test_a_state_is_final_only_where_the_execution_ends() -> None:
    assert "state reached" in membar.check(SourceFile("a.pml", LASSO)).render("svg")
    assert "state reached" in membar.check(
        SourceFile("a.c", FAILS.replace("WRONG", "assert(t != 6);"))
    ).render("svg")
    assert "final state" in membar.check(SourceFile("a.litmus", ENDS)).render("svg")


def test_the_reads_of_a_failed_assertion_are_those_that_it_depends_on() -> None:
    for wrong, expected in (("assert(t != 6);", [14, 15]), ("__builtin_trap();", [15])):
        answer = membar.check(SourceFile("a.c", FAILS.replace("WRONG", wrong)))
        drawing = json.loads(answer.render("json"))["drawing"]
        lines = [event["line"] for event in drawing["events"] if event["id"] in drawing["failing"]]
        assert (lines, drawing["failing_line"]) == (expected, 20)


def test_pictures_go_into_folders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    test = tmp_path / "a.litmus"
    test.write_text(ENDS, encoding="utf-8")
    for command in ("check", "litmus"):
        assert main([command, str(test), "--svg", str(tmp_path / "a.svg")]) == 2
        assert "pictures go into a folder" in capsys.readouterr().err
    assert not (tmp_path / "a.svg").exists()


def test_a_comparison_has_a_row_for_what_fails() -> None:
    shown = membar.compare(SourceFile("a.c", SB), models=["sc", "x86-tso"]).render("terminal")
    (row,) = [line.split() for line in shown.splitlines() if "fails" in line]
    assert row[-2:] == ["-", "yes"]
    assert "3 + 1 failed" in shown
