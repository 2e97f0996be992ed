"""The RISC-V dialect of litmus tests: RV64 with atomics, without floating point, vectors and devices."""

from __future__ import annotations

from types import MappingProxyType

from membar.changes import Place
from membar.frontends.litmus.dialect import Dialect
from membar.frontends.litmus.dialects.riscv.tags import TAGS
from membar.frontends.litmus.test import LitmusTest
from membar.program.program import Program


def _translate(test: LitmusTest) -> Program:
    from membar.frontends.litmus.assembly.translate import translate  # noqa: PLC0415 - on demand
    from membar.frontends.litmus.dialects.riscv.machine import MACHINE  # noqa: PLC0415 - on demand

    return translate(test, machine=MACHINE)


def _places(test: LitmusTest, program: Program) -> tuple[Place, ...]:  # noqa: ARG001 - the text says it all
    from membar.frontends.litmus.assembly.places import Strengths, places  # noqa: PLC0415 - on demand

    return places(
        test,
        Strengths(
            fences=(
                ("fence r,rw", ()),
                ("fence rw,w", ()),
                ("fence.tso", (1, 2)),
                ("fence rw,rw", (1, 2, 3)),
            )
        ),
    )


DIALECT = Dialect(
    default_models=MappingProxyType({"RISCV": "riscv"}), tags=TAGS, translate=_translate, places=_places
)
