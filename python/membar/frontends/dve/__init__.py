"""DVE, the language of DiVinE and BEEM: processes of states and transitions. docs/reference/dve.md."""

from __future__ import annotations

from types import MappingProxyType

from membar.frontends import Frontend
from membar.program.program import Program
from membar.source import SourceFile


def _parse(source: SourceFile) -> Program:
    from membar.frontends.dve.translate import parse_dve  # noqa: PLC0415 - on demand

    return parse_dve(source)


def _with_error(text: str, asked: str) -> str:
    from membar.frontends.dve.translate import with_error  # noqa: PLC0415 - on demand

    return with_error(text, asked)


FRONTEND = Frontend(
    name="DVE",
    suffixes=(".dve",),
    parse=_parse,
    with_error=_with_error,
    by_states=True,
    default_models=MappingProxyType({"DVE": "x86-tso"}),
    tags=MappingProxyType({}),
)
