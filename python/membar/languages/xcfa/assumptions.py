"""Failed assumptions: the execution ends there and is discarded.

An edge is taken only if its assumptions hold, and they are about values that were read before: whoever comes
to a point where none holds has taken the wrong edge, or read something that the text assumes away. It does
not wait, since it would not look again. So there a step leads out whose assumption never holds.
"""

from __future__ import annotations

from membar.program.blocking import has_open_guard, none_of
from membar.program.expr import FALSE
from membar.program.operations import Assume
from membar.program.program import Edge, Thread
from membar.records import replace


def with_ends(thread: Thread) -> Thread:
    """The thread with a step that is never completed wherever all guards may be closed."""
    free = 1 + max((thread.entry, *(max(edge.source, edge.target) for edge in thread.edges)))
    ends = []
    for point, leaving in thread.outgoing.items():
        if not leaving or has_open_guard(leaving):
            continue
        closed = none_of([edge.guard for edge in leaving])
        ends.append(
            Edge(source=point, target=free, guard=closed, operations=(Assume(FALSE),), span=leaving[0].span)
        )
    return replace(thread, edges=(*thread.edges, *ends)) if ends else thread
