"""Edit sites: where a text can be made stronger or weaker, and the alternatives for `repair`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from membar.records import record, replace
from membar.source import SourceFile, Span


@record(frozen=True, slots=True)
class Edit:
    """`text` stands where `span` was."""

    span: Span
    text: str


@record(frozen=True, slots=True)
class Alternative:
    """One way a place can read.

    Attributes:
        name: what it is, as tables of costs and reports call it; empty if it is nothing.
        edits: how the text changes. What stands there now changes nothing; if it has edits all the same, they
            are made where another place's edits take away what it is written with.
        includes: the numbers of the place's alternatives that it is at least as strong as, itself included.
        own_name: what reports call it in words of the language, if that is not its name.
    """

    name: str
    edits: tuple[Edit, ...]
    includes: frozenset[int]
    own_name: str = ""


@record(frozen=True, slots=True, kw_only=True)
class EditSite:
    """A place of a text that can read in several ways, from the weakest to the strongest.

    Attributes:
        title: the place in words: `before line 7`, `the store in line 7`.
        span: where it is.
        alternatives: the first is the weakest, the last at least as strong as all; later ones are never
            included in earlier ones.
        current: the number of the one that stands there now.
        loops: how many loops of the text contain it.
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


def restrict(place: EditSite, numbers: Iterable[int]) -> EditSite:
    """A place with only some of its alternatives, the present one among them."""
    kept = sorted(numbers)
    return replace(
        place,
        alternatives=tuple(
            replace(
                place.alternatives[old],
                includes=frozenset(
                    kept.index(below) for below in place.alternatives[old].includes if below in kept
                ),
            )
            for old in kept
        ),
        current=kept.index(place.current),
    )


def apply_choice(
    source: SourceFile, places: Sequence[EditSite], choice: Choice, *, is_flat: bool = False
) -> SourceFile:
    """The text as chosen. Files that it includes are changed with it.

    `is_flat`: what is added begins no lines, so that everything else is in the line where it was.
    """
    edits: dict[str, list[Edit]] = {source.path: []}
    for edit in _edits(places, choice):
        edits.setdefault(edit.span.path, []).append(_flat(edit) if is_flat else edit)
    texts = {
        path: _with(source.text if path == source.path else found[0].span.source.text, found)
        for path, found in edits.items()
        if found
    }
    included = {
        **dict(source.replaced),
        **{path: text for path, text in texts.items() if path != source.path},
    }
    return replace(source, text=texts.get(source.path, source.text), replaced=tuple(sorted(included.items())))


def _flat(edit: Edit) -> Edit:
    """The edit with as many ends of lines as there were."""
    ends = "\n" * edit.span.text.count("\n")
    return Edit(edit.span, f"{' '.join(edit.text.splitlines())} {ends}" if edit.text else ends)


def _edits(places: Sequence[EditSite], choice: Choice) -> Iterator[Edit]:
    """The edits that a choice needs, place by place."""
    chosen = [
        (number != place.current, place.alternatives[number].edits)
        for place, number in zip(places, choice, strict=True)
    ]
    gone = {edit.span for is_changed, edits in chosen if is_changed for edit in edits if edit.span.text}
    for is_changed, edits in chosen:
        if is_changed or any(edit.span in gone for edit in edits):
            yield from edits


def _with(text: str, edits: Sequence[Edit]) -> str:
    """The text, changed; edits of one place stay in their order."""
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end)):
        parts += [text[at : edit.span.start], edit.text]
        at = edit.span.end
    return "".join([*parts, text[at:]])
