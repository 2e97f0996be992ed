"""Calls that never return: clients whose threads may stop where a call can run forever.

A call that eventually returns needs no special treatment: whatever a history without its return shows, the
history with it shows too. But a thread that waits or loops forever never ends its execution, and engines do
not list it. So if that happens, or a loop was truncated, threads may give up at loop heads and before locks:
the execution up to there ends, and the call is pending.
"""

from __future__ import annotations

from membar.objects.orders import CALL
from membar.program.operations import Lock, Set
from membar.program.program import Edge, Program, Thread
from membar.records import replace


def waits_at_locks(program: Program) -> bool:
    """Whether some thread takes a lock: engines do not report whether it may wait there forever."""
    return Lock in program.operation_kinds


def with_giving_up(program: Program) -> Program:
    """The program whose calling threads may stop wherever they can wait."""
    return replace(program, threads=tuple(_giving_up(thread) for thread in program.threads))


def _giving_up(thread: Thread) -> Thread:
    if not any(_begins_a_call(edge) for edge in thread.edges):
        return thread
    heads = {thread.edges[number].target for number in thread.back_edges}
    locks = {edge.source for edge in thread.edges if any(isinstance(item, Lock) for item in edge.operations)}
    end = 1 + max(point for edge in thread.edges for point in (edge.source, edge.target))
    left = tuple(Edge(source=point, target=end) for point in sorted(heads | locks))
    return replace(thread, edges=(*thread.edges, *left))


def _begins_a_call(edge: Edge) -> bool:
    return any(isinstance(item, Set) and item.register.startswith(CALL) for item in edge.operations)
