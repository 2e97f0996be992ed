"""Every history of an object's calls is linearizable."""

from __future__ import annotations

from membar.properties.property import Property

PROPERTY = Property(
    name="linearizability",
    title="every history of the object's calls can be explained by its specification",
    covers="results of calls that no sequential order explains (`--client`, `.obj` files)",
    applies=lambda _program, _model: False,
)
