"""Assertions about some locks say nothing of critical sections that only a model of the kernel judges."""

from __future__ import annotations

import pytest

import membar
from membar.questions.outcome import Unknown, Violated
from membar.source import SourceFile

JOINED = """#include <linux/rcupdate.h>
#include <pthread.h>
pthread_t reader;
void *read(void *p) { SECTION return 0; }
void *wait(void *p) { pthread_join(reader, 0); return 0; }
int main(void) {
  pthread_t waiter;
  pthread_create(&reader, 0, read, 0);
  pthread_create(&waiter, 0, wait, 0);
  pthread_join(WHOM, 0);
  return 0;
}
"""
MISUSED, USED = "rcu_read_unlock();", "rcu_read_lock(); rcu_read_unlock();"


def check(section: str, whom: str, model: str, *properties: str, engine: str = "graphs") -> membar.Answer:
    text = JOINED.replace("SECTION", section).replace("WHOM", whom)
    return membar.check(SourceFile("text.c", text), model=model, engine=engine, properties=properties or None)


@pytest.mark.parametrize("engine", ["graphs", "reference", "states"])
@pytest.mark.parametrize("section", [MISUSED, USED])
def test_a_model_without_flags_does_not_judge_critical_sections(section: str, engine: str) -> None:
    outcome = check(section, "waiter", "sc", "locks", engine=engine).outcome
    assert isinstance(outcome, Unknown)
    assert outcome.reason.startswith("sc does not check the use of kernel locks")


def test_nor_where_all_properties_are_asked() -> None:
    locked = f"pthread_mutex_lock(&m); pthread_mutex_unlock(&m); {MISUSED}"
    text = JOINED.replace(
        "pthread_t reader;", "pthread_t reader; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;"
    )
    source = SourceFile("text.c", text.replace("SECTION", locked).replace("WHOM", "waiter"))
    assert isinstance(membar.check(source, model="sc").outcome, Unknown)


def test_a_model_of_the_kernel_judges_both() -> None:
    outcome = check(MISUSED, "waiter", "lkmm", "locks").outcome
    assert isinstance(outcome, Violated)
    assert outcome.run.flags == ("unmatched-rcu-unlock",)
    assert check(USED, "waiter", "lkmm", "locks").verdict == "holds"


@pytest.mark.parametrize("model", ["sc", "lkmm"])
@pytest.mark.parametrize("section", [MISUSED, USED])
def test_an_assertion_that_fails_is_a_violation_under_every_model(section: str, model: str) -> None:
    outcome = check(section, "reader", model, "locks").outcome
    assert isinstance(outcome, Violated)
    assert outcome.property == "locks"
