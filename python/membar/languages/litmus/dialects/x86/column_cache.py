"""Threads that recur: the same rows of instructions are parsed once, however many tests contain them.

Families of litmus tests are combinations of a few threads: of four columns three were met before. What a
correct one means is kept, its places counted from its own cells, and moved to where it stands elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from membar.languages.litmus.locations import Locations
from membar.languages.litmus.test import Cell, Column
from membar.program.expr import Expr
from membar.program.operations import Operation
from membar.program.program import Edge, Thread, Value
from membar.records import record
from membar.source import Span

# A stretch of a cell of a column: the cell's position, then offsets from where that begins.
_Place: TypeAlias = tuple[int, int, int]
# Source, target, operations, guard.
_Step: TypeAlias = tuple[int, int, tuple[Operation, ...], Expr, _Place]
# Width of the registers, the texts of the cells, and the names that are locations for sure.
Key: TypeAlias = tuple[int, tuple[str, ...], frozenset[str]]

# More than the families of a large corpus have.
_KEPT: Final = 1024
_known: dict[Key, Known] = {}


@record(frozen=True, slots=True)
class Known:
    """What a column of instructions means: its automaton, and the locations that it names."""

    steps: tuple[_Step, ...]
    labels: tuple[tuple[int, str], ...]
    named: tuple[tuple[str, _Place], ...]

    def note_locations(self, column: Column, locations: Locations) -> None:
        """Tells which locations the code names, and where."""
        for name, place in self.named:
            if name not in locations:
                locations.use(name, _relocate(place, column.cells))

    def thread(self, column: Column, registers: tuple[tuple[str, Value], ...]) -> Thread:
        """The thread that stands in `column`."""
        cells = column.cells
        edges = [
            Edge(
                source=source, target=target, operations=operations, guard=guard, span=_relocate(place, cells)
            )
            for source, target, operations, guard, place in self.steps
        ]
        return Thread(
            name=f"P{column.thread}",
            entry=0,
            edges=tuple(edges),
            registers=registers,
            labels=self.labels,
            span=column.span,
        )


def key_of(column: Column, bits: int, locations: Locations) -> Key:
    """What the meaning of a column depends on."""
    return (bits, tuple([cell.text for cell in column.cells]), frozenset(locations.names()))


def find(key: Key) -> Known | None:
    """What a column means, if it was met before."""
    return _known.get(key)


def keep(key: Key, column: Column, thread: Thread, named: Iterable[tuple[str, Span]]) -> None:
    """Keeps what a correct column was found to mean; `named` has every location that its code names."""
    while len(_known) >= _KEPT:
        del _known[next(iter(_known))]
    starts = [cell.span.start for cell in column.cells]
    _known[key] = Known(
        steps=tuple(
            (edge.source, edge.target, edge.operations, edge.guard, _relative_place(edge.span, starts))
            for edge in thread.edges
            if edge.span is not None
        ),
        labels=thread.labels,
        named=tuple((name, _relative_place(span, starts)) for name, span in named),
    )


def forget() -> None:
    """Forgets all threads, for measurements."""
    _known.clear()


def _relative_place(span: Span, starts: list[int]) -> _Place:
    number = max(number for number, start in enumerate(starts) if start <= span.start)
    return number, span.start - starts[number], span.end - starts[number]


def _relocate(place: _Place, cells: tuple[Cell, ...]) -> Span:
    number, start, end = place
    cell = cells[number].span
    return Span(cell.source, cell.start + start, cell.start + end)
