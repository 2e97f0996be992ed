"""Where a C test can be stronger or weaker: fences between statements, orders of atomic operations."""

from __future__ import annotations

from typing import Final

from membar.languages._c_edit_sites import edit_sites as sites_of_text
from membar.languages._c_text import CText
from membar.languages.litmus.test import LitmusTest
from membar.program.dependencies import spans_of_accesses
from membar.program.program import Program
from membar.text.edits import EditSite

_FENCES: Final = {
    order: f"atomic_thread_fence(memory_order_{order});"
    for order in ("acquire", "release", "acq_rel", "seq_cst")
}


def edit_sites(test: LitmusTest, program: Program) -> tuple[EditSite, ...]:
    """The places of a test."""
    text = CText(test.source, test.body.start, test.body.end, is_litmus=True)
    return tuple(sites_of_text(text, accesses=accesses(program), macros={}, fences=_FENCES))


def accesses(program: Program) -> list[tuple[int, int]]:
    """Where the text accesses shared memory."""
    return sorted((span.start, span.end) for span in spans_of_accesses(program))
