"""The AArch64 dialect of litmus tests: 64-bit Arm code without vectors, page tables or exceptions."""

from __future__ import annotations

from membar.languages.litmus.dialect import Dialect
from membar.languages.litmus.dialects.aarch64.tags import TAGS
from membar.plugins import lazy

DIALECT = Dialect(
    tags=TAGS,
    translate=lazy(f"{__name__}.machine:translate_test"),
    edit_sites=lazy(f"{__name__}.edit_sites:edit_sites"),
)
