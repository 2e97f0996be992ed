"""No execution has a data race, where the model gives racy programs no meaning."""

from __future__ import annotations

from membar.properties.property import Property

PROPERTY = Property(
    name="races",
    title="no two accesses race",
    applies=lambda _, model: model.language_model,
)
