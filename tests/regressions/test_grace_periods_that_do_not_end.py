"""`synchronize_rcu` is a call that blocks: where it may never return, deadlock does not hold."""

from __future__ import annotations

import pytest

import membar
from membar.questions.outcome import Unknown, Verdict, Violated
from membar.source import SourceFile

_HEAD = """#include <linux/bug.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <pthread.h>
DEFINE_SPINLOCK(lock);
int x;
"""
_ALONE = "int main(void) { BODY return 0; }\n"
_BESIDE = """void *other(void *p) { OTHER return 0; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, other, 0);
  BODY
  pthread_join(thread, 0);
  return 0;
}
"""
_ENGINES = pytest.mark.parametrize("engine", ["graphs", "reference"])


def _check(body: str, engine: str, other: str | None = None) -> membar.Answer:
    text = _ALONE if other is None else _BESIDE.replace("OTHER", other)
    return membar.check(SourceFile("text.c", _HEAD + text.replace("BODY", body)), engine=engine)


@_ENGINES
@pytest.mark.parametrize(
    "body",
    [
        "rcu_read_lock(); synchronize_rcu(); rcu_read_unlock();",
        "rcu_read_lock(); rcu_read_lock(); rcu_read_unlock(); synchronize_rcu(); rcu_read_unlock();",
        "if (READ_ONCE(x) == 0) rcu_read_lock(); synchronize_rcu();",
    ],
)
def test_a_grace_period_inside_the_own_section_is_a_deadlock(body: str, engine: str) -> None:
    outcome = _check(body, engine).outcome
    assert isinstance(outcome, Violated)
    assert outcome.property == "deadlock"


@_ENGINES
@pytest.mark.parametrize(
    "body",
    [
        "rcu_read_lock(); rcu_read_unlock(); synchronize_rcu();",
        "synchronize_rcu(); rcu_read_lock(); rcu_read_unlock();",
    ],
)
def test_a_grace_period_outside_of_it_is_none(body: str, engine: str) -> None:
    assert _check(body, engine).verdict == "holds"


@_ENGINES
def test_failures_of_others_are_found_beside_a_thread_that_waits_for_itself(engine: str) -> None:
    outcome = _check("rcu_read_lock(); synchronize_rcu();", engine, "BUG_ON(READ_ONCE(x) == 0);").outcome
    assert isinstance(outcome, Violated)
    assert outcome.property == "assertions"


@_ENGINES
def test_a_section_that_is_never_entered_is_no_deadlock(engine: str) -> None:
    assert _check("if (READ_ONCE(x) == 1) rcu_read_lock(); synchronize_rcu();", engine).verdict == "unknown"


_TAKES_THE_LOCK = "rcu_read_lock(); READ_ONCE(x); spin_lock(&lock); spin_unlock(&lock); rcu_read_unlock();"


@_ENGINES
@pytest.mark.parametrize(
    ("body", "other"),
    [
        ("spin_lock(&lock); synchronize_rcu(); spin_unlock(&lock);", _TAKES_THE_LOCK),
        ("synchronize_rcu();", "rcu_read_lock();"),
        ("rcu_read_lock(); pthread_join(thread, 0); rcu_read_unlock(); return 0;", "synchronize_rcu();"),
    ],
)
def test_deadlocks_through_grace_periods_are_not_ruled_out(body: str, other: str, engine: str) -> None:
    answer = _check(body, engine, other)
    assert isinstance(answer.outcome, Unknown)
    assert "grace periods" in answer.outcome.reason
    finding = answer.outcome.run.finding("deadlock")
    assert finding is not None
    assert finding.verdict is Verdict.UNKNOWN


@_ENGINES
def test_readers_may_wait_for_spinlocks_that_nobody_holds_in_a_grace_period(engine: str) -> None:
    body = "spin_lock(&lock); WRITE_ONCE(x, 1); spin_unlock(&lock); synchronize_rcu();"
    assert _check(body, engine, _TAKES_THE_LOCK).verdict == "holds"


@pytest.mark.parametrize("engine", ["graphs", "reference", "states"])
def test_a_model_that_does_not_know_grace_periods_gives_no_answer(engine: str) -> None:
    other = (
        "rcu_read_lock(); int r = READ_ONCE(x), s = READ_ONCE(x); rcu_read_unlock(); BUG_ON(!r && s == 2);"
    )
    body = "WRITE_ONCE(x, 1); synchronize_rcu(); WRITE_ONCE(x, 2);"
    text = _HEAD + _BESIDE.replace("OTHER", other).replace("BODY", body)
    answer = membar.check(SourceFile("text.c", text), model="sc", engine=engine, properties=["assertions"])
    assert isinstance(answer.outcome, Unknown)
    assert answer.outcome.reason == "the model sc does not define what `synchronize_rcu` waits for (line 11)"


@_ENGINES
@pytest.mark.parametrize(
    ("text", "note"),
    [
        (
            "C waits\n{}\nP0(int *x, struct srcu_struct *s) { int r; r = srcu_read_lock(s);"
            " synchronize_srcu(s); srcu_read_unlock(s, r); }\n~exists (x=1)\n",
            "no execution terminates: the model allows none",
        ),
        (
            "program assumes\nthread main { 0 -> 1: assume 0 }\n",
            "no execution terminates: only executions that block were checked",
        ),
    ],
)
def test_an_answer_about_no_execution_at_all_says_so(text: str, note: str, engine: str) -> None:
    name = "t.litmus" if text.startswith("C ") else "t.mbp"
    answer = membar.check(SourceFile(name, text), engine=engine)
    assert answer.verdict == "holds"
    assert note in answer.outcome.run.notes
