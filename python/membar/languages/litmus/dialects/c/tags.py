"""The ordering annotations of C11 operations. Every access and fence has exactly one, or `NA`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

NON_ATOMIC: Final = "NA"
RMW: Final = "RMW"

ORDERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "memory_order_relaxed": "RLX",
        "memory_order_consume": "CON",
        "memory_order_acquire": "ACQ",
        "memory_order_release": "REL",
        "memory_order_acq_rel": "ACQ_REL",
        "memory_order_seq_cst": "SC",
    }
)
"""C's names of the memory orders, each with its tag."""

TAGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        NON_ATOMIC: "(no order) A plain access: two unordered ones, one of them a write, are a data race.",
        "RLX": "(no order) memory_order_relaxed: atomic, orders nothing else.",
        "CON": "memory_order_consume: a load that orders what depends on it.",
        "ACQ": "memory_order_acquire: what follows sees what came before the release it reads from.",
        "REL": "memory_order_release: publishes what came before.",
        "ACQ_REL": "memory_order_acq_rel: acquire and release at once.",
        "SC": "memory_order_seq_cst: acquire, release, and one total order of all such operations.",
        RMW: "(no order) Marks the read and the write of one atomic read-modify-write.",
    }
)
"""The words that tags of a C program may be, with their meaning."""
