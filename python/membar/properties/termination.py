"""No waiting loop can wait for ever."""

from __future__ import annotations

from membar.properties.property import Property

PROPERTY = Property(
    name="termination",
    title="every waiting loop ends",
    applies=lambda program, _: any(thread.back_edges for thread in program.threads),
)
