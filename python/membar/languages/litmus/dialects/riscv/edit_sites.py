"""Where RISC-V code can be made stronger or weaker."""

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
            fences=(
                ("fence r,r", ()),
                ("fence w,w", ()),
                ("fence w,r", ()),
                ("fence r,rw", (1,)),
                ("fence rw,w", (2,)),
                ("fence.tso", (1, 2, 4, 5)),
                ("fence rw,rw", (1, 2, 3, 4, 5, 6)),
            ),
            accesses=(
                Access(
                    r"(?:amo\w+\.[wd])(\.aqrl|\.aq|\.rl|)\s.*",
                    (("", ()), (".AQ", ()), (".RL", ()), (".AQRL", (1, 2))),
                    name="atomic with ",
                ),
                Access(r"(?:lr\.[wd])(\.aq|)\s.*", (("", ()), (".AQ", ())), name="reserved with "),
                Access(r"(?:sc\.[wd])(\.rl|)\s.*", (("", ()), (".RL", ())), name="reserved with "),
            ),
        ),
    )
