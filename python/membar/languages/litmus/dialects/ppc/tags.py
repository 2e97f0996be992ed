"""The ordering annotations of Power: what a barrier instruction says about order."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

EXCLUSIVE = "EX"
SYNC, LWSYNC, EIEIO, ISYNC = "SYNC", "LWSYNC", "EIEIO", "ISYNC"

TAGS: Mapping[str, str] = MappingProxyType(
    {
        SYNC: "`sync`: all earlier accesses come before all later ones, as seen by every thread.",
        LWSYNC: "`lwsync`: as `sync`, except that a later read may overtake an earlier write.",
        EIEIO: "`eieio`: earlier writes come before later writes.",
        ISYNC: "`isync`: later instructions are fetched again, after earlier branches are resolved.",
        EXCLUSIVE: "(no order) Half of a reserved pair (lwarx and stwcx.).",
    }
)
"""Every tag that a Power operation may carry, with its meaning in one sentence."""
