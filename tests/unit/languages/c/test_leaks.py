"""Memory that is never freed is a warning: a flag and a note with its line, never a verdict."""

from __future__ import annotations

import pytest

import membar
from membar.source import SourceFile
from strategies.c_leak_cases import CASES, MAIN, NEW, OTHER


@pytest.mark.parametrize("model", ["sc", "rc11"])
@pytest.mark.parametrize(("body", "leaks"), CASES)
def test_memory_that_is_never_freed_is_told(body: str, leaks: bool, model: str) -> None:  # noqa: FBT001 - a table
    found = membar.check(SourceFile("leak.c", OTHER + MAIN.format(body)), model=model)
    assert found.verdict.startswith("holds")
    assert ("memory-leak" in found.outcome.run.flags) == leaks
    assert any("is never freed" in note for note in found.outcome.run.notes) == leaks


def test_a_leak_does_not_hide_an_overflow() -> None:
    body = f"{NEW} free(n); n = malloc(sizeof *n); n->value = 2147483647; n->value = n->value + 1;"
    found = membar.check(SourceFile("leak.c", OTHER + MAIN.format(body)), model="sc")
    assert set(found.outcome.run.flags) == {"memory-leak", "signed-overflow"}
