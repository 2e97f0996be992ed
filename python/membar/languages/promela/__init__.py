"""Promela: SPIN's language, and Linden and Wolper's `store`, `load` and `sync`. docs/reference/promela.md."""

from __future__ import annotations

from types import MappingProxyType

from membar.languages import Frontend, default_models
from membar.plugins import lazy

FRONTEND = Frontend(
    name="Promela",
    parse=lazy(f"{__name__}.translate:parse_promela"),
    edit_sites=lazy(f"{__name__}.edit_sites:edit_sites"),
    with_error=lazy(f"{__name__}.translate:with_error"),
    predicates=lazy(f"{__name__}.translate:predicates"),
    with_option=MappingProxyType({"ghost": lazy(f"{__name__}.translate:with_ghosts")}),
    default_models=default_models("Promela"),
    tags=MappingProxyType(
        {
            "MFENCE": "Waits until the process's store buffer is empty: `fence`, atomic blocks, channels.",
            "FLUSH-ALL": "Waits until the store buffers of all processes are empty: `sync`.",
        }
    ),
)
