"""The ordering annotations of AArch64: what an access or barrier instruction says about order."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

ACQUIRE = "A"
ACQUIRE_PC = "Q"
RELEASE = "L"
ATOMIC = "X"
EXCLUSIVE = "EX"
NO_RETURN = "NoRet"
COMPUTED = "FetchOp"
COMPARED = "Compared"

BARRIER_OPTIONS = (
    "SY", "LD", "ST", "ISH", "ISHLD", "ISHST", "OSH", "OSHLD", "OSHST", "NSH", "NSHLD", "NSHST",
)  # fmt: skip

_DOMAINS = {
    "ISH": "the inner shareable domain",
    "OSH": "the outer shareable domain",
    "NSH": "this processor",
    "": "the full system",
}


def _barrier(kind: str, option: str) -> str:
    """The sentence for one barrier instruction."""
    what = {"LD": "earlier reads", "ST": "earlier writes"}.get(option[-2:], "all earlier accesses")
    later = "later writes" if kind == "DMB" and option.endswith("ST") else "later accesses"
    if kind == "DSB":
        later = "all later events"
    domain = _DOMAINS.get(option[:3], _DOMAINS[""])
    # Other processors are outside the domain of NSH barriers.
    prefix = "(no order) " if option.startswith("NSH") else ""
    return f"{prefix}`{kind} {option}`: {what} come before {later}, as seen by {domain}."


TAGS: Mapping[str, str] = MappingProxyType(
    {
        ACQUIRE: "Acquire read (LDAR, LDAXR, CASA, …): later accesses come after it.",
        ACQUIRE_PC: "Acquire read that may overtake earlier releases (LDAPR, LDIAPP).",
        RELEASE: "Release write (STLR, STLXR, SWPL, …): earlier accesses come before it.",
        ATOMIC: "(no order) Half of a single-instruction atomic (CAS, SWP, LDADD, …).",
        EXCLUSIVE: "(no order) Half of an exclusive pair (LDXR and STXR).",
        NO_RETURN: "Read of an atomic that returns nothing (STADD, LDADD to XZR): LD barriers ignore it.",
        COMPUTED: "(no order) Write of an atomic that computes it from the value read (LDADD, …; not SWP).",
        COMPARED: "(no order) Write of an atomic that happens only if the value read was as expected (CAS).",
        "ISB": "`ISB`: later instructions are fetched again, after earlier branches are resolved.",
    }
    | {f"{kind}.{option}": _barrier(kind, option) for kind in ("DMB", "DSB") for option in BARRIER_OPTIONS}
)
"""Every tag that an AArch64 operation may carry, with its meaning in one sentence."""
