"""No signed arithmetic overflows."""

from __future__ import annotations

from membar.program.operations import OVERFLOW
from membar.properties.property import Property, has_assertion_of

PROPERTY = Property(
    name=OVERFLOW,
    title="no signed arithmetic overflows (a warning unless selected by name)",
    covers="`+`, `-`, `*` and shifts of signed integers whose result does not fit; without this property it"
    " wraps around",
    applies=lambda program, _: has_assertion_of(program, OVERFLOW),
    is_asserted=True,
)
