"""No error state of the program, or of `--error`, is reachable."""

from __future__ import annotations

from membar.program.operations import ERRORS
from membar.program.program import Program
from membar.properties.property import Property, has_assertion_of, has_error_state_of, is_asked_as


def has_errors(program: Program) -> bool:
    """Whether the program has error states: final ones or any, of one thread or of the whole program."""
    return (
        has_error_state_of(program, ERRORS)
        or has_assertion_of(program, ERRORS)
        or is_asked_as(program, ERRORS)
    )


PROPERTY = Property(
    name=ERRORS,
    title="no error state is reached",
    covers="a state or location that `--error` names, or `unsafe` in Cubicle's language",
    applies=lambda program, _: has_errors(program),
    is_asserted=True,
    advice="The code flow is a run into the error state.",
)
