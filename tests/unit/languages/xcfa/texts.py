"""Short XCFA texts, and what comes of them."""

from __future__ import annotations

from collections.abc import Collection

import pytest

import membar
from membar.diagnostics import Diagnostic, InputError
from membar.languages.xcfa.translate import parse_xcfa
from membar.program.program import Program
from membar.questions.answer import Answer
from membar.questions.task import Options
from membar.source import SourceFile


def source(text: str) -> SourceFile:
    return SourceFile("test.xcfa", text)


def program(text: str) -> Program:
    return parse_xcfa(source(text))


def process(body: str, *, name: str = "p", more: str = "") -> str:
    """A process with one edge, from `a` to the final `b`; `more` stands beside its main procedure."""
    return straight(f"a -> b {{ {body} }}", name=name, more=more)


def straight(edges: str, *, name: str = "p", more: str = "") -> str:
    """A process with the locations `a` and `b` and the int `l`, the bool `t`."""
    return (
        f"process {name} {{ {more} main procedure run() {{ var l : int var t : bool "
        f"init loc a final loc b {edges} }} }}\n"
    )


def problems(text: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(InputError) as caught:
        program(text)
    return caught.value.diagnostics


def check(text: str, *, model: str = "sc", engine: str = "graphs", buffers: int | None = None) -> Answer:
    options = Options(buffers=buffers, buffers_chosen_by_user=buffers is not None)
    return membar.check(source(text), model=model, engine=engine, options=options)


def finals(text: str, *labels: str, model: str = "sc") -> set[tuple[int | str, ...]]:
    """The values that these places can have in the end."""
    result = membar.check(source(text), model=model, properties=())
    return {tuple(dict(state)[label] for label in labels) for state in result.outcome.run.outcomes}


def codes(found: Collection[Diagnostic]) -> list[str]:
    return [item.code for item in found]
