"""Styled text: pieces with a role each, measured in terminal columns and painted last.

Layout happens on plain text, so that a pipe and a terminal show the same thing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter

from membar.records import record

_CODES = {
    "": "",
    "bold": "1",
    "dim": "2",
    "error": "1;31",
    "good": "1;32",
    "bad": "1;31",
    "warn": "1;33",
    "place": "1;34",
    "help": "1;36",
    "read": "32",
    "write": "34",
    "strange": "1;31",
}


@record(frozen=True, slots=True)
class Signs:
    """The signs of a drawing: box lines and arrows."""

    vertical: str
    horizontal: str
    cross: str
    read: str
    write: str
    mark: str


_FIRST_COMBINING = "\N{COMBINING GRAVE ACCENT}"  # before it, no character is wide or combines with another
GLUE = "\N{NO-BREAK SPACE}"  # a blank at which lines are not broken

UNICODE = Signs("│", "─", "┼", "→", "←", "▲")
ASCII = Signs("|", "-", "+", "->", "<-", "^")


def width(text: str) -> int:
    """Terminal columns that `text` takes: wide characters two, combining ones none."""
    if text.isascii() or max(text) < _FIRST_COMBINING:
        return len(text)
    import unicodedata  # noqa: PLC0415 - few texts need it

    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def printable(text: str) -> str:
    """`text` with control characters replaced, so that it cannot move the cursor or break a table."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in text)


def paint(text: str, role: str, *, color: bool) -> str:
    """`text` in the colour of its role, if there are colours."""
    code = _CODES[role]
    return f"\x1b[{code}m{text}\x1b[0m" if color and code and text else text


def unpainted(text: str) -> str:
    """`text` without colours."""
    import re  # noqa: PLC0415 - few texts need it

    return re.sub("\x1b\\[[0-9;]*m", "", text)


@record(frozen=True, slots=True)
class Line:
    """One line of pieces, each a text with the name of its role."""

    pieces: tuple[tuple[str, str], ...] = ()

    @property
    def width(self) -> int:
        """Terminal columns of the whole line."""
        return sum(width(text) for text, _ in self.pieces)

    def pad(self, columns: int) -> Line:
        """The line filled up with blanks to `columns`."""
        missing = columns - self.width
        return Line((*self.pieces, (" " * missing, ""))) if missing > 0 else self

    def render(self, *, color: bool) -> str:
        """The line as text without trailing blanks and control characters."""
        if not color:
            return printable("".join([text for text, _ in self.pieces]).rstrip().replace(GLUE, " "))
        pieces = _strip_line(self.pieces).pieces
        merged = ((role, "".join(t for t, _ in run)) for role, run in groupby(pieces, key=itemgetter(1)))
        return "".join(paint(printable(text.replace(GLUE, " ")), role, color=color) for role, text in merged)


EMPTY = Line()


def line(*pieces: str | tuple[str, str]) -> Line:
    """A line from plain texts and (text, role) pairs."""
    return Line(tuple((p, "") if isinstance(p, str) else p for p in pieces))


def join(lines: Iterable[Line], *, color: bool) -> str:
    """The lines as one text that ends with a newline (nothing for no lines)."""
    return "".join(item.render(color=color) + "\n" for item in lines)


def wrap(item: Line, columns: int, *, indent: int = 2) -> list[Line]:
    """`item` broken at blanks (or inside words that are too long) to lines of at most `columns`.

    Continuation lines are indented; pieces keep their roles.
    """
    columns = max(columns, indent + 4)
    result: list[Line] = []
    current: list[tuple[str, str]] = []
    used = 0

    def flush() -> None:
        nonlocal current, used
        result.append(_strip_line(current))
        current, used = [(" " * indent, "")], indent

    for text, role in item.pieces:
        for word in _words(text):
            rest = word
            if used + width(rest.rstrip()) > columns and used > indent:
                flush()
                rest = rest.lstrip()
            while used + width(rest.rstrip()) > columns:
                head, rest = _cut(rest, columns - used)
                current.append((head, role))
                flush()
            if rest:
                current.append((rest, role))
                used += width(rest)
    if used > indent or not result:
        result.append(_strip_line(current))
    return result


def _strip_line(pieces: Sequence[tuple[str, str]]) -> Line:
    """The pieces as a line without trailing blanks."""
    kept = list(pieces)
    while kept and not kept[-1][0].strip():
        kept.pop()
    if kept:
        kept[-1] = (kept[-1][0].rstrip(), kept[-1][1])
    return Line(tuple(kept))


def _words(text: str) -> list[str]:
    """The words of `text`, each with the blanks after it (leading blanks are a word)."""
    words: list[str] = []
    for c in text:
        if not words or (words[-1][-1] == " " and c != " "):
            words.append(c)
        else:
            words[-1] += c
    return words


def _cut(text: str, columns: int) -> tuple[str, str]:
    """`text` in two, the first part (at least one character) as wide as fits in `columns`."""
    used = 0
    for index, c in enumerate(text):
        used += width(c)
        if used > columns:
            end = max(index, 1)
            # After a punctuation mark, if there is one in the second half.
            marks = (max(text.rfind(mark, end // 2, end) for mark in group) + 1 for group in ("(,;", "_"))
            end = next((mark for mark in marks if mark), end)
            return text[:end], text[end:]
    return text, ""
