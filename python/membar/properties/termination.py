"""No waiting loop can wait for ever, while memory is fair and every thread runs on."""

from __future__ import annotations

from membar.properties.property import Property

# What witnesses of the contrary say; replaying one tests just that.
WAITS_FOR_EVER = "waits for ever: nothing that it looks at will change"

PROPERTY = Property(
    name="termination",
    title="every waiting loop ends",
    applies=lambda program, _: any(thread.back_edges for thread in program.threads),
)
