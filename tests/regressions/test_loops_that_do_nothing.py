"""A thread in a loop that does nothing spins forever; one in a loop that ends or works does not."""

from __future__ import annotations

import pytest

import membar
import tiers
from membar.questions.outcome import Violated
from membar.source import SourceFile

_HEAD = """#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
atomic_int x, y;
int __VERIFIER_nondet_int(void);
"""
_MAIN = "int main(void) { BODY return 0; }\n"
_BESIDE = """void *other(void *p) { OTHER return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, other, 0); BODY pthread_join(t, 0); return 0; }
"""


def _check(body: str, other: str | None = None, **options: object) -> membar.Answer:
    text = _MAIN if other is None else _BESIDE.replace("OTHER", other)
    source = SourceFile("text.c", _HEAD + text.replace("BODY", body))
    return membar.check(source, properties=["termination"], **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", ["graphs", "reference"])
@pytest.mark.parametrize(
    ("body", "other"),
    [
        ("while (1);", None),
        ("for (;;) atomic_thread_fence(memory_order_seq_cst);", None),
        ("int i = 1; while (i) {}", None),
        # Only if it reads what the other thread overwrites: it does not wait for that.
        ("if (x == 0) while (1);", "x = 1;"),
        ("", "if (x == 0) while (1);"),
        ("x = 1;", "if (x == 1) { y = 1; while (1); }"),
    ],
)
def test_a_loop_that_does_nothing_is_no_end(body: str, other: str | None, engine: str) -> None:
    outcome = _check(body, other, engine=engine, model="sc").outcome
    assert isinstance(outcome, Violated)
    assert outcome.property == "termination"


@pytest.mark.parametrize("engine", tiers.every(2, ["graphs", "reference"]))
@pytest.mark.parametrize(
    ("body", "other", "verdict"),
    [
        ("if (x == 1) while (1);", None, "holds"),
        ("for (int i = 0; i < 9; i++);", None, "holds"),
        ("while (1) { x = x + 1; }", None, "holds-within"),
        ("while (__VERIFIER_nondet_int());", None, "holds-within"),
        ("exit(0);", "while (1);", "holds"),
    ],
)
def test_a_loop_that_ends_or_works_is_none_of_these(
    body: str, other: str | None, verdict: str, engine: str
) -> None:
    assert _check(body, other, engine=engine, model="sc").verdict == verdict
