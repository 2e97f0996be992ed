"""No state is reached that the program, or `--error`, says must not be."""

from __future__ import annotations

from membar.properties.property import Property

PROPERTY = Property(
    name="errors",
    title="no state is reached that the program says must not be",
    applies=lambda program, _: bool(program.errors),
)
