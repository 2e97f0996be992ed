"""No state is reached in which some thread has not ended and nothing can move."""

from __future__ import annotations

from membar.models.model import Model
from membar.program.execution import Execution
from membar.program.operations import Join, Lock, Receive, Rmw, Send, Spawn
from membar.program.program import Program, Thread
from membar.properties.property import (
    Property,
    has_operation,
    has_waiting_assumption,
    has_waiting_guard,
)

# The word that the read of a lock carries which finds it taken.
TAKEN = "LF"


def _applies(program: Program, _: Model) -> bool:
    return (
        has_operation(program, Lock, Join, Send, Receive)
        or has_waiting_assumption(program)
        or has_waiting_guard(program)
    )


def is_deadlock_waiting(program: Program) -> bool:
    """Whether every deadlock shows as a loop that waits for ever.

    So it is if threads wait only in loops and for the end of other threads, each of which was started before
    by the very thread that waits: then whoever keeps all others waiting is in a loop.
    """
    waits = has_waiting_assumption(program) or has_waiting_guard(program)
    if waits or has_operation(program, Lock, Send, Receive):
        return False
    return not has_operation(program, Join) or all(map(_starts_before_joining, program.threads))


def _starts_before_joining(thread: Thread) -> bool:
    """Whether every way to a join of a thread passes its start; a forward analysis."""
    started: dict[int, frozenset[str]] = {thread.entry: frozenset()}
    todo = [thread.entry]
    while todo:
        point = todo.pop()
        for edge in thread.outgoing[point]:
            after = started[point] | {item.thread for item in edge.operations if isinstance(item, Spawn)}
            joined = after if edge.target not in started else after & started[edge.target]
            if edge.target not in started or joined != started[edge.target]:
                started[edge.target] = joined
                todo.append(edge.target)
    return all(
        item.thread in started[edge.source]
        for edge in thread.edges
        if edge.source in started
        for item in edge.operations
        if isinstance(item, Join)
    )


def spins_at_locks(program: Program) -> bool:
    """Whether threads wait for a lock in loops that look at it: then a deadlock is no state without steps."""
    return any(
        TAKEN in (operation.failed_tags or ())
        for thread in program.threads
        for edge in thread.edges
        for operation in edge.operations
        if isinstance(operation, Rmw)
    )


def waits_for_locks(execution: Execution) -> bool:
    """Whether somebody who waits at the end of an execution looks at a lock that is taken."""
    last = {event.thread: event for event in execution.events}
    return any(TAKEN in event.tags for event in last.values())


PROPERTY = Property(
    name="deadlock",
    title="the threads never wait for one another for ever",
    applies=_applies,
)
