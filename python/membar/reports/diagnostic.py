"""Diagnostics as text: the message, the place with the offending text underlined, the help."""

from __future__ import annotations

from collections.abc import Sequence

from membar.diagnostics import Diagnostic, InputError, Label
from membar.records import record, replace
from membar.reports._parts.style import paint, printable, width
from membar.source import SourceFile, Span

TAB = 4
SPREAD = 4  # lines shown of a longer span: the first ones and the last


@record(frozen=True, slots=True)
class _Row:
    """A source line with what is underlined on it: display columns `start` … `end` (not included)."""

    number: int
    text: str
    start: int
    end: int
    note: str
    primary: bool


MOST = 50  # errors of one file that are shown


def render(item: Diagnostic, *, color: bool = False, columns: int = 100, word: str = "error") -> str:
    """One diagnostic as lines of text, ended by a newline."""
    head = paint(f"{word}[{item.code}]", "error", color=color) + paint(
        f": {printable(item.message)}", "bold", color=color
    )
    lines = [head]
    labels = ([item.primary] if item.primary else []) + list(item.others)
    margin = max((len(str(_last_line(label.span))) for label in labels), default=1)
    for source, first, group in _by_file(labels):
        line, column = source.position(first.start)
        arrow = paint(" " * margin + "-->", "place", color=color)
        lines.append(f"{arrow} {source.path}:{line}:{column}")
        if not source.is_shown:
            continue
        rows = [row for label in group for row in _rows(label, primary=label is item.primary)]
        lines += _excerpt(sorted(rows, key=lambda r: (r.number, r.start)), margin, color, columns)
    if item.help:
        mark = paint(" " * (margin + 1) + "=", "place", color=color)
        text = [printable(part) for part in item.help.splitlines()]
        lines.append(f"{mark} {paint('help', 'help', color=color)}: {text[0]}")
        lines += [" " * (margin + 9) + more for more in text[1:]]
    return "\n".join(lines) + "\n"


def render_error(problem: InputError, *, color: bool = False, columns: int = 100) -> str:
    """Every diagnostic of an input error, with an empty line between them."""
    shown = [render(item, color=color, columns=columns) for item in problem.diagnostics[:MOST]]
    left = len(problem.diagnostics) - MOST
    return "\n".join(shown) + (f"\nand {left} more error{'s' if left > 1 else ''}\n" if left > 0 else "")


def render_warnings(warnings: Sequence[Diagnostic], *, color: bool = False) -> str:
    """Diagnostics that do not keep the input from being used."""
    return "\n".join(render(item, color=color, word="warning") for item in warnings)


def _by_file(labels: list[Label]) -> list[tuple[SourceFile, Span, list[Label]]]:
    """The labels file by file, each with the span that its heading names (the first label given)."""
    groups: list[tuple[SourceFile, Span, list[Label]]] = []
    for label in labels:
        for source, _, group in groups:
            if source is label.span.source:
                group.append(label)
                break
        else:
            groups.append((label.span.source, label.span, [label]))
    return groups


def _last_line(span: Span) -> int:
    """The line of the span's last character."""
    return span.source.position(max(span.start, span.end - 1))[0]


def _rows(label: Label, *, primary: bool) -> list[_Row]:
    """The lines a label underlines; the note stands at the last of them."""
    span = label.span
    first, last = span.line, _last_line(span)
    numbers = list(range(first, last + 1))
    if len(numbers) > SPREAD:
        numbers = [*numbers[: SPREAD - 1], last]
    rows: list[_Row] = []
    for number in numbers:
        raw = span.source.line(number)
        begin = span.source.line_starts[number - 1]
        left = max(span.start - begin, 0) if number == first else len(raw) - len(raw.lstrip())
        right = min(span.end - begin, len(raw)) if number == last else len(raw)
        left = min(left, len(raw))
        shown = printable(raw)
        start = width(expand(shown[:left]))
        end = max(width(expand(shown[:right])), start + 1)
        rows.append(_Row(number, expand(shown), start, end, "", primary))
    return [*rows[:-1], replace(rows[-1], note=label.text)]


def expand(text: str) -> str:
    """`text` with tabs as blanks up to the next multiple of `TAB` columns."""
    if "\t" not in text:
        return text
    out: list[str] = []
    column = 0
    for c in text:
        piece = " " * (TAB - column % TAB) if c == "\t" else c
        out.append(piece)
        column += width(piece)
    return "".join(out)


def _excerpt(rows: list[_Row], margin: int, color: bool, columns: int) -> list[str]:  # noqa: FBT001
    """The source lines with their underlines."""
    bar = paint(" " * (margin + 1) + "|", "place", color=color)
    lines = [bar]
    previous = 0
    text, shift = "", 0
    for row in rows:
        if row.number != previous:
            if previous and row.number > previous + 1:
                lines.append(paint("...", "place", color=color))
            gutter = paint(f"{row.number:>{margin}} |", "place", color=color)
            text, shift = _window(row, columns - margin - 3)
            lines.append(f"{gutter} {text}".rstrip())
        previous = row.number
        sign, role = ("^", "error") if row.primary else ("-", "place")
        start = max(row.start + shift, 0)
        length = max(min(row.end + shift, width(text)) - start, 1)
        note = f" {printable(row.note)}" if row.note else ""
        lines.append(f"{bar} {' ' * start}{paint(sign * length + note, role, color=color)}")
    return lines


def _window(row: _Row, columns: int) -> tuple[str, int]:
    """The part of a very long line around what is underlined, and how far its columns moved."""
    columns = max(columns, 20)
    if width(row.text) <= columns:
        return row.text, 0
    offset = 0 if row.end <= columns - 3 else max(row.start - columns // 3, 0)
    before = "..." if offset else ""
    shown = columns - len(before) - 3
    after = "..." if offset + shown < len(row.text) else ""
    return before + row.text[offset : offset + shown] + after, len(before) - offset
