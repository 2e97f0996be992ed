"""No assertion about toys fails."""

from __future__ import annotations

from membar.properties.property import Property, has_assertion_of

NAME = "toys"
PROPERTY = Property(
    name=NAME,
    title="toys are put away",
    covers="a toy that lies about",
    applies=lambda program, _: has_assertion_of(program, NAME),
    is_asserted=True,
    advice="Put it away.",
)
