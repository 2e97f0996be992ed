"""Deadlocks asked of engines with store buffers: found, or said not to be looked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import membar

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from membar.cli import command as cli
from membar.questions.outcome import Unknown, Violated
from membar.questions.task import Options
from membar.source import SourceFile

CROSSED = """#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static void *other(void *unused) {
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&n);
  pthread_mutex_unlock(&n);
  pthread_mutex_unlock(&m);
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, other, 0);
  pthread_mutex_lock(&n);
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  pthread_mutex_unlock(&n);
  pthread_join(thread, 0);
  return 0;
}
"""
STUCK = """program stuck
memory x : i32
thread P0 {
  label 9 = nowhere
  0 -> 1: r0 := load [&x]
  1 -> 2 when r0 == 1
  5 -> 9
}
"""
UNBOUNDED = Options(unbounded_buffers=True)
SHORT = Options(buffers=2, buffers_chosen_by_user=True)


@pytest.mark.parametrize("options", [UNBOUNDED, SHORT], ids=["unbounded", "short"])
def test_store_buffers_show_the_deadlock_of_crossed_mutexes(options: Options) -> None:
    source = SourceFile("crossed.c", CROSSED)
    for asked in (None, ("deadlock",)):
        outcome = membar.check(source, model="x86-tso", options=options, properties=asked).outcome
        assert isinstance(outcome, Violated)
        assert outcome.property == "deadlock"


@pytest.mark.parametrize("options", [UNBOUNDED, SHORT], ids=["unbounded", "short"])
def test_a_thread_that_spins_beside_a_deadlock_leaves_it_unchecked(options: Options) -> None:
    text = CROSSED.replace(
        "int main", "int wait;\nstatic void *spin(void *p) { while (!wait) ; return p; }\nint main"
    )
    text = text.replace("pthread_t thread;", "pthread_t thread, own;\n  pthread_create(&own, 0, spin, 0);")
    source = SourceFile("spinning.c", text)
    outcome = membar.check(source, model="x86-tso", options=options, properties=("deadlock",)).outcome
    assert isinstance(outcome, Unknown)


def test_graphs_finds_the_deadlock_of_crossed_mutexes() -> None:
    outcome = membar.check(SourceFile("crossed.c", CROSSED), model="x86-tso").outcome
    assert isinstance(outcome, Violated)
    assert outcome.property == "deadlock"


@pytest.mark.parametrize("asked", [("deadlock",), ("deadlock", "errors")])
@pytest.mark.parametrize("options", [UNBOUNDED, SHORT], ids=["unbounded", "short"])
@pytest.mark.parametrize("error", ["", "error P0.nowhere\n"])
def test_a_deadlock_asked_for_by_name_is_an_answer(
    options: Options, asked: tuple[str, ...], error: str
) -> None:
    source = SourceFile("stuck.mbp", STUCK + error)
    outcome = membar.check(source, model="x86-tso", options=options, properties=asked).outcome
    assert isinstance(outcome, Violated)
    assert outcome.property == "deadlock"


def test_a_first_state_that_is_stuck_replays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "stuck.pml"
    file.write_text("bit x;\nactive proctype P() { (x == 1); skip }\n", encoding="utf-8")
    assert cli.main(["check", str(file), "--buffers", "unbounded", "--json"]) == cli.VIOLATED
    saved = tmp_path / "stuck.json"
    saved.write_text(capsys.readouterr().out, encoding="utf-8")
    assert json.loads(saved.read_text(encoding="utf-8"))["property"] == "deadlock"
    assert cli.main(["replay", str(saved)]) == cli.HOLDS
