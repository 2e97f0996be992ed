"""Ordering annotations of x86 and the default models, readable without importing the parser."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

TAGS: Mapping[str, str] = MappingProxyType(
    {
        "X": "Read and write of a locked instruction: LOCK prefix, or XCHG with memory.",
        "MFENCE": "Orders everything before it with everything after it.",
        "LFENCE": "Orders earlier loads with everything after it.",
        "SFENCE": "Orders earlier stores with later stores.",
    }
)
