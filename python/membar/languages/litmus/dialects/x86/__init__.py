"""The dialects `X86` (32 bits, Intel operand order) and `X86_64` (AT&T operand order)."""

from __future__ import annotations

from membar.edits import Place
from membar.languages.litmus.dialect import Dialect
from membar.languages.litmus.dialects.x86.tags import DEFAULT_MODELS, TAGS
from membar.languages.litmus.test import LitmusTest
from membar.program.program import Program


def _translate(test: LitmusTest) -> Program:
    from membar.languages.litmus.dialects.x86.translate import translate  # noqa: PLC0415 - on demand

    return translate(test)


def _places(test: LitmusTest, program: Program) -> tuple[Place, ...]:  # noqa: ARG001 - the text says it all
    from membar.languages.litmus.assembly.places import Strengths, places  # noqa: PLC0415 - on demand

    return places(test, Strengths(fences=(("MFENCE", ()),)))


DIALECT = Dialect(default_models=DEFAULT_MODELS, tags=TAGS, translate=_translate, places=_places)
