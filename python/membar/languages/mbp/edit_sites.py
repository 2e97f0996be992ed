"""Where a program text can be stronger: a fence in front of the accesses of a step."""

from __future__ import annotations

import re
from typing import Final

from membar.program.dependencies import accesses_memory
from membar.program.loops import natural_loops
from membar.program.program import Edge, Program
from membar.source import SourceFile
from membar.text.edits import Edit, EditSite, alternatives

_OPERATIONS: Final = re.compile(r":(?!=)\s*")
_FENCE: Final = "MFENCE"


def edit_sites(source: SourceFile, program: Program) -> tuple[EditSite, ...]:
    """A place per step that accesses memory."""
    found: list[EditSite] = []
    for thread in program.threads:
        loops = natural_loops(thread)
        for index, edge in enumerate(thread.edges):
            if edge.span and accesses_memory(edge):
                found += _place(source, thread.name, edge, sum(index in loop for loop in loops))
    return tuple(found)


def _place(source: SourceFile, thread: str, edge: Edge, loops: int) -> list[EditSite]:
    if edge.span is None or (match := _OPERATIONS.search(edge.span.text)) is None:
        return []
    at = edge.span.start + match.end()
    fence = Edit(source.span(at, at), f"fence {{{_FENCE}}}; ")
    return [
        EditSite(
            title=f"before line {edge.span.line} ({thread})",
            span=edge.span,
            alternatives=alternatives([("", ()), (f"fence {_FENCE}", (fence,))], [(), ()]),
            loops=loops,
        )
    ]
