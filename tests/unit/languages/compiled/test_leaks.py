"""Memory that is never freed, through clang: a warning with its line, or a violation of `leaks` by name."""

from __future__ import annotations

import pytest

import membar
import tiers
from membar.source import SourceFile
from strategies.c_leak_cases import CASES, MAIN, NEW, OTHER
from strategies.compiled_code import needs_clang

pytestmark = needs_clang


@pytest.mark.parametrize("model", tiers.first(1, ["rc11", "sc"]))
@pytest.mark.parametrize(("body", "leaks"), tiers.rows(2, CASES))
def test_memory_that_is_never_freed_is_told(body: str, leaks: bool, model: str) -> None:  # noqa: FBT001 - a table
    found = membar.check(SourceFile("leak.c", OTHER + MAIN.format(body)), model=model)
    assert found.verdict.startswith("holds")
    assert ("memory-leak" in found.outcome.run.flags) == leaks
    assert any("is never freed" in note for note in found.outcome.run.notes) == leaks


def test_a_leak_does_not_hide_an_overflow() -> None:
    body = f"{NEW} free(n); n = malloc(sizeof *n); n->value = 2147483647; n->value = n->value + 1;"
    found = membar.check(SourceFile("leak.c", OTHER + MAIN.format(body)), model="sc")
    assert set(found.outcome.run.flags) == {"memory-leak", "signed-overflow"}


STARTED = "pthread_t t; pthread_create(&t, NULL, other, NULL);"
MAYBE = "if (__VERIFIER_nondet_bool())"


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        (f"{NEW} exit(0);", "violated"),
        (f"{NEW} free(n); exit(0);", "holds"),
        (f"{NEW} {MAYBE} exit(0); free(n);", "violated"),
        # Where a process ends whose threads still run, nobody knows what they would have freed.
        (f"{NEW} free(n); {STARTED} {MAYBE} pthread_join(t, NULL);", "holds-within"),
        (f"{NEW} free(n); {STARTED} {MAYBE} exit(0); pthread_join(t, NULL);", "violated"),
        (
            f"{NEW} {STARTED.replace('other', 'maybe')} {MAYBE} exit(0); pthread_join(t, NULL); free(n);",
            "holds-within",
        ),
        (f"{MAYBE} {{ {STARTED} pthread_join(t, NULL); }}", "violated"),
    ],
)
def test_every_end_of_the_process_counts(body: str, verdict: str) -> None:
    source = SourceFile("leak.c", OTHER + MAIN.format(body))
    found = membar.check(source, model="sc", properties=["leaks"])
    assert found.verdict == verdict


def test_leaks_beside_threads_that_still_run_are_reported_as_checked_in_part() -> None:
    text = """#include <pthread.h>
    #include <stdlib.h>
    void *run(void *unused) { return 0; }
    int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); malloc(4); return 0; }"""
    result = membar.check(SourceFile("case.c", text), model="sc")
    finding = result.outcome.run.finding("leaks")
    assert finding is not None
    assert finding.verdict.value == "holds-within"
    assert result.verdict == "holds"
