"""No state is reached in which some thread has not ended and nothing can move."""

from __future__ import annotations

from membar.models.model import Model
from membar.program.operations import Join, Lock, Receive, Send
from membar.program.program import Program
from membar.properties.property import Property, has_operation, has_waiting_assumption


def _applies(program: Program, _: Model) -> bool:
    return has_operation(program, Lock, Join, Send, Receive) or has_waiting_assumption(program)


PROPERTY = Property(
    name="deadlock",
    title="the threads never wait for one another for ever",
    applies=_applies,
)
