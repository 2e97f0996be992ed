"""The final condition of a litmus test holds: exists, ~exists or forall."""

from __future__ import annotations

from membar.properties.property import Property, is_asked_as

PROPERTY = Property(
    name="condition",
    title="the program's condition on its final states is satisfied",
    covers="a final state that `~exists` or `forall` forbids, or no final state that satisfies an `exists`",
    applies=lambda program, _: is_asked_as(program, "condition"),
    advice="The code flow is an execution that decides the condition; without one there is no such"
    " execution.",
)
