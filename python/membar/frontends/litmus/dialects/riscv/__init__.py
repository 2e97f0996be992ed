"""The RISC-V dialect of litmus tests: RV64 with atomics, without floating point, vectors and devices."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType

from membar.frontends.litmus.assembly.translate import translate
from membar.frontends.litmus.dialect import Dialect
from membar.frontends.litmus.dialects.riscv.machine import MACHINE
from membar.frontends.litmus.dialects.riscv.tags import TAGS

DIALECT = Dialect(
    default_models=MappingProxyType({"RISCV": "riscv"}),
    tags=TAGS,
    translate=partial(translate, machine=MACHINE),
)
