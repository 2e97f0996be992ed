"""XCFA: processes of procedures, each a control-flow automaton (Bajczi's thesis). docs/reference/xcfa.md."""

from __future__ import annotations

from types import MappingProxyType

from membar.frontends import Frontend
from membar.frontends.xcfa.lower import LANGUAGE
from membar.frontends.xcfa.translate import parse_xcfa

FRONTEND = Frontend(
    name="XCFA",
    suffixes=(".xcfa",),
    parse=parse_xcfa,
    default_models=MappingProxyType({LANGUAGE: "sc"}),
    tags=MappingProxyType({"MFENCE": "Orders everything before it with everything after it."}),
)
