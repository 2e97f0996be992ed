"""Executions that end in undefined behaviour are not silently left out of what holds."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from membar.questions.outcome import Unknown, Violated
from membar.source import SourceFile

HEAD = """#include <pthread.h>
#include <assert.h>
#include <stdatomic.h>
"""
MAIN = """
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  x = 1;
  pthread_join(t, 0);
  return 0;
}
"""
UNHELD = f"""{HEAD}pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
atomic_int x;
void *other(void *p) {{ if (x) pthread_rwlock_unlock(&l); else assert(CLAIM); return 0; }}
{MAIN}"""
OUTSIDE = f"""{HEAD}int a[2], i = 5;
atomic_int x;
void *other(void *p) {{ if (x) a[i] = 1; else assert(CLAIM); return 0; }}
{MAIN}"""
AFTERWARDS = f"""{HEAD}pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
atomic_int x;
void reach_error(void) {{ assert(0); }}
void *other(void *p) {{ pthread_rwlock_unlock(&l); reach_error(); return 0; }}
{MAIN}"""
TEXTS = {"locks": UNHELD, "memory": OUTSIDE}
ENGINES = pytest.mark.parametrize("engine", ["graphs", "states"])


@ENGINES
@pytest.mark.parametrize("name", TEXTS)
def test_what_is_not_asked_and_goes_wrong_leaves_no_answer(name: str, engine: str) -> None:
    text = SourceFile("text.c", TEXTS[name].replace("CLAIM", "1"))
    outcome = membar.check(text, model="sc", engine=engine, properties=("assertions",)).outcome
    assert isinstance(outcome, Unknown)
    assert outcome.reason.startswith(f"{name} was not selected, but is violated: ")


@ENGINES
@pytest.mark.parametrize("name", TEXTS)
def test_a_violation_beside_it_is_found(name: str, engine: str) -> None:
    text = SourceFile("text.c", TEXTS[name].replace("CLAIM", "0"))
    outcome = membar.check(text, model="sc", engine=engine, properties=("assertions",)).outcome
    assert isinstance(outcome, Violated)
    assert outcome.property == "assertions"


@pytest.mark.parametrize("properties", [("assertions",), ("races",), ("deadlock",), ("assertions", "races")])
def test_nothing_holds_of_what_comes_after_a_misuse(properties: tuple[str, ...]) -> None:
    assert membar.check(SourceFile("text.c", AFTERWARDS), properties=properties).verdict == "unknown"


def test_the_same_of_a_task_of_sv_comp(tmp_path: Path) -> None:
    asked = tmp_path / "unreach-call.prp"
    asked.write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )\n", encoding="utf-8")
    assert membar.check(SourceFile("text.c", AFTERWARDS), property_file=asked).verdict == "unknown"
