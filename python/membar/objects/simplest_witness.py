"""Chooses the execution to show: the one in which threads see the least of each other."""

from __future__ import annotations

from membar.program.execution import Execution


def count_reads_from_others(execution: Execution) -> int:
    """How many reads see a write of another thread."""
    events = execution.events
    pairs = ((events[write], events[read]) for write, read in execution.rf)
    return sum(not write.is_initial and write.thread != read.thread for write, read in pairs)
