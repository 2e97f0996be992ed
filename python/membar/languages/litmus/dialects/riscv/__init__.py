"""The RISC-V dialect of litmus tests: RV64 with atomics, without floating point, vectors and devices."""

from __future__ import annotations

from types import MappingProxyType

from membar.edits import Place
from membar.languages.litmus.dialect import Dialect
from membar.languages.litmus.dialects.riscv.tags import TAGS
from membar.languages.litmus.test import LitmusTest
from membar.program.program import Program


def _translate(test: LitmusTest) -> Program:
    from membar.languages.litmus.assembly.translate import translate  # noqa: PLC0415 - on demand
    from membar.languages.litmus.dialects.riscv.machine import MACHINE  # noqa: PLC0415 - on demand

    return translate(test, machine=MACHINE)


def _places(test: LitmusTest, program: Program) -> tuple[Place, ...]:  # noqa: ARG001 - the text says it all
    from membar.languages.litmus.assembly.places import Access, Strengths, places  # noqa: PLC0415 - on demand

    return places(
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


DIALECT = Dialect(
    default_models=MappingProxyType({"RISCV": "riscv"}), tags=TAGS, translate=_translate, places=_places
)
