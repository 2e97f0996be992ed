"""Properties: one file each, exporting `PROPERTY`; `judge.py` turns the result of a search into verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from membar.properties import (
    assertions,
    claims,
    condition,
    deadlock,
    errors,
    exits,
    leaks,
    linearizability,
    locks,
    memory,
    overflow,
    races,
    termination,
)
from membar.properties.labels import LABELS
from membar.properties.property import Property

PROPERTIES: Mapping[str, Property] = MappingProxyType(
    {
        module.PROPERTY.name: module.PROPERTY
        for module in (
            condition,
            errors,
            claims,
            assertions,
            races,
            memory,
            locks,
            deadlock,
            termination,
            exits,
            overflow,
            leaks,
        )
    }
)
"""Those that programs are asked about, in the order of reports."""

ASSERTED = frozenset(name for name, each in PROPERTIES.items() if each.is_asserted)
"""Those that assertions of a program belong to: an engine that finds failing assertions checks them all."""

EVERY: Mapping[str, Property] = MappingProxyType(
    {**PROPERTIES, **LABELS, linearizability.PROPERTY.name: linearizability.PROPERTY}
)
"""All properties of membar."""
