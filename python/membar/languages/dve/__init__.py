"""DVE, the language of DiVinE and BEEM: processes of states and transitions. docs/reference/dve.md."""

from __future__ import annotations

from types import MappingProxyType

from membar.languages import Frontend, default_models
from membar.plugins import lazy

FRONTEND = Frontend(
    name="DVE",
    parse=lazy(f"{__name__}.translate:parse_dve"),
    edit_sites=lazy(f"{__name__}.edit_sites:edit_sites"),
    with_error=lazy(f"{__name__}.translate:with_error"),
    with_claim=lazy(f"{__name__}.translate:with_claim"),
    with_option=MappingProxyType(
        {
            "dve-errors": lazy(f"{__name__}.translate:with_errors"),
            "atomic": lazy(f"{__name__}.translate:with_atomics"),
            "atomic-rule": lazy(f"{__name__}.translate:with_atomic_rule"),
            "ghost": lazy(f"{__name__}.translate:with_ghosts"),
        }
    ),
    default_models=default_models("DVE"),
    tags=MappingProxyType(
        {
            "ATOMIC": "A write that waits for its own store buffer and goes to memory at once.",
            "ATOMIC-ALL": "A write that waits for all store buffers and goes to memory at once.",
            "SC-ONLY": "A write that is defined under sc only (legacy run-time errors).",
        }
    ),
)
