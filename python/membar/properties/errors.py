"""No error state of the program, or of `--error`, is reachable."""

from __future__ import annotations

from membar.properties.property import Property, has_error_state_of

PROPERTY = Property(
    name="errors",
    title="no error state is reached",
    covers="a state or location that `--error` names, or `unsafe` in Cubicle's language",
    applies=lambda program, _: has_error_state_of(program, "errors"),
    advice="The code flow is a run into the error state.",
)
