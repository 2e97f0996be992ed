"""The PPC dialect of litmus tests: 64-bit Power code without floating point, vectors and devices."""

from __future__ import annotations

from types import MappingProxyType

from membar.edits import Place
from membar.languages.litmus.dialect import Dialect
from membar.languages.litmus.dialects.ppc.tags import TAGS
from membar.languages.litmus.test import LitmusTest
from membar.program.program import Program


def _translate(test: LitmusTest) -> Program:
    from membar.languages.litmus.assembly.translate import translate  # noqa: PLC0415 - on demand
    from membar.languages.litmus.dialects.ppc.machine import MACHINE  # noqa: PLC0415 - on demand

    return translate(test, machine=MACHINE)


def _places(test: LitmusTest, program: Program) -> tuple[Place, ...]:  # noqa: ARG001 - the text says it all
    from membar.languages.litmus.assembly.places import Strengths, places  # noqa: PLC0415 - on demand

    return places(test, Strengths(fences=(("lwsync", ()), ("sync", (1,)))))


DIALECT = Dialect(
    default_models=MappingProxyType({"PPC": "power"}), tags=TAGS, translate=_translate, places=_places
)
