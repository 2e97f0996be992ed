"""Executions that stay as they are for ever, although memory is fair and every thread runs on.

A thread that waits goes on when it sees something else. A fair memory shows the last write of each location
sooner or later, and then always. So a thread waits for ever only if its turn saw the last write of all that
it looked at, and nobody writes any more: everybody else has ended, waits so too, or waits for the end of a
thread that does not end. A thread whose assumption failed is no part of a real execution.
"""

from __future__ import annotations

from collections.abc import Sequence

from membar.engines.reference.trace import Status, Trace
from membar.program.execution import Execution, Kind

_STAYS = frozenset({Status.COMPLETE, Status.UNBORN, Status.WAITING})


def is_stuck(chosen: Sequence[Trace], execution: Execution) -> bool:
    """Whether somebody waits for ever in the execution that consists of these runs."""
    waiting = [trace for trace in chosen if trace.status is Status.WAITING]
    stays = all(trace.status in _STAYS or trace.waits_for is not None for trace in chosen)
    return bool(waiting) and stays and all(_sees_last(trace, execution) for trace in waiting)


def _sees_last(trace: Trace, execution: Execution) -> bool:
    """Whether every read of the last turn takes the last write of its location."""
    last = {order[-1] for order in execution.co}
    sources = {read: write for write, read in execution.rf}
    own = [event for event in execution.events if event.thread == trace.thread]
    looks = [event for event in own[trace.looks_from :] if event.kind is Kind.READ]
    return all(sources[event.id] in last for event in looks)
