"""Concurrent objects (`.obj`): operations as code, what each means in one step, and annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from membar.languages import ObjectFrontend

if TYPE_CHECKING:
    from membar.objects.syntax import ConcurrentObject
    from membar.source import SourceFile


def parse(source: SourceFile) -> ConcurrentObject:
    """The object that a text means; raises `InputError` with every problem found."""
    from membar.languages.objects.parser import parse_text  # noqa: PLC0415 - on demand

    return parse_text(source)


FRONTEND = ObjectFrontend(name="object", suffixes=(".obj",), parse=parse, default_model="x86-tso")
