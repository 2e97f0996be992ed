"""Every claim about runs holds: LTL formulas, never claims, property processes."""

from __future__ import annotations

from membar.properties.property import Property, has_error_state_of

PROPERTY = Property(
    name="claims",
    title="every claim about all runs is true",
    covers="a run for which a formula of `--ltl`, an `ltl` or `never` claim of Promela, or a property process"
    " of DVE is false",
    applies=lambda program, _: bool(program.claims) or has_error_state_of(program, "claims"),
)
