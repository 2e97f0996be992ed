"""Litmus texts for tests, and what went wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from membar.diagnostics import InputError
from membar.languages.litmus.header import read_test
from membar.languages.litmus.test import LitmusTest
from membar.source import SourceFile

Found: TypeAlias = tuple[str, int, int]
"""Code, line and column of a diagnostic."""


def source(text: str) -> SourceFile:
    """A file with this text."""
    return SourceFile("test.litmus", text)


def read(text: str) -> LitmusTest:
    """The parts of a test."""
    return read_test(source(text))


def found_in(action: Callable[[], object]) -> list[Found]:
    """Where the diagnostics of a failing `action` are."""
    with pytest.raises(InputError) as caught:
        action()
    places: list[Found] = []
    for diagnostic in caught.value.diagnostics:
        assert diagnostic.message
        assert diagnostic.primary is not None
        span = diagnostic.primary.span
        places.append((diagnostic.code, span.line, span.column))
    return places


def message_of(action: Callable[[], object]) -> str:
    """The text of the first diagnostic of a failing `action`."""
    with pytest.raises(InputError) as caught:
        action()
    return caught.value.diagnostics[0].message
