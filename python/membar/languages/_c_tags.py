"""The ordering annotations of C11, for C programs and litmus tests in C."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

LANGUAGES = frozenset({"C", "C++", "Rust"})
"""Languages whose programs carry these words (`Program.language`)."""
TAGS: Mapping[str, str] = MappingProxyType(
    {
        "NA": "(no order) A plain access: two unordered ones, one of them a write, are a data race.",
        "RLX": "(no order) memory_order_relaxed: atomic, orders nothing else.",
        "CON": "memory_order_consume: a load that orders what depends on it.",
        "ACQ": "memory_order_acquire: what follows sees what came before the release it reads from.",
        "REL": "memory_order_release: publishes what came before.",
        "ACQ_REL": "memory_order_acq_rel: acquire and release at once.",
        "SC": "memory_order_seq_cst: acquire, release, and one total order of all such operations.",
        "CLOCK": "A message beside the memory, seen by all at once: between calls of an object's client.",
        "ALLOC": "(no order) Allocated memory begins: a plain write before every access.",
        "VOLATILE": "(no order) A plain access of a volatile object, which compilers keep.",
        "LF": "(no order) The read of a mutex that is taken.",
        "RMW": "(no order) Marks the read and the write of one atomic read-modify-write.",
    }
)
