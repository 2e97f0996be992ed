"""Describes loops that fill a buffer without bound, for reports."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from membar.program.program import Program, Thread

if TYPE_CHECKING:
    from membar import _core

_MOST_TOLD = 4
_LETTER = re.compile(r"\((\d+),(\d+)\)")


def describe_cycles(found: _core.BufferFindings, program: Program) -> list[str]:
    """`P0 may repeat lines 3-7 any number of times: buffer (x,1)((x,0)(x,1))*`, the shortest ones first."""
    notes: dict[str, None] = {}
    for cycle in sorted(found.cycles, key=lambda cycle: (cycle.thread, len(cycle.contents))):
        code = program.threads[cycle.thread]
        own = [edge for number, edge in cycle.edges if number == cycle.thread and edge < len(code.edges)]
        where = _lines(code, own)
        shown = with_cell_names(cycle.contents, program)
        notes[f"{code.name} may repeat {where} any number of times: buffer {shown}"] = None
    lines = list(notes)
    if len(lines) > _MOST_TOLD:
        return [*lines[:_MOST_TOLD], f"… and {len(lines) - _MOST_TOLD} more loops that fill a buffer"]
    return lines


def _lines(code: Thread, edges: Sequence[int]) -> str:
    spans = [span for edge in edges if (span := code.edges[edge].span) is not None]
    lines = sorted({span.line for span in spans})
    if not lines:
        return "a loop"
    return f"line {lines[0]}" if len(lines) == 1 else f"lines {lines[0]}-{lines[-1]}"


def with_cell_names(contents: str, program: Program) -> str:
    """A regular expression over (cell,value) with the names of the cells."""
    cells = program.cells

    def name(match: re.Match[str]) -> str:
        number = int(match[1])
        return f"({cells[number].name if number < len(cells) else 'start'},{match[2]})"

    return _LETTER.sub(name, contents)
