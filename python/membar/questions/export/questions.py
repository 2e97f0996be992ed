"""The conditions, error states and claims of a program, over the variables of its translation."""

from __future__ import annotations

from collections.abc import Iterator

from membar.models.model import Operational
from membar.program.expr import FALSE, Binary, BinaryOp, Constant, Expr, Register, equals
from membar.program.folding import substitute_values
from membar.program.predicate import AtPoint, CellValue, Observable, RegisterValue, StatePredicate
from membar.program.temporal import And, Atom, Formula, Next, Or, Truth, finally_, globally
from membar.questions.export.layout import count_of, memory_of, register_of
from membar.questions.export.model import Kind, Model, Variable, at


def over_variables(model: Model, predicate: StatePredicate) -> Expr:
    """A predicate over variables of the translation."""
    return substitute_values(
        predicate.expression, {name: _observe(model, seen) for name, seen in predicate.reads}
    )


def _observe(model: Model, seen: Observable) -> Expr:
    program = model.program
    match seen:
        case CellValue(name, index):
            cell = program.cell_at[program.bases[name] + index * program.object(name).size]
            return memory_of(cell.id).atom
        case RegisterValue(thread, register):
            return register_of(thread, register).atom
        case AtPoint(thread, points):
            found: Expr = FALSE
            for point in sorted(points & program.threads[thread].outgoing.keys()):
                here = at(thread, point)
                found = here if found == FALSE else Binary(BinaryOp.OR, found, here)
            if program.threads[thread].started:
                return found
            return Binary(BinaryOp.AND, Variable(kind=Kind.BORN, thread=thread).atom, found)


def fairness(model: Model) -> Formula:
    """The condition that every queue of stores is infinitely often empty or flushed.

    One condition per thread, under pso per thread and location. That a queue of `n` entries has one fewer in
    the next state is that it was flushed; where one entry is flushed, the queue is empty.
    """
    result: Formula = Truth(value=True)
    for length, most in _queues(model):
        is_served: Formula = _is(length, 0)
        for entries in range(2, most + 1):
            flushed = And(_is(length, entries), Next(_is(length, entries - 1)))
            is_served = Or(is_served, flushed)
        one = globally(finally_(is_served))
        result = one if result == Truth(value=True) else And(result, one)
    return result


def _is(length: Register, value: int) -> Formula:
    return Atom(StatePredicate(equals(length, Constant(value)), ()))


def _queues(model: Model) -> Iterator[tuple[Register, int]]:
    for variable in model.variables.values():
        if variable.kind is Kind.LENGTH:
            yield variable.atom, model.queues[variable.thread]
        elif variable.kind is Kind.COUNT and model.discipline is Operational.PSO:
            yield count_of(variable.thread, variable.cell), model.bound
