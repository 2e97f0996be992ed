"""Cubicle's language (`.cub`), with its extension to weak memory: systems of any number of processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from membar.languages import SystemFrontend

if TYPE_CHECKING:
    from membar.edits import Place
    from membar.source import SourceFile
    from membar.systems.system import ParameterizedSystem


def parse(source: SourceFile) -> ParameterizedSystem:
    """The system that a text means; raises `InputError` with every problem found."""
    from membar.languages.cubicle.elaborate import elaborated  # noqa: PLC0415 - on demand
    from membar.languages.cubicle.parser import parse_text  # noqa: PLC0415 - on demand

    return elaborated(source, parse_text(source))


def _places(source: SourceFile) -> tuple[Place, ...]:
    from membar.languages.cubicle.places import places  # noqa: PLC0415 - on demand

    return places(source)


FRONTEND = SystemFrontend(
    name="Cubicle",
    suffixes=(".cub",),
    parse=parse,
    places=_places,
    default_model=lambda system: "x86-tso" if system.is_weak else "sc",
)
