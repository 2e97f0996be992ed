"""Predicates on one state of a running program: memory, registers and control points."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from membar.program.expr import Expr, evaluate
from membar.records import field, record


@record(frozen=True, slots=True)
class CellValue:
    """The value in memory of element `index` of an object, extended according to its sign.

    A store that still waits in a buffer is not seen.
    """

    name: str
    index: int = 0


@record(frozen=True, slots=True)
class RegisterValue:
    """The word in a register of thread number `thread`."""

    thread: int
    register: str


@record(frozen=True, slots=True)
class AtPoint:
    """1 if thread number `thread` has been started and is at one of the control points, else 0."""

    thread: int
    points: frozenset[int]


Observable: TypeAlias = CellValue | RegisterValue | AtPoint


@record(frozen=True, slots=True)
class StatePredicate:
    """An expression whose registers stand for observables: true of a state where it is not 0.

    Attributes:
        expression: over the names in `reads`, and no others.
        reads: what each name stands for.
        text: as the user wrote it, for reports.
        property: what a program violates that reaches such a state, where it must not: `errors`, or what else
            says so (`G p` is a claim). Two predicates that differ only in it, their text or name are equal.
        name: of the claim that forbids such states, if one does.
        assumed: of the claim `G (p -> q)`, the predicate `p`: if it is never true, the claim says nothing.
    """

    expression: Expr
    reads: tuple[tuple[str, Observable], ...]
    text: str = ""
    property: str = field(default="errors", compare=False)
    name: str = field(default="", compare=False)
    assumed: StatePredicate | None = field(default=None, compare=False, repr=False)

    def arrival(self) -> str:
        """That such a state is reached, in words."""
        return f"reaches {self.text or 'an error state'}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StatePredicate):
            return NotImplemented
        return (self.expression, self.reads) == (other.expression, other.reads)

    def __hash__(self) -> int:
        return hash((self.expression, self.reads))

    def holds(self, look: Callable[[Observable], int]) -> bool:
        """Whether it is true of the state that `look` shows."""
        return evaluate(self.expression, {name: look(seen) for name, seen in self.reads}, {}) != 0
