"""Text that options add to a program, so that errors in it point to the option."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from membar.diagnostics import Diagnostic, InputError, Label
from membar.records import record, replace
from membar.source import FileText, SourceFile, Span


@record(frozen=True, slots=True)
class Piece:
    """A stretch of an option's value: where it begins in the text, and where in the option."""

    start: int
    origin: int
    length: int


@record(frozen=True, slots=True)
class Insertion:
    """What one option added at the end of a text: its value, and its position there."""

    option: SourceFile
    pieces: tuple[Piece, ...]

    def span(self, place: Span) -> Span:
        """A place in the text, as a place in the option."""
        before = [piece for piece in self.pieces if piece.start < place.end] or self.pieces[:1]
        piece = before[-1]

        def at(offset: int) -> int:
            return piece.origin + min(max(offset - piece.start, 0), piece.length)

        return self.option.span(at(place.start), at(place.end))


def insertion(option: str, value: str, *, before: str, after: str) -> Insertion | None:
    """Where `value` is in the text `after`, which was made from `before` by adding it; None if nowhere."""
    name = value.path if isinstance(value, FileText) else f"--{option}"
    pieces = tuple(_pieces(value, after, len(before.rstrip())))
    return Insertion(SourceFile(name, value), pieces) if pieces else None


def _pieces(value: str, text: str, start: int) -> Iterator[Piece]:
    whole = text.find(value, start)
    if whole >= 0:
        yield Piece(whole, 0, len(value))
        return
    origin = 0
    for line in value.splitlines(keepends=True):
        said = line.partition("#")[0].strip()
        found = text.find(said, start) if said else -1
        if found >= 0:
            yield Piece(found, origin + line.index(said), len(said))
            start = found + len(said)
        origin += len(line)


def relocate(problem: InputError, text: SourceFile, end: int, insertions: Sequence[Insertion]) -> InputError:
    """The errors of a text; those after `end` are located in the options."""
    return InputError(*(_relocate(item, text, end, insertions) for item in problem.diagnostics))


def _relocate(item: Diagnostic, text: SourceFile, end: int, insertions: Sequence[Insertion]) -> Diagnostic:
    def relocate_label(label: Label) -> Label:
        place = label.span
        if place.source is not text or place.start < end:
            return label
        before = [each for each in insertions if each.pieces[0].start < place.end]
        return Label((before or list(insertions))[-1].span(place), label.text)

    primary = None if item.primary is None else relocate_label(item.primary)
    others = tuple(map(relocate_label, item.others))
    message = item.message
    if primary is not None and primary != item.primary and primary.span.start == primary.span.end:
        # What follows the option's value in the text is not the user's: for them the value ends here.
        message = re.sub(r"^unexpected `.*`$", "unexpected end of input", message)
    return replace(item, message=message, primary=primary, others=others)
