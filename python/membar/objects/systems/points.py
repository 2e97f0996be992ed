"""Linearization points of a line, as alternatives of its step."""

from __future__ import annotations

from membar.objects.syntax import ConcurrentObject, Line, LinearizationPoint, Operation, Return
from membar.objects.terms import TRUE, Space, Term, Variable, conjunction, negation
from membar.records import record

ARGUMENTS = "@call"


@record(frozen=True, slots=True)
class Alternative:
    """A step of a line takes effect by this point, or by none, if the condition holds before it."""

    point: LinearizationPoint | None
    condition: Term


@record(frozen=True, slots=True)
class Points:
    """The linearization points of an object."""

    about: ConcurrentObject

    def at(self, line: Line) -> tuple[Alternative, ...]:
        """What a step of the line can be; exactly one condition holds."""
        found: list[Alternative] = []
        refused: list[Term] = []
        for point in self.about.points:
            if point.line == line.label:
                found.append(Alternative(point, conjunction((*refused, point.when))))
                refused.append(negation(point.when))
                if point.when == TRUE:
                    return tuple(found)
        return (*found, Alternative(None, conjunction(tuple(refused))))

    def results(self, point: LinearizationPoint) -> tuple[Term, ...] | None:
        """The results that the operation will return, in the state after the line; None if undetermined.

        Nothing, if it never returns.
        """
        if point.results is not None:
            return point.results
        operation = self.about.operation(point.operation)
        returned = {line.action.results for line in operation.lines if isinstance(line.action, Return)}
        if not returned:
            return ()
        return returned.pop() if len(returned) == 1 else None


def outputs(operation: Operation, owner: str) -> tuple[Variable, ...]:
    """Where the promised results of an operation are kept; `owner` says for whom."""
    return tuple(Variable(Space.LOCAL, f"@{number}", owner) for number in range(1, operation.results + 1))


def inputs(operation: Operation, owner: str) -> tuple[Variable, ...]:
    """Its parameters; `owner` is its name, or who keeps them."""
    return tuple(Variable(Space.LOCAL, name, owner) for name in operation.parameters)


def arguments(operation: Operation) -> tuple[Variable, ...]:
    """What a call is given: any values."""
    return tuple(Variable(Space.LOCAL, name, ARGUMENTS) for name in operation.parameters)
