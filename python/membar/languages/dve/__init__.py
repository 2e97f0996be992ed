"""DVE, the language of DiVinE and BEEM: processes of states and transitions. docs/reference/dve.md."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import TYPE_CHECKING

from membar.languages import Frontend

if TYPE_CHECKING:
    from membar.edits import Place
    from membar.program.program import Program
    from membar.source import SourceFile


def _parse(source: SourceFile) -> Program:
    from membar.languages.dve.translate import parse_dve  # noqa: PLC0415 - on demand

    return parse_dve(source)


def _adding(name: str) -> Callable[[str, str], str]:
    """The function of `translate` called `name`, imported when it is used."""

    def add(text: str, value: str) -> str:
        from membar.languages.dve import translate  # noqa: PLC0415 - on demand

        adding: Callable[[str, str], str] = getattr(translate, name)
        return adding(text, value)

    return add


def _places(source: SourceFile, program: Program) -> tuple[Place, ...]:
    from membar.languages.dve.places import places  # noqa: PLC0415 - on demand

    return places(source, program)


FRONTEND = Frontend(
    name="DVE",
    suffixes=(".dve",),
    parse=_parse,
    places=_places,
    with_error=_adding("with_error"),
    with_claim=_adding("with_claim"),
    with_option=MappingProxyType(
        {
            "dve-errors": _adding("with_errors"),
            "atomic": _adding("with_atomics"),
            "atomic-rule": _adding("with_atomic_rule"),
        }
    ),
    by_states=True,
    default_models=MappingProxyType({"DVE": "x86-tso"}),
    tags=MappingProxyType(
        {
            "ATOMIC": "A write that waits for its own store buffer and goes to memory at once.",
            "ATOMIC-ALL": "A write that waits for all store buffers and goes to memory at once.",
            "SC-ONLY": "A write that has no meaning with store buffers (legacy run-time errors).",
        }
    ),
)
