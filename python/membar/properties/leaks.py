"""All allocated memory is freed."""

from __future__ import annotations

from membar.program.operations import LEAKS
from membar.properties.property import Property, has_assertion_of

PROPERTY = Property(
    name=LEAKS,
    title="no allocated memory is leaked (a warning unless selected by name)",
    covers="memory from `malloc` and similar functions that is not freed when `main` ends, even if a"
    " pointer to it exists",
    applies=lambda program, _: has_assertion_of(program, LEAKS),
    is_asserted=True,
)
