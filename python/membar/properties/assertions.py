"""No execution reaches an assertion whose condition is false."""

from __future__ import annotations

from membar.program.operations import Assert
from membar.properties.property import Property

NAME = "assertions"

PROPERTY = Property(
    name=NAME,
    title="no assertion fails",
    applies=lambda program, _: (
        Assert in program.operation_kinds
        and any(
            isinstance(operation, Assert) and operation.property == NAME
            for thread in program.threads
            for edge in thread.edges
            for operation in edge.operations
        )
    ),
)
