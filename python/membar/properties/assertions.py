"""No execution reaches an assertion whose condition is false."""

from __future__ import annotations

from membar.properties.property import Property, has_assertion_of, has_error_state_of

NAME = "assertions"

PROPERTY = Property(
    name=NAME,
    title="no assertion fails",
    covers="`assert` and calls of `reach_error` in C; `assert` in Promela, DVE and program text; a"
    " `d_step` of Promela that blocks; a value out of the range of its variable in DVE; error locations of"
    " XCFA",
    applies=lambda program, _: has_assertion_of(program, NAME) or has_error_state_of(program, NAME),
    is_asserted=True,
    advice="The code flow is an execution in which it fails. `membar repair FILE` looks for the cheapest"
    " change that keeps it from happening; `membar compare FILE` shows under which models it does.",
)
