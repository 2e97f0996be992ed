"""Where a system of weak memory can be stronger: a fence in the guard of a transition."""

from __future__ import annotations

import re
from typing import Final

from membar.changes import Edit, Place, alternatives
from membar.frontends.cubicle.parser import parse_text
from membar.frontends.cubicle.syntax import TransitionSyntax
from membar.source import SourceFile

_FENCE: Final = "fence()"
_GUARD: Final = re.compile(r"\brequires\s*\{\s*")


def places(source: SourceFile) -> tuple[Place, ...]:
    """A place per transition that has a guard and no fence in it."""
    found = (_place(source, transition) for transition in parse_text(source).transitions)
    return tuple(place for place in found if place is not None)


def _place(source: SourceFile, transition: TransitionSyntax) -> Place | None:
    end = transition.span.end
    guard = _GUARD.search(source.text, transition.span.start, end)
    if guard is None or _FENCE in re.sub(r"\s", "", source.text[guard.start() : end]):
        return None
    closing = source.text.find("}", guard.end(), end)
    edits: tuple[Edit, ...] = (Edit(source.span(guard.end(), guard.end()), f"{_FENCE} && "),)
    if "||" in source.text[guard.end() : closing]:
        edits = (
            Edit(source.span(guard.end(), guard.end()), f"{_FENCE} && ("),
            Edit(source.span(closing, closing), ") "),
        )
    line = source.position(guard.start())[0]
    return Place(
        title=f"in the guard of {transition.name.text} in line {line}",
        span=source.span(guard.start(), guard.end()),
        alternatives=alternatives([("", ()), ("fence", edits)], [(), ()]),
    )
