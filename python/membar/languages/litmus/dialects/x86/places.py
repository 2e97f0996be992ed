"""Where x86 code can be made stronger or weaker."""

from __future__ import annotations

from membar.languages.litmus.assembly import places as assembly
from membar.languages.litmus.assembly.places import Strengths
from membar.languages.litmus.test import LitmusTest
from membar.program.program import Program
from membar.text.edits import Place


def places(test: LitmusTest, program: Program) -> tuple[Place, ...]:  # noqa: ARG001 - the text says it all
    """The places of a test; see `Frontend.places`."""
    return assembly.places(test, Strengths(fences=(("MFENCE", ()),)))
