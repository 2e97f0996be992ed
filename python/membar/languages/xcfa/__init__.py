"""XCFA: processes of procedures, each a control-flow automaton (Bajczi's thesis). docs/reference/xcfa.md."""

from __future__ import annotations

from types import MappingProxyType

from membar.languages import Frontend, default_models
from membar.plugins import lazy

FRONTEND = Frontend(
    name="XCFA",
    parse=lazy(f"{__name__}.translate:parse_xcfa"),
    with_error=lazy(f"{__name__}.translate:with_error"),
    default_models=default_models("XCFA"),
    tags=MappingProxyType({"MFENCE": "Orders everything before it with everything after it."}),
)
