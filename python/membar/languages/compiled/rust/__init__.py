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
    from membar.text.edits import Place

_NAME: Final = "Rust"


def _places(source: SourceFile, program: Program) -> tuple[Place, ...]:
    from membar.languages.compiled.places_in_syntax import places_in_syntax  # noqa: PLC0415 - on demand

    return places_in_syntax(source, program, _NAME)


FRONTEND = replace(
    C, name=_NAME, default_models=default_models(_NAME), places=_places, template=None, configurations=None
)
