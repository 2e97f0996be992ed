"""Short Promela texts, and what comes of them."""

from __future__ import annotations

import pytest

import membar
from membar.diagnostics import Diagnostic, InputError
from membar.program.program import Program
from membar.questions.answer import Answer
from membar.questions.task import Options
from membar.source import SourceFile


def source(text: str) -> SourceFile:
    return SourceFile("test.pml", text)


def program(text: str) -> Program:
    return membar.parse(source(text))


def problems(text: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(InputError) as caught:
        program(text)
    return caught.value.diagnostics


def check(text: str, *, model: str = "sc", buffers: int | None = None, unbounded: bool = False) -> Answer:
    options = Options(
        buffers=buffers, buffers_chosen_by_user=buffers is not None, unbounded_buffers=unbounded
    )
    return membar.check(source(text), model=model, options=options)


def broken(text: str, *, model: str = "sc", buffers: int | None = None) -> str | None:
    """The property that is violated; None if nothing is."""
    result = check(text, model=model, buffers=buffers)
    assert result.verdict in ("holds", "violated", "holds-within"), result.outcome
    return getattr(result.outcome, "property", None)
