"""Promela: SPIN's language, and Linden and Wolper's `store`, `load` and `sync`. docs/reference/promela.md."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from membar.languages import Frontend

if TYPE_CHECKING:
    from membar.edits import Place
    from membar.program.program import Program
    from membar.source import SourceFile


def _parse(source: SourceFile) -> Program:
    from membar.languages.promela.translate import parse_promela  # noqa: PLC0415 - on demand

    return parse_promela(source)


def _with_error(text: str, asked: str) -> str:
    from membar.languages.promela.translate import with_error  # noqa: PLC0415 - on demand

    return with_error(text, asked)


def _places(source: SourceFile, program: Program) -> tuple[Place, ...]:
    from membar.languages.promela.places import places  # noqa: PLC0415 - on demand

    return places(source, program)


FRONTEND = Frontend(
    name="Promela",
    suffixes=(".pml", ".promela", ".prm"),
    parse=_parse,
    places=_places,
    with_error=_with_error,
    by_states=True,
    default_models=MappingProxyType({"Promela": "x86-tso"}),
    tags=MappingProxyType(
        {
            "MFENCE": "Waits until the own store buffer is empty: `fence`, atomic blocks, channels.",
            "FLUSH-ALL": "Waits until the store buffers of all processes are empty: `sync`.",
        }
    ),
)
