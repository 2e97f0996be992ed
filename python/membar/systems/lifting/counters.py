"""Counters of arrived threads: each thread adds one, and the last one sees that all have arrived."""

from __future__ import annotations

from collections.abc import Iterator

from membar.program import expr as e
from membar.program.dependencies import expressions_of
from membar.program.operations import Load, Operation, Rmw, Store
from membar.program.program import MemoryObject, Program
from membar.program.template import NUMBER
from membar.systems.lifting.steps import LEAST_BITS, SmallStep, Steps, strip_extensions


def tallies(program: Program, per_thread: frozenset[str], steps: Steps) -> frozenset[str]:
    """The variables that begin at 0, are only increased, read and set to 0, and compared with all threads."""
    found: set[str] = set()
    for item in program.objects:
        if item.count != 1 or item.name in per_thread or any(item.initial):
            continue
        if 8 * item.size < LEAST_BITS:
            continue  # it may wrap around while threads come
        using = [step.operation for step in steps.steps if _mentions(step, item.name)]
        added = [op for op in using if isinstance(op, Rmw)]
        results = {op.register for op in using if isinstance(op, Rmw | Load)}
        if added and all(_is_counter_operation(op, item) for op in using) and _is_compared(results, steps):
            found.add(item.name)
    return frozenset(found)


def _mentions(step: SmallStep, name: str) -> bool:
    return any(address.name == name for expr in _expressions(step) for address in e.addresses_of(expr))


def _expressions(step: SmallStep) -> Iterator[e.Expr]:
    yield step.guard
    if step.operation is not None:
        yield from expressions_of(step.operation)


def _is_counter_operation(operation: Operation | None, item: MemoryObject) -> bool:
    match operation:
        case Load():
            fits = True
        case Store(value=value):
            fits = value == e.Constant(0)
        case Rmw(register=register, value=value, condition=condition):
            next_one = e.Binary(e.BinaryOp.ADD, e.Register(register), e.Constant(1))
            fits = strip_extensions(value) == next_one and condition == e.TRUE
        case _:
            return False
    return fits and operation.address == e.Address(item.name) and operation.size == item.size


def _is_compared(registers: set[str], steps: Steps) -> bool:
    """Whether one of the registers is compared with the number of threads."""
    for step in steps.steps:
        for expr in _expressions(step):
            names = set(e.registers_of(expr))
            if NUMBER in names and names & registers:
                return True
    return False
