"""C programs read by clang instead of the C front end, for tests of the compiled front end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import membar
from membar.languages import c as old
from membar.languages import registry
from membar.languages.compiled.program import parse_compiled
from membar.records import replace
from membar.source import SourceFile


@contextmanager
def reading_by_clang() -> Iterator[None]:
    """C is read through the compiler meanwhile."""
    kept = old.FRONTEND
    old.FRONTEND = replace(kept, parse=parse_compiled)
    registry._frontend.cache_clear()
    try:
        yield
    finally:
        old.FRONTEND = kept
        registry._frontend.cache_clear()


def said_through_clang(text: str, model: str = "sc") -> str:
    """The verdict about a program, or the property and message of what is wrong."""
    with reading_by_clang():
        found = membar.check(SourceFile("case.c", text), model=model)
    if found.verdict != "violated":
        return found.verdict
    assert found.witness is not None
    return f"{getattr(found.outcome, 'property', '')}: {found.witness.message}"
