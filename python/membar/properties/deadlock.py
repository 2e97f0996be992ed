"""No state is reached in which some thread has not ended and nothing can move."""

from __future__ import annotations

from membar.program.operations import Join, Lock, Receive, Send
from membar.properties.property import Property, has_operation

PROPERTY = Property(
    name="deadlock",
    title="the threads never wait for one another for ever",
    applies=lambda program, _: has_operation(program, Lock, Join, Send, Receive),
)
