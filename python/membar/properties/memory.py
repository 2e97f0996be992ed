"""No access goes through a pointer that points to no location."""

from __future__ import annotations

from membar.program.dependencies import reads_memory, registers_read, writes_memory
from membar.program.program import Program
from membar.properties.property import Property


def _has_pointers(program: Program) -> bool:
    return any(
        (reads_memory(operation) or writes_memory(operation)) and registers_read(operation).address
        for thread in program.threads
        for edge in thread.edges
        for operation in edge.operations
    )


PROPERTY = Property(
    name="memory",
    title="every access goes to a location that exists",
    # A litmus test asks its own question; a stray pointer in it is bad input.
    applies=lambda program, _: program.condition is None and _has_pointers(program),
)
