"""No execution reaches an assertion whose condition is false."""

from __future__ import annotations

from membar.program.operations import Assert
from membar.properties.property import Property, has_operation

PROPERTY = Property(
    name="assertions",
    title="no assertion fails",
    applies=lambda program, _: has_operation(program, Assert),
)
