"""Tables for people: one column per thread, time downwards, within a given width."""

from __future__ import annotations

from collections.abc import Sequence

from membar.records import record
from membar.reports._parts.style import EMPTY, Line, Signs, line, width, wrap

NARROWEST = 14  # columns below which a thread's column is no longer legible
MOST_LINES = 2  # lines that a source text may take in its column


@record(frozen=True, slots=True)
class Cell:
    """What a thread does at one moment: its text, what that does to memory, and remarks under it."""

    column: int
    text: Line
    effect: Line = EMPTY
    remarks: tuple[Line, ...] = ()

    def main(self, text_width: int = 0) -> Line:
        """Text and effect on one line, the effect after `text_width` columns."""
        if not self.effect.pieces:
            return self.text
        return Line((*self.text.pad(text_width).pieces, ("  ", ""), *self.effect.pieces))


def thread_table(heads: Sequence[str], cells: Sequence[Cell], *, columns: int, signs: Signs) -> list[Line]:
    """The table, at most `columns` wide; a plain list where that many columns do not fit."""
    frame = 3 * (len(heads) - 1) + 2
    if len(heads) * NARROWEST + frame > columns:
        return _list(heads, cells, columns)
    texts = [max([0, *(c.text.width for c in cells if c.column == i)]) for i in range(len(heads))]
    wanted = [
        max([width(h), *(_width(c, texts[i]) for c in cells if c.column == i)]) for i, h in enumerate(heads)
    ]
    widths = _shares(wanted, columns - frame)
    if any(len(wrap(cell.text, widths[cell.column])) > MOST_LINES for cell in cells):
        return _list(heads, cells, columns)
    texts = [text if widths[i] >= wanted[i] else 0 for i, text in enumerate(texts)]
    bar = f" {signs.vertical} "

    def row(parts: Sequence[Line]) -> Line:
        pieces: list[tuple[str, str]] = [(" ", "")]
        for index, part in enumerate(parts):
            pieces += [(bar, "dim")] if index else []
            pieces += part.pad(widths[index]).pieces
        return Line(tuple(pieces))

    rule = f"{signs.horizontal}{signs.cross}{signs.horizontal}".join(signs.horizontal * w for w in widths)
    result = [
        row([line((head, "bold")) for head in heads]),
        line((signs.horizontal + rule + signs.horizontal, "dim")),
    ]
    for cell in cells:
        body = _cell_lines(cell, widths[cell.column], texts[cell.column])
        for part in body:
            row_parts = [Line()] * len(heads)
            row_parts[cell.column] = part
            result.append(row(row_parts))
    return result


def _width(cell: Cell, text_width: int) -> int:
    """Columns a cell needs without wrapping."""
    return max([cell.main(text_width).width, *(remark.width + 2 for remark in cell.remarks)])


def _cell_lines(cell: Cell, columns: int, text_width: int = 0) -> list[Line]:
    """The lines of a cell; what does not fit on one line is told under it, remarks always."""
    main = cell.main(text_width)
    if main.width <= columns:
        body = [main]
    else:
        body = wrap(cell.text, columns)
        if cell.effect.pieces:
            body += [Line((("  ", ""), *part.pieces)) for part in wrap(cell.effect, columns - 2, indent=0)]
    for remark in cell.remarks:
        body += [Line((("  ", ""), *part.pieces)) for part in wrap(remark, columns - 2, indent=1)]
    return body


def _shares(wanted: list[int], available: int) -> list[int]:
    """Widths that add up to at most `available`: narrow columns get what they want, wide ones the rest."""
    widths = [0] * len(wanted)
    left = available
    waiting = sorted(range(len(wanted)), key=lambda i: (wanted[i], i))
    while waiting:
        index = waiting.pop(0)
        widths[index] = min(max(wanted[index], 1), left // (len(waiting) + 1))
        left -= widths[index]
    return widths


def _list(heads: Sequence[str], cells: Sequence[Cell], columns: int) -> list[Line]:
    """One block per step, named by its thread: for more threads than fit side by side."""
    margin = max(width(head) for head in heads) + 2
    result: list[Line] = []
    for cell in cells:
        for index, part in enumerate(_cell_lines(cell, columns - margin - 1)):
            head = (heads[cell.column] if index == 0 else "").ljust(margin)
            result.append(Line(((" ", ""), (head, "bold"), *part.pieces)))
    return result


def value_table(heads: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> list[Line]:
    """Values under their names; each row starts with a mark (`*` or a blank)."""
    widths = [max([width(head), *(width(values[i]) for _, values in rows)]) for i, head in enumerate(heads)]

    def row(mark: str, values: Sequence[str], role: str) -> Line:
        cells = "  ".join(" " * (w - width(v)) + v for v, w in zip(values, widths, strict=True))
        return line((f"  {mark} {cells}", role))

    return [row(" ", heads, "dim"), *(row(mark, v, "bold" if mark.strip() else "") for mark, v in rows)]
