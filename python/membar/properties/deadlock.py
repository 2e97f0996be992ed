"""No state is reached in which some thread has not ended and nothing can move."""

from __future__ import annotations

from membar.models.model import Model
from membar.program.operations import Assume, Join, Lock, Receive, Send
from membar.program.program import Program
from membar.properties.property import Property, has_operation


def _applies(program: Program, _: Model) -> bool:
    operations = (op for thread in program.threads for edge in thread.edges for op in edge.operations)
    return has_operation(program, Lock, Join, Send, Receive) or any(
        isinstance(operation, Assume) and operation.waits for operation in operations
    )


PROPERTY = Property(
    name="deadlock",
    title="the threads never wait for one another for ever",
    applies=_applies,
)
