"""C11 with threads: <stdatomic.h>, pthreads, <threads.h>, GCC's atomics. docs/reference/c.md."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from membar.languages import Frontend, default_models
from membar.languages._c_tags import TAGS

if TYPE_CHECKING:
    from membar.edits import Place
    from membar.program.program import Program
    from membar.program.template import Template
    from membar.source import SourceFile


# For development: `MEMBAR_C=clang` has a compiler read all C, also what the parser of membar can read.
_READ_BY_CLANG = os.environ.get("MEMBAR_C") == "clang"


def _is_read_by_clang(source: SourceFile) -> bool:
    is_compiled = source.compiler is not None and source.compiler.is_given
    is_client = "__membar_mark" in source.text  # see `objects/client.py`
    return _READ_BY_CLANG or is_compiled or is_client or not source.path.endswith(".c")


def _parse(source: SourceFile) -> Program:
    if _is_read_by_clang(source):
        from membar.languages.compiled.program import parse_compiled  # noqa: PLC0415 - on demand

        return parse_compiled(source)
    from membar.languages.c.translate import parse_c  # noqa: PLC0415 - the parsers are heavy

    return parse_c(source)


def _places(source: SourceFile, program: Program) -> tuple[Place, ...]:
    if _is_read_by_clang(source):
        from membar.languages.compiled.places import places as compiled_places  # noqa: PLC0415 - on demand

        return compiled_places(source, program)
    from membar.languages.c.places import places  # noqa: PLC0415 - on demand

    return places(source, program)


def _configurations(source: SourceFile) -> tuple[tuple[str, ...], ...]:
    from membar.languages.compiled.configurations import configurations  # noqa: PLC0415 - on demand

    return configurations(source)


def _copies(source: SourceFile, macro: str) -> Template:
    from membar.languages.compiled.copies import parse_copies  # noqa: PLC0415 - on demand

    return parse_copies(source, macro)


FRONTEND = Frontend(
    name="C",
    suffixes=(".c", ".i", ".ll", ".bc"),
    parse=_parse,
    places=_places,
    configurations=_configurations,
    template=_copies,
    default_models=default_models("C"),
    tags=TAGS,
)
