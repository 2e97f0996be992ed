"""XCFA: processes of procedures, each a control-flow automaton (Bajczi's thesis). docs/reference/xcfa.md."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from membar.languages import Frontend

if TYPE_CHECKING:
    from membar.program.program import Program
    from membar.source import SourceFile


def _parse(source: SourceFile) -> Program:
    from membar.languages.xcfa.translate import parse_xcfa  # noqa: PLC0415 - on demand

    return parse_xcfa(source)


def _with_error(text: str, asked: str) -> str:
    from membar.languages.xcfa.translate import with_error  # noqa: PLC0415 - on demand

    return with_error(text, asked)


FRONTEND = Frontend(
    name="XCFA",
    suffixes=(".xcfa",),
    parse=_parse,
    with_error=_with_error,
    default_models=MappingProxyType({"XCFA": "sc"}),
    tags=MappingProxyType({"MFENCE": "Orders everything before it with everything after it."}),
)
