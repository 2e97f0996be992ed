"""Short DVE texts, and what comes of them."""

from __future__ import annotations

from collections.abc import Collection

import pytest

import membar
from membar.diagnostics import Diagnostic, InputError
from membar.languages.dve.parser import parse_module
from membar.languages.dve.syntax import Module
from membar.languages.dve.translate import parse_dve
from membar.program.program import Program
from membar.program.validate import validate
from membar.questions.answer import Answer
from membar.questions.outcome import Explored
from membar.questions.task import Options
from membar.source import SourceFile


def source(text: str) -> SourceFile:
    return SourceFile("test.dve", text)


def module(text: str) -> Module:
    return parse_module(source(text))


def program(text: str) -> Program:
    found = parse_dve(source(text))
    validate(found)
    return found


def process(body: str = "", *, name: str = "P", local: str = "", head: str = "") -> str:
    """A process with the states `a` and `b` and one transition between them."""
    return f"process {name} {{ {local} state a, b; init a; {head} trans a -> b {{ {body} }}; }}\n"


def whole(*parts: str, system: str = "system async;") -> str:
    return "".join(parts) + system


def problems(text: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(InputError) as caught:
        program(text)
    return caught.value.diagnostics


def codes(found: Collection[Diagnostic]) -> list[str]:
    return [item.code for item in found]


def check(
    text: str,
    *properties: str,
    model: str = "sc",
    buffers: int = 1,
    engine: str = "reference",
    error: str | None = None,
) -> Answer:
    options = Options(buffers=buffers, buffers_chosen_by_user=True)
    return membar.check(
        source(text), model=model, engine=engine, properties=properties, options=options, error=error
    )


def size(text: str, *, model: str = "sc", buffers: int = 1) -> tuple[int, int]:
    """The numbers of states and of transitions."""
    outcome = check(text, model=model, buffers=buffers).outcome
    assert isinstance(outcome, Explored)
    statistics = outcome.run.statistics
    return statistics.states or 0, statistics.transitions or 0
