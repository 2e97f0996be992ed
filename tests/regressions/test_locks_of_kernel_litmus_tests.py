"""Spinlocks of kernel litmus tests: who is stuck in one, and who gives one back that it does not hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import membar

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from membar.cli.command import main
from membar.questions.outcome import Verdict
from membar.source import SourceFile

_LOCKS_TWICE = """C twice
{ }
P0 (int *x, spinlock_t *l) { spin_lock(l); spin_lock(l); WRITE_ONCE(*x, 1); }
~exists (x=1)
"""
_OPPOSITE_ORDERS = """C opposite
{ }
P0 (spinlock_t *a, spinlock_t *b) { spin_lock(a); spin_lock(b); spin_unlock(b); spin_unlock(a); }
P1 (spinlock_t *a, spinlock_t *b) { spin_lock(b); spin_lock(a); spin_unlock(a); spin_unlock(b); }
~exists (x=1)
"""
_NEVER_GIVEN_BACK = """C kept
{ }
P0 (spinlock_t *l, int *x) { spin_lock(l); WRITE_ONCE(*x, 1); }
P1 (spinlock_t *l, int *x) { spin_lock(l); WRITE_ONCE(*x, 2); }
~exists (x=3)
"""
_CORRECT = """C correct
{ }
P0 (spinlock_t *l, int *x) { spin_lock(l); WRITE_ONCE(*x, 1); spin_unlock(l); }
P1 (spinlock_t *l, int *x) { int r; spin_lock(l); r = READ_ONCE(*x); spin_unlock(l); }
~exists (x=3)
"""
_NOT_HELD = """C free
{ }
P0 (spinlock_t *a, int *x) { spin_unlock(a); WRITE_ONCE(*x, 1); }
~exists (x=7)
"""
_NO_SECTION = """C section
{ }
P0 (int *x) { rcu_read_unlock(); WRITE_ONCE(*x, 1); }
~exists (x=7)
"""
_ENGINES = pytest.mark.parametrize("engine", ["graphs", "reference"])


def _finding(text: str, name: str, **asked: Any) -> tuple[str, Verdict, bool]:
    result = membar.check(SourceFile("t.litmus", text), **asked)
    finding = result.outcome.run.finding(name)
    assert finding is not None
    return result.verdict, finding.verdict, finding.is_warning


@_ENGINES
@pytest.mark.parametrize("text", [_LOCKS_TWICE, _OPPOSITE_ORDERS, _NEVER_GIVEN_BACK])
def test_a_thread_stuck_in_spin_lock_is_a_deadlock(text: str, engine: str) -> None:
    by_name = _finding(text, "deadlock", properties=["deadlock"], engine=engine)
    assert by_name == ("violated", Verdict.VIOLATED, False)
    assert _finding(text, "deadlock", engine=engine) == ("holds", Verdict.VIOLATED, True)


@_ENGINES
@pytest.mark.parametrize("name", ["deadlock", "locks"])
def test_correct_use_of_spinlocks_holds(name: str, engine: str) -> None:
    expected = ("holds", Verdict.HOLDS, False)
    assert _finding(_CORRECT, name, properties=[name], engine=engine) == expected


@_ENGINES
@pytest.mark.parametrize("text", [_NOT_HELD, _NO_SECTION])
def test_a_flag_about_locks_violates_locks(text: str, engine: str) -> None:
    by_name = _finding(text, "locks", properties=["locks"], engine=engine)
    assert by_name == ("violated", Verdict.VIOLATED, False)
    assert _finding(text, "locks", engine=engine) == ("holds", Verdict.VIOLATED, True)


def test_locks_are_unknown_under_a_model_without_such_flags() -> None:
    expected = ("unknown", Verdict.UNKNOWN, False)
    assert _finding(_NOT_HELD, "locks", properties=["locks"], model="sc") == expected


@pytest.mark.parametrize(("text", "name"), [(_NOT_HELD, "locks"), (_LOCKS_TWICE, "deadlock")])
def test_the_answer_in_json_agrees_and_is_replayed(
    text: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    test, answer = tmp_path / "t.litmus", tmp_path / "t.json"
    test.write_text(text)
    assert main(["check", str(test), "--property", name, "--json"]) == 1
    answer.write_text(capsys.readouterr().out)
    found = json.loads(answer.read_text())
    assert {item["property"]: item["verdict"] for item in found["findings"]}[name] == "violated"
    assert main(["replay", str(answer)]) == 0
