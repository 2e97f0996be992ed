"""How long the executions of a thread are: too long ones are refused before an engine tries them."""

from __future__ import annotations

from typing import Final

from membar.languages.c.flow import TooLargeError
from membar.program.dependencies import reads_memory, writes_memory
from membar.program.program import Program, Thread

MOST_ACCESSES: Final = 10_000
"""Of one thread in one execution: each relation has a bit for each pair of them, 12 MB."""


def check_length(program: Program) -> None:
    """Finds threads that make too many accesses one after the other, their loops taken once.

    Raises:
        TooLargeError: there is one.
    """
    for thread in program.threads:
        count = _longest(thread)
        if count > MOST_ACCESSES:
            raise TooLargeError(
                f"thread {thread.name} makes up to {count} accesses of memory in one execution, calls and "
                f"loops written out; at most {MOST_ACCESSES} can be followed"
            )


def _longest(thread: Thread) -> int:
    """Accesses on the longest way through a thread. Points are numbered as they are met: loops lead back."""
    best: dict[int, int] = {thread.entry: 0}
    for edge in sorted(thread.edges, key=lambda edge: edge.source):
        if edge.target > edge.source and edge.source in best:
            accesses = sum(reads_memory(item) or writes_memory(item) for item in edge.operations)
            best[edge.target] = max(best.get(edge.target, 0), best[edge.source] + accesses)
    return max(best.values())
