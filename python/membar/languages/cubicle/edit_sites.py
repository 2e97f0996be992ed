"""Where a system of weak memory can be stronger: a fence in the guard of a transition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from membar.languages.cubicle.parser import parse_text
from membar.languages.cubicle.syntax import TransitionSyntax
from membar.languages.cubicle.tokens import tokenize
from membar.source import SourceFile
from membar.text.edits import Edit, EditSite, alternatives
from membar.text.tokens import Token

_FENCE: Final = "fence()"


def edit_sites(source: SourceFile) -> tuple[EditSite, ...]:
    """A place per transition that has a guard and no fence in it."""
    tokens = tokenize(source)
    found = (_place(source, transition, tokens) for transition in parse_text(source).transitions)
    return tuple(place for place in found if place is not None)


def _place(source: SourceFile, transition: TransitionSyntax, tokens: Sequence[Token]) -> EditSite | None:
    span = transition.span
    own = [token for token in tokens if span.start <= token.span.start < span.end]
    words = [token.text for token in own]
    if "requires" not in words:
        return None
    start = words.index("{", words.index("requires"))
    end = words.index("}", start)
    if end == start + 1 or "fence" in words[start:end]:
        return None
    first, closing = own[start + 1].span.start, own[end].span.start
    edits: tuple[Edit, ...] = (Edit(source.span(first, first), f"{_FENCE} && "),)
    if "||" in words[start:end]:
        edits = (
            Edit(source.span(first, first), f"{_FENCE} && ("),
            Edit(source.span(closing, closing), ") "),
        )
    requires = own[words.index("requires")].span
    return EditSite(
        title=f"in the guard of {transition.name.text} in line {requires.line}",
        span=requires.to(own[start].span),
        alternatives=alternatives([("", ()), ("fence", edits)], [(), ()]),
    )
