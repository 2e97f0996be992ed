"""No thread is blocked forever while the process has not ended."""

from __future__ import annotations

from collections.abc import Sequence

from membar.models.model import Model
from membar.program.grace_periods import may_never_end
from membar.program.operations import Join, Receive, Send
from membar.program.program import Program
from membar.properties.property import Property, has_operation, waits_outside_loops

# How the message of a witness begins.
DEADLOCK = "deadlock:"


def _applies(program: Program, _: Model) -> bool:
    return (
        has_operation(program, Join, Send, Receive) or waits_outside_loops(program) or may_never_end(program)
    )


def deadlock_of(threads: Sequence[str]) -> str:
    """The message of a witness in which these threads are deadlocked."""
    return f"{DEADLOCK} {', '.join(threads)} cannot go on"


PROPERTY = Property(
    name="deadlock",
    title="no thread is blocked forever",
    covers="a thread that can never move again, in a lock, a join, a barrier, a condition variable, a"
    " semaphore, a grace period of RCU, a channel or a blocked statement, while the process has not ended;"
    " waiting at an end label of Promela is allowed",
    applies=_applies,
    advice="The locations are those of the threads that wait for each other.",
)
