"""Where AArch64 code can be made stronger or weaker."""

from __future__ import annotations

from membar.languages.litmus.assembly import edit_sites as assembly
from membar.languages.litmus.assembly.edit_sites import Access, Strengths
from membar.languages.litmus.test import LitmusTest
from membar.program.program import Program
from membar.text.edits import EditSite


def edit_sites(test: LitmusTest, program: Program) -> tuple[EditSite, ...]:  # noqa: ARG001 - the text says it all
    """The places of a test; see `Frontend.edit_sites`."""
    return assembly.edit_sites(
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
