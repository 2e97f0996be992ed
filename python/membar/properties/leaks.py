"""All allocated memory is freed."""

from __future__ import annotations

from membar.program.operations import LEAKS
from membar.program.remove_warnings import CHECKED_LEAKS
from membar.properties.property import Property, has_assertion_of

PROPERTY = Property(
    name=LEAKS,
    title="no allocated memory is leaked (a warning unless selected by name)",
    covers="memory from `malloc` and similar functions that is not freed when the process ends, by a return"
    " from `main` or a call of `exit` or `_Exit`, even if a pointer to it exists; not where it ends by"
    " `abort`, a trap or a failed assertion",
    applies=lambda program, _: has_assertion_of(program, LEAKS) or CHECKED_LEAKS in program.partly_checked,
    is_asserted=True,
)
