"""The RISC-V dialect of litmus tests: RV64 with atomics, without floating point, vectors or devices."""

from __future__ import annotations

from membar.languages.litmus.dialect import Dialect
from membar.languages.litmus.dialects.riscv.tags import TAGS
from membar.plugins import lazy

DIALECT = Dialect(
    tags=TAGS,
    translate=lazy(f"{__name__}.machine:translate_test"),
    edit_sites=lazy(f"{__name__}.edit_sites:edit_sites"),
)
