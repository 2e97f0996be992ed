"""The AArch64 dialect of litmus tests: 64-bit Arm code without vectors, page tables and exceptions."""

from __future__ import annotations

from types import MappingProxyType

from membar.edits import Place
from membar.languages.litmus.dialect import Dialect
from membar.languages.litmus.dialects.aarch64.tags import TAGS
from membar.languages.litmus.test import LitmusTest
from membar.program.program import Program


def _translate(test: LitmusTest) -> Program:
    from membar.languages.litmus.assembly.translate import translate  # noqa: PLC0415 - on demand
    from membar.languages.litmus.dialects.aarch64.machine import MACHINE  # noqa: PLC0415 - on demand

    return translate(test, machine=MACHINE)


def _places(test: LitmusTest, program: Program) -> tuple[Place, ...]:  # noqa: ARG001 - the text says it all
    from membar.languages.litmus.assembly.places import Access, Strengths, places  # noqa: PLC0415 - on demand

    return places(
        test,
        Strengths(
            fences=(("DMB ISHLD", ()), ("DMB ISHST", ()), ("DMB ISH", (1, 2))),
            accesses=(
                Access(
                    r"(LDR|LDAPR|LDAR)\s+[WX]\w+\s*,\s*\[\s*X\w+\s*\]",
                    (("LDR", ()), ("LDAPR", ()), ("LDAR", (1,))),
                ),
                Access(r"(STR|STLR)\s+[WX]\w+\s*,\s*\[\s*X\w+\s*\]", (("STR", ()), ("STLR", ()))),
                Access(r"(LDXR|LDAXR)\s.*", (("LDXR", ()), ("LDAXR", ()))),
                Access(r"(STXR|STLXR)\s.*", (("STXR", ()), ("STLXR", ()))),
                Access(
                    r"(?:SWP|CAS|LDADD|LDCLR|LDSET|LDEOR)(A|L|AL|)\s.*",
                    (("", ()), ("A", ()), ("L", ()), ("AL", (1, 2))),
                    name="atomic with ",
                ),
            ),
        ),
    )


DIALECT = Dialect(
    default_models=MappingProxyType({"AArch64": "armv8"}), tags=TAGS, translate=_translate, places=_places
)
