"""Where PPC code can be made stronger or weaker."""

from __future__ import annotations

from membar.languages.litmus.assembly import edit_sites as assembly
from membar.languages.litmus.assembly.edit_sites import Strengths
from membar.languages.litmus.test import LitmusTest
from membar.program.program import Program
from membar.text.edits import EditSite


def edit_sites(test: LitmusTest, program: Program) -> tuple[EditSite, ...]:  # noqa: ARG001 - the text says it all
    """The places of a test; see `Frontend.edit_sites`."""
    return assembly.edit_sites(test, Strengths(fences=(("lwsync", ()), ("sync", (1,)))))
