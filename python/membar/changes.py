"""Where a text can be made stronger or weaker, and what it reads then: what `repair` chooses among."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from membar.source import SourceFile, Span


class Edit(NamedTuple):
    """`text` stands where `span` was."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way a place can read.

    Attributes:
        name: what it is, as tables of costs and reports call it; empty if it is nothing.
        edits: how the text changes.
        includes: the numbers of the place's alternatives that it is at least as strong as, itself included.
    """

    name: str
    edits: tuple[Edit, ...]
    includes: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place of a text that can read in several ways, from the weakest to the strongest.

    Attributes:
        title: the place in words: `before line 7`, `the store in line 7`.
        span: where it is.
        alternatives: the first is the weakest, the last at least as strong as all; later ones are never
            included in earlier ones.
        current: the number of the one that stands there now.
        loops: how many loops of the text it is inside of.
        location: the shared variable, where the place is about one write of it.
    """

    title: str
    span: Span
    alternatives: tuple[Alternative, ...]
    current: int = 0
    loops: int = 0
    location: str | None = None

    @property
    def strongest(self) -> int:
        """The number of the alternative that is at least as strong as all."""
        return len(self.alternatives) - 1


# One alternative's number per place.
Choice: TypeAlias = tuple[int, ...]


def alternatives(
    readings: Sequence[tuple[str, tuple[Edit, ...]]], weaker: Sequence[Iterable[int]]
) -> tuple[Alternative, ...]:
    """Alternatives by name and edits, with what each is stronger than (besides the first and itself)."""
    return tuple(
        Alternative(name, edits, frozenset({0, number, *below}))
        for number, ((name, edits), below) in enumerate(zip(readings, weaker, strict=True))
    )


def edited(source: SourceFile, places: Sequence[Place], choice: Choice) -> SourceFile:
    """The text as chosen. Files that it includes are changed with it."""
    edits: dict[str, list[Edit]] = {source.path: []}
    for place, number in zip(places, choice, strict=True):
        if number != place.current:
            for edit in place.alternatives[number].edits:
                edits.setdefault(edit.span.path, []).append(edit)
    texts = {path: _with(found) for path, found in edits.items() if found}
    included = {
        **dict(source.replaced),
        **{path: text for path, text in texts.items() if path != source.path},
    }
    return SourceFile(
        source.path,
        texts.get(source.path, source.text),
        source.defines,
        source.include_dirs,
        tuple(sorted(included.items())),
    )


def _with(edits: Sequence[Edit]) -> str:
    """The text of the edits' file, changed; edits of one place stay in their order."""
    text = edits[0].span.source.text
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end)):
        parts += [text[at : edit.span.start], edit.text]
        at = edit.span.end
    return "".join([*parts, text[at:]])
