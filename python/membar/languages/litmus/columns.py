"""The code of an assembly test: a table with one column per thread."""

from __future__ import annotations

from membar.diagnostics import Diagnostic, InputError, Label, error
from membar.languages.litmus import codes
from membar.languages.litmus.scanner import without_comments
from membar.languages.litmus.test import Cell, Column, LitmusTest
from membar.source import SourceFile, Span, pattern

_LABEL = pattern(r"\s*([A-Za-z_.$][A-Za-z0-9_.$]*)\s*:(?!:)")
_THREAD = pattern(r"P([0-9]+)")


def columns(test: LitmusTest) -> tuple[Column, ...]:
    """The threads of an assembly body, in order.

    Raises:
        InputError: the header row is malformed, or rows have another number of columns.
    """
    text = without_comments(test.source, test.body.start, test.body.end)
    rows = _rows(test, text)
    if not rows:
        raise error(
            codes.COLUMNS,
            "the test has no code",
            _first_visible(test.source, test.question.start),
            "expected a row with the threads: `P0 | P1 ;`",
        )
    header, *body = rows
    _check_header(header)
    cells: list[list[Cell]] = [[] for _ in header]
    diagnostics: list[Diagnostic] = []
    for row in body:
        if len(row) != len(header):
            diagnostics.append(_wrong_width(row, len(header)))
            continue
        for column, cell in zip(cells, row, strict=True):
            if _holds_two_lines(cell):
                diagnostics.append(_missing_end(cell))
            if cell.text:
                column.append(cell)
    if diagnostics:
        raise InputError(*diagnostics)
    return tuple(
        Column(number, tuple(column), head.span.to(column[-1].span) if column else head.span)
        for number, (head, column) in enumerate(zip(header, cells, strict=True))
    )


def split_labels(cell: Cell) -> tuple[tuple[Cell, ...], Cell | None]:
    """The labels in front of an instruction, without their colons, and the rest if there is any."""
    labels: list[Cell] = []
    text, start, source = cell.text, cell.span.start, cell.span.source
    at = 0
    while match := _LABEL.match(text, at):
        labels.append(Cell(match[1], source.span(start + match.start(1), start + match.end(1))))
        at = match.end()
    if not labels:
        return (), cell if text else None
    rest = _trim_cell(source, text[at:], start + at)
    return tuple(labels), rest if rest.text else None


def _rows(test: LitmusTest, text: str) -> list[list[Cell]]:
    """The rows that end in `;`, each cut at `|`."""
    rows: list[list[Cell]] = []
    at, end = test.body.start, test.body.end
    while (stop := text.find(";", at, end)) >= 0:
        rows.append(_cells(test.source, text, at, stop))
        at = stop + 1
    if rest := text[at:end].strip():
        span = _trim_cell(test.source, text[at:end], at).span
        first_line = rest.split("\n", 1)[0]
        raise error(
            codes.COLUMNS,
            "this row does not end in `;`",
            test.source.span(span.start, span.start + len(first_line.rstrip())),
            "expected `;` at the end of the row",
        )
    return rows


def _cells(source: SourceFile, text: str, start: int, end: int) -> list[Cell]:
    cells: list[Cell] = []
    for part in text[start:end].split("|"):
        cells.append(_trim_cell(source, part, start))
        start += len(part) + 1
    return cells


def _trim_cell(source: SourceFile, part: str, start: int) -> Cell:
    """`part`, which stands at offset `start`, without surrounding blanks."""
    text = part.strip()
    begin = start + len(part) - len(part.lstrip()) if text else start
    return Cell(text, source.span(begin, begin + len(text)))


def _check_header(header: list[Cell]) -> None:
    """The first row must read `P0 | P1 | …`."""
    diagnostics: list[Diagnostic] = []
    for number, cell in enumerate(header):
        match = _THREAD.match(cell.text)
        if match and match.end() < len(cell.text):
            message = f"annotations of threads are not supported: `{cell.text}`"
            diagnostics.append(
                Diagnostic(
                    code=codes.UNSUPPORTED,
                    message=message,
                    primary=Label(cell.span, f"expected `P{number}` alone"),
                )
            )
        elif match is None or int(match[1]) != number:
            message = f"expected thread `P{number}`, found `{cell.text.splitlines()[0] if cell.text else ''}`"
            diagnostics.append(
                Diagnostic(
                    code=codes.COLUMNS,
                    message=message,
                    primary=Label(_visible(cell.span), f"expected `P{number}`"),
                    help="the code begins with a row that names the threads: `P0 | P1 ;`",
                )
            )
    if diagnostics:
        raise InputError(*diagnostics)


def _wrong_width(row: list[Cell], width: int) -> Diagnostic:
    several = "\n" in row[0].span.to(row[-1].span).text.strip()
    return Diagnostic(
        code=codes.COLUMNS,
        message=f"this row has {len(row)} column{'s' if len(row) != 1 else ''}, the test has {width}",
        primary=Label(
            _visible(row[0].span.to(row[-1].span)), f"expected {width} cells separated by `|`, then `;`"
        ),
        help="does the previous line end in `;`?" if several else None,
    )


def _holds_two_lines(cell: Cell) -> bool:
    """Whether the cell holds two lines of code; a label may stand on a line of its own."""
    before, newline, _ = cell.text.rpartition("\n")
    return bool(newline) and not before.rstrip().endswith(":")


def _missing_end(cell: Cell) -> Diagnostic:
    return Diagnostic(
        code=codes.COLUMNS,
        message="this line of code does not end in `;`",
        primary=Label(_visible(cell.span), "expected `;` at the end of the row"),
    )


def _visible(span: Span) -> Span:
    """`span` cut to its first line, at least one character wide."""
    text = span.text.split("\n", 1)[0]
    return span.source.span(span.start, span.start + max(len(text.rstrip()), 1))


def _first_visible(source: SourceFile, offset: int) -> Span:
    end = min(offset + 1, len(source.text))
    return source.span(min(offset, end), end)
