"""Where assembly tests can be stronger or weaker: fences between instructions, other mnemonics."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from membar.languages.litmus.columns import columns, split_labels
from membar.languages.litmus.test import Cell, Column, LitmusTest
from membar.records import record
from membar.source import Span
from membar.text.edits import Edit, EditSite, alternatives


@record(frozen=True, slots=True)
class Access:
    """An instruction that can order what it does more or less.

    Attributes:
        pattern: the instruction; its first group is the part that says so.
        readings: what that part can be, from the weakest, with the numbers of those that each includes.
        name: stands before it in tables of costs and reports.
    """

    pattern: str
    readings: tuple[tuple[str, tuple[int, ...]], ...]
    name: str = ""


@record(frozen=True, slots=True)
class Strengths:
    """What a dialect can say to order accesses.

    Attributes:
        fences: instructions from the weakest, with the numbers (from 1) of those that each includes.
        accesses: instructions of which a part can be another one.
    """

    fences: tuple[tuple[str, tuple[int, ...]], ...]
    accesses: tuple[Access, ...] = ()


def edit_sites(test: LitmusTest, strengths: Strengths) -> tuple[EditSite, ...]:
    """The places of a test: before each instruction but a thread's first, at fences, and at accesses."""
    table = columns(test)
    found: list[EditSite] = []
    for column in table:
        loops = _loops(column)
        for number, cell in enumerate(column.cells):
            instruction = split_labels(cell)[1]
            if instruction is None:
                continue
            present = _fence_number(instruction.text, strengths)
            if present is not None:
                found.append(_present_fence(instruction, strengths, present, loops[number]))
            elif number > 0:
                row = _Row(test, column.thread, len(table), cell)
                found.append(_new_fence(row, strengths, loops[number]))
            found += _accesses(instruction, strengths, loops[number])
    return tuple(found)


def _loops(column: Column) -> list[int]:
    """Around each instruction, how many loops are: jumps back to one label are one loop."""
    labels: dict[str, int] = {}
    ends: dict[int, int] = {}
    for number, cell in enumerate(column.cells):
        names, instruction = split_labels(cell)
        labels |= {name.text: number for name in names}
        words = re.findall(r"[\w.$]+", instruction.text) if instruction is not None else []
        ends |= {labels[word]: number for word in words[1:] if word in labels}
    return [sum(start <= number <= end for start, end in ends.items()) for number in range(len(column.cells))]


def _normal(text: str) -> str:
    return re.sub(r"\s*,\s*", ",", re.sub(r"\s+", " ", text.strip())).upper()


def _fence_number(text: str, strengths: Strengths) -> int | None:
    names = [_normal(name) for name, _ in strengths.fences]
    return names.index(_normal(text)) + 1 if _normal(text) in names else None


def _fences_by_strength(strengths: Strengths) -> list[tuple[int, ...]]:
    return [(), *(below for _, below in strengths.fences)]


def _present_fence(cell: Cell, strengths: Strengths, current: int, loops: int) -> EditSite:
    names = ["", *(name for name, _ in strengths.fences)]
    return EditSite(
        title=f"the fence in line {cell.span.line}",
        span=cell.span,
        alternatives=alternatives(
            [(name, (Edit(cell.span, name.ljust(len(cell.text))),)) for name in names],
            _fences_by_strength(strengths),
        ),
        current=current,
        loops=loops,
    )


@record(frozen=True, slots=True)
class _Row:
    """The row of an instruction in a table of so many threads."""

    test: LitmusTest
    thread: int
    width: int
    cell: Cell

    @property
    def start(self) -> int:
        """Where it begins: at the beginning of its line, behind the row before."""
        return _row_start(self.test.source.text, self.cell.span.start, self.test.body.start)

    def before(self, instruction: str) -> Edit:
        """A row of its own before it, in which the other threads have nothing."""
        cells = [f" {instruction if number == self.thread else ''} " for number in range(self.width)]
        source = self.test.source
        text = "|".join(_align_cells(source.text, self.start, cells)) + ";\n"
        return Edit(source.span(self.start, self.start), text)


def _new_fence(row: _Row, strengths: Strengths, loops: int) -> EditSite:
    readings = [(name, (row.before(name),)) for name, _ in strengths.fences]
    return EditSite(
        title=f"before line {row.cell.span.line} of P{row.thread}",
        span=row.cell.span,
        alternatives=alternatives([("", ()), *readings], _fences_by_strength(strengths)),
        loops=loops,
    )


def _row_start(text: str, at: int, body: int) -> int:
    """Where the row of a cell begins: at the beginning of its line, behind the row before."""
    end = text.rfind(";", body, at) + 1
    newline = text.find("\n", end, at) if end else text.rfind("\n", body, at)
    return newline + 1 if newline >= 0 else max(end, body)


def _align_cells(text: str, row: int, cells: Sequence[str]) -> list[str]:
    """The cells, as wide as those of the row that begins at `row`, if it is on one line."""
    line = text[row : text.find(";", row)]
    widths = [len(part) for part in line.split("|")]
    if "\n" in line or len(widths) != len(cells):
        return list(cells)
    return [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]


def _accesses(cell: Cell, strengths: Strengths, loops: int) -> Iterator[EditSite]:
    for access in strengths.accesses:
        match = re.fullmatch(access.pattern, cell.text, re.IGNORECASE)
        names = [name for name, _ in access.readings]
        if match is None or match[1].upper() not in names:
            continue
        start = cell.span.start + match.start(1)
        span: Span = cell.span.source.span(start, start + len(match[1]))
        mnemonic = cell.text.split()[0]
        written = [name.lower() if mnemonic.islower() else name for name in names]
        yield EditSite(
            title=f"the {mnemonic} in line {cell.span.line}",
            span=cell.span,
            alternatives=alternatives(
                [
                    (access.name + names[n] if n else "", (Edit(span, name),))
                    for n, name in enumerate(written)
                ],
                [below for _, below in access.readings],
            ),
            current=names.index(match[1].upper()),
            loops=loops,
        )
