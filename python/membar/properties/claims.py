"""What the program says of all its runs is true: LTL formulas, never claims, property processes."""

from __future__ import annotations

from membar.properties.property import Property

PROPERTY = Property(
    name="claims",
    title="what the program says of all its runs (LTL, never claims) is true",
    applies=lambda program, _: bool(program.claims),
)
