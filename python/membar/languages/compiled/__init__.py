"""C11 with threads, read by a compiler: clang writes LLVM IR, membar reads that. docs/reference/c.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from membar.languages import Frontend, default_models
from membar.languages._c_tags import TAGS

if TYPE_CHECKING:
    from membar.program.program import Program
    from membar.program.template import Template
    from membar.source import SourceFile
    from membar.text.edits import EditSite


def _parse(source: SourceFile) -> Program:
    from membar.languages.compiled import program_cache  # noqa: PLC0415 - on demand

    found = program_cache.find(source)
    if found is not None:
        return found
    from membar.languages.compiled.program import parse_compiled  # noqa: PLC0415 - most of the time

    return parse_compiled(source)


def _edit_sites(source: SourceFile, program: Program) -> tuple[EditSite, ...]:
    from membar.languages.compiled.edit_sites import edit_sites  # noqa: PLC0415 - on demand

    return edit_sites(source, program)


def _configurations(source: SourceFile) -> tuple[tuple[str, ...], ...]:
    from membar.languages.compiled.configurations import configurations  # noqa: PLC0415 - on demand

    return configurations(source)


def _copies(source: SourceFile, macro: str) -> Template:
    from membar.languages.compiled.program_template import parse_any_threads  # noqa: PLC0415 - on demand

    return parse_any_threads(source, macro)


FRONTEND = Frontend(
    name="C",
    parse=_parse,
    edit_sites=_edit_sites,
    configurations=_configurations,
    template=_copies,
    default_models=default_models("C"),
    tags=TAGS,
)
