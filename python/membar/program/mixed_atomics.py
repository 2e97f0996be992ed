"""Atomic accesses of several sizes to the same memory, which languages leave undefined."""

from __future__ import annotations

from membar.program.dependencies import reads_memory, writes_memory
from membar.program.expr import FALSE
from membar.program.operations import MEMORY, Assert
from membar.program.program import Edge, Program
from membar.records import replace

_MESSAGE = "an atomic access to memory that is also accessed atomically with another size is undefined"

_POSSIBLE = "atomic accesses that may overlap others of another size"


def without_mixed_atomics(program: Program) -> Program:
    """The program with a violation instead of each such access, or truncated if it is uncertain."""

    def checked(edge: Edge) -> Edge:
        span = edge.span
        if span is None or (span.path, span.start, span.end) not in program.mixed_atomics:
            return edge
        if not any(reads_memory(item) or writes_memory(item) for item in edge.operations):
            return edge
        if (span.path, span.start, span.end) in program.possibly_mixed:
            return replace(edge, target=edge.source, operations=(), unexplored=_POSSIBLE)
        wrong = Assert(FALSE, f"{_MESSAGE} ({span.place})", property=MEMORY)
        return replace(edge, operations=(wrong,))

    threads = tuple(replace(thread, edges=tuple(map(checked, thread.edges))) for thread in program.threads)
    return replace(program, threads=threads)
