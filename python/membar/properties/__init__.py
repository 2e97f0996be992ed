"""Properties: one file each, exporting `PROPERTY`; `judge.py` turns what an engine found into a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from membar.properties import assertions, claims, condition, deadlock, errors, memory, races, termination
from membar.properties.property import Property

PROPERTIES: Mapping[str, Property] = MappingProxyType(
    {
        module.PROPERTY.name: module.PROPERTY
        for module in (condition, errors, claims, assertions, races, memory, deadlock, termination)
    }
)
