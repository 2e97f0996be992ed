"""The ordering annotations of RISC-V: what an access or fence instruction says about order."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from membar.program.operations import Tags

ATOMIC = "X"
EXCLUSIVE = "EX"
ACQUIRE = "Acq"
RELEASE = "Rel"
ACQUIRE_RELEASE = "AcqRel"

# What may stand behind a mnemonic, and the word for it.
ANNOTATIONS: Mapping[str, Tags] = MappingProxyType(
    {
        "": frozenset(),
        ".aq": frozenset({ACQUIRE}),
        ".rl": frozenset({RELEASE}),
        ".aqrl": frozenset({ACQUIRE_RELEASE}),
        ".aq.rl": frozenset({ACQUIRE_RELEASE}),
    }
)

_KINDS = {"r": "reads", "w": "writes", "rw": "accesses"}

TAGS: Mapping[str, str] = MappingProxyType(
    {
        ACQUIRE: "`.aq`: later accesses come after this one.",
        RELEASE: "`.rl`: earlier accesses come before this one.",
        ACQUIRE_RELEASE: "`.aq.rl`: earlier accesses come before this one, later ones after it.",
        "Sc": "(no order) herd's name for membar's `AcqRel`.",
        ATOMIC: "(no order) Half of a single-instruction atomic (amoswap, amoadd, …).",
        EXCLUSIVE: "(no order) Half of a reserved pair (lr and sc).",
        "Fence.tso": "`fence.tso`: earlier accesses before later ones, except a write before a read.",
        "Fence.i": "(no order) `fence.i`: later instructions are fetched again; orders no data accesses.",
    }
    | {
        f"Fence.{before}.{after}": f"`fence {before},{after}`: earlier {kind} come before later {other}."
        for before, kind in _KINDS.items()
        for after, other in _KINDS.items()
    }
)
"""Every tag that a RISC-V operation may carry, with its meaning in one sentence."""
