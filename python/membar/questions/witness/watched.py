"""A program whose only violation is the target of a route, with each thread following its part of the route.

For executions that are not interleavings: there is no global order of steps to compare, only that of each
thread. A register of each thread counts the waypoints that it has passed. No memory and no dependency is
added, so an execution of the watched program is one of the program; what fails elsewhere, or too early, is
excluded by an assumption.
"""

from __future__ import annotations

from membar.evidence.svcomp.places import Passing, Route
from membar.models.c_orders import PLAIN
from membar.program.expr import Address, Binary, BinaryOp, Constant, Expr, Extend, Register
from membar.program.operations import Assert, Assume, Load, Operation, Rmw, Set, Store
from membar.program.program import Edge, Program, Thread
from membar.questions.outcome import Witness
from membar.records import replace

POSITION = "guide$position"
_RELAXED = "RLX"
_HERE = Register(POSITION)


def restrict_to_route(program: Program, route: Route, property_: str) -> Program:
    """The program whose only violation is at the end of the route."""
    threads = tuple(
        _thread(program, number, thread, route, property_) for number, thread in enumerate(program.threads)
    )
    return replace(program, threads=threads)


def has_passed(witness: Witness, route: Route) -> bool:
    """Whether every thread has passed its whole part of the route in an execution of the watched program."""
    return all(
        dict(registers).get(POSITION, 0) == len(_steps(route, number))
        for number, registers in enumerate(witness.execution.registers)
    )


def _steps(route: Route, thread: int) -> list[Passing]:
    return [step for step in route.steps if step.thread == thread]


def _thread(program: Program, number: int, thread: Thread, route: Route, property_: str) -> Thread:
    steps = _steps(route, number)
    targets = frozenset(edge for target in route.targets if target.thread == number for edge in target.edges)
    edges: list[Edge] = []
    for index, edge in enumerate(thread.edges):
        wanted = property_ if index in targets else ""
        operations = [
            part for each in edge.operations for part in _assert_at_target(each, wanted, len(steps))
        ]
        advance = _advance(program, edge, index, steps)
        if advance is not None:
            operations.append(Set(POSITION, Binary(BinaryOp.ADD, _HERE, advance)))
        watching = replace(edge, operations=tuple(operations))
        edges += _racing(watching, wanted, len(steps)) if property_ == "races" else [watching]
    return replace(thread, edges=tuple(edges))


def _assert_at_target(operation: Operation, wanted: str, passed: int) -> tuple[Operation, ...]:
    """An assertion that counts only at the target, after the whole route; others become assumptions."""
    if not isinstance(operation, Assert):
        return (operation,)
    if operation.property != wanted:
        return (Assume(operation.condition),)
    is_right = Binary(BinaryOp.NE, operation.condition, Constant(0))
    return Assume(Binary(BinaryOp.OR, _equal(_HERE, passed), is_right)), operation


def _advance(program: Program, edge: Edge, index: int, steps: list[Passing]) -> Expr | None:
    """1 if an edge is what its thread must pass next, else 0; None if it never is."""
    found: Expr | None = None
    for position, step in enumerate(steps):
        condition = _condition(program, edge, step) if index in step.edges else None
        if condition is not None:
            is_next = Binary(BinaryOp.AND, _equal(_HERE, position), condition)
            found = is_next if found is None else Binary(BinaryOp.OR, found, is_next)
    return found


def _condition(program: Program, edge: Edge, step: Passing) -> Expr | None:
    """Whether an edge reads and writes the stated values; None if it does not access the variables."""
    condition: Expr = Constant(1)
    for told, is_read in ((step.before, True), (step.after, False)):
        for cell, word in told:
            item = program.cells[cell].object
            found = map(_value, edge.operations)
            value = next((each for each in found if each and each[:2] == (item.name, is_read)), None)
            if value is None:
                return None
            same = _equal(Extend(value[2], 8 * item.size, False), word)
            condition = Binary(BinaryOp.AND, condition, same)
    return condition


def _value(operation: Operation) -> tuple[str, bool, Expr] | None:
    """The variable that is read (or written), and the value, where the text names it."""
    match operation:
        case Load(register=register, address=Address(name=name, offset=0)):
            return name, True, Register(register)
        case Rmw(register=register, address=Address(name=name, offset=0)):
            return name, True, Register(register)
        case Store(value=value, address=Address(name=name, offset=0)):
            return name, False, value
        case _:
            return None


def _racing(edge: Edge, wanted: str, passed: int) -> list[Edge]:
    """A plain access that can race only as a target, after the whole route; elsewhere it is relaxed."""
    relaxed = replace(edge, operations=tuple(map(_relax, edge.operations)))
    if relaxed == edge:
        return [edge]
    if not wanted:
        return [relaxed]
    is_open = Binary(BinaryOp.NE, edge.guard, Constant(0))
    is_there = _equal(_HERE, passed)
    return [
        replace(edge, guard=Binary(BinaryOp.AND, is_open, is_there)),
        replace(relaxed, guard=Binary(BinaryOp.AND, is_open, Binary(BinaryOp.EQ, is_there, Constant(0)))),
    ]


def _relax(operation: Operation) -> Operation:
    match operation:
        case Load() | Store() if PLAIN in operation.tags:
            return replace(operation, tags=operation.tags - {PLAIN} | {_RELAXED})
        case _:
            return operation


def _equal(expr: Expr, value: int) -> Expr:
    return Binary(BinaryOp.EQ, expr, Constant(value))
