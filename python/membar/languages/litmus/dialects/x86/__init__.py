"""The dialects `X86` (32 bits, Intel operand order) and `X86_64` (AT&T operand order)."""

from __future__ import annotations

from membar.languages.litmus.dialect import Dialect
from membar.languages.litmus.dialects.x86.tags import TAGS
from membar.plugins import lazy

DIALECT = Dialect(
    tags=TAGS,
    translate=lazy(f"{__name__}.translate:translate"),
    edit_sites=lazy(f"{__name__}.edit_sites:edit_sites"),
)
