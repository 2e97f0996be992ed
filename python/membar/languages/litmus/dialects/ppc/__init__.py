"""The PPC dialect of litmus tests: 64-bit Power code without floating point, vectors or devices."""

from __future__ import annotations

from membar.languages.litmus.dialect import Dialect
from membar.languages.litmus.dialects.ppc.tags import TAGS
from membar.plugins import lazy

DIALECT = Dialect(
    tags=TAGS,
    translate=lazy(f"{__name__}.machine:translate_test"),
    edit_sites=lazy(f"{__name__}.edit_sites:edit_sites"),
)
