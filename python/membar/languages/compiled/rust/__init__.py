"""Rust with threads, read by rustc: the crates that take the place of `std`, the runtime, and names.

docs/reference/rust.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from membar.languages import default_models
from membar.languages.compiled import FRONTEND as C
from membar.records import replace

if TYPE_CHECKING:
    from membar.program.program import Program
    from membar.source import SourceFile
    from membar.text.edits import EditSite

_NAME: Final = "Rust"


def _edit_sites(source: SourceFile, program: Program) -> tuple[EditSite, ...]:
    from membar.languages.compiled.edit_sites_in_syntax import edit_sites_in_syntax  # noqa: PLC0415 - on demand

    return edit_sites_in_syntax(source, program, _NAME)


FRONTEND = replace(
    C,
    name=_NAME,
    default_models=default_models(_NAME),
    edit_sites=_edit_sites,
    template=None,
    configurations=None,
)
