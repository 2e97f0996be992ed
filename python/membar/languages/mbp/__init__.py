"""membar's own program text (`.mbp`): the intermediate form as people read and write it.

docs/reference/program-text.md describes it; `membar.program.printer` writes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from membar.languages import Frontend

if TYPE_CHECKING:
    from membar.edits import Place
    from membar.program.program import Program
    from membar.source import SourceFile


def _parse(source: SourceFile) -> Program:
    from membar.languages.mbp.parser import parse_program  # noqa: PLC0415 - on demand

    return parse_program(source)


def _places(source: SourceFile, program: Program) -> tuple[Place, ...]:
    from membar.languages.mbp.places import places  # noqa: PLC0415 - on demand

    return places(source, program)


def _with_error(text: str, asked: str) -> str:
    return f"{text.rstrip()}\nerror {asked}\n"


def _with_claim(text: str, formula: str) -> str:
    return f"{text.rstrip()}\nclaim ltl : {formula}\n"


FRONTEND = Frontend(
    name="program text",
    suffixes=(".mbp",),
    parse=_parse,
    places=_places,
    default_models={},
    tags={},
    with_error=_with_error,
    with_claim=_with_claim,
)
