"""The process does not exit with a failure."""

from __future__ import annotations

from membar.properties.property import Property, has_assertion_of

NAME = "exits"

PROPERTY = Property(
    name=NAME,
    title="the process ends with exit code 0, if it ends",
    covers="`abort`, `__builtin_trap`, `exit` or `_Exit` with a code other than 0, a return from `main` with"
    " a value other than 0",
    applies=lambda program, _: has_assertion_of(program, NAME),
    is_asserted=True,
    advice="The location is where the process exits with a failure.",
)
