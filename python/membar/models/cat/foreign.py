"""Names that models written for herd use and that are always empty in membar.

Each is a set or relation that is empty in every execution: the dialects do not support the instructions that
would add to it. A name that is also a tag of some dialect is that tag.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from membar.models.plan import Sort

# Locks of C and of the kernel, page tables, caches, instruction fetch, exceptions, memory tags.
_SETS = (
    "LK", "LS", "UL", "LKR", "LKW", "LF", "RL", "RU",
    "NExp", "PTE", "PTEINV", "PTEV", "D-PTE", "I-PTE", "PTEAF0", "AF", "DB", "AccessFlag", "MMU", "D-MMU",
    "Translation", "TLBI", "TLBIIS", "TLBInXS", "PTEXS", "PTEDevice-GRE", "PTEDevice-nGRE", "PTEDevice-nGnRE",
    "PTEDevice-nGnRnE", "PTENormal", "PTETaggedNormal", "PTEISH", "PTENSH", "PTEOSH", "PTEiNC", "PTEiWB",
    "PTEiWT", "PTEoNC", "PTEoWB", "PTEoWT",
    "DC.CVAU", "IC.IVAU", "IC.IALLU", "IC.IALLUIS", "Restricted-CMODX", "Instr",
    "FAULT", "EXC-ENTRY", "EXC-RET", "SVC", "SPURIOUS", "T", "TagCheck",
)  # fmt: skip
_RELATIONS = ("inv-domain", "same-low-order-bits", "PTEtoPA", "same-tag-loc")

ABSENT: Mapping[str, Sort] = MappingProxyType(
    dict.fromkeys(_SETS, Sort.SET) | dict.fromkeys(_RELATIONS, Sort.RELATION)
)
"""What is empty in every execution, with its sort."""
