"""Acceptance and progress labels of Promela, if selected by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from membar.properties.property import Property

# Names of what labels say: that no run comes again and again to some, that every run does to others.
ACCEPTANCE = "acceptance"
PROGRESS = "progress"
BEGINNINGS: Mapping[str, str] = MappingProxyType({ACCEPTANCE: "accept", PROGRESS: "progress"})
"""How the labels begin that a property is about."""
LABELS: Mapping[str, Property] = MappingProxyType(
    {
        ACCEPTANCE: Property(
            name=ACCEPTANCE,
            title="no run visits an `accept` label infinitely often",
            covers="a cycle through a label that begins with `accept` (Promela; only by name)",
            applies=lambda _program, _model: False,
        ),
        PROGRESS: Property(
            name=PROGRESS,
            title="every infinite run visits a `progress` label infinitely often",
            covers="a cycle without a label that begins with `progress` (Promela; only by name)",
            applies=lambda _program, _model: False,
        ),
    }
)
"""By name; none of them is asked by default."""
