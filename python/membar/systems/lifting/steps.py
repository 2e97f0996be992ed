"""Splits a thread into small steps, each a guard or one operation; liveness; registers that count threads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from membar.program.dependencies import registers_read, registers_written
from membar.program.expr import TRUE, Binary, BinaryOp, Constant, Expr, Extend, Register, registers_of
from membar.program.operations import Fence, Load, Lock, Operation, Rmw, Set, Store, Unlock
from membar.program.program import Thread
from membar.program.template import ME, NUMBER
from membar.records import record
from membar.source import Span

LEAST_BITS = 32
"""What counts threads has at least so many bits."""
ACCESSES = (Load, Store, Rmw, Lock, Unlock)


@record(frozen=True, slots=True, kw_only=True)
class SmallStep:
    """A step with a guard or an operation; the other one is trivial."""

    source: int
    target: int
    guard: Expr = TRUE
    operation: Operation | None = None
    span: Span | None = None

    @property
    def is_visible(self) -> bool:
        """Whether it accesses memory."""
        return isinstance(self.operation, (*ACCESSES, Fence))


@record(frozen=True)
class Steps:
    """A thread's steps, from its entry on."""

    entry: int
    steps: tuple[SmallStep, ...]
    initial: Mapping[str, int]
    span: Span | None

    @cached_property
    def leaving(self) -> Mapping[int, tuple[SmallStep, ...]]:
        """The steps that leave each point."""
        table: dict[int, list[SmallStep]] = {self.entry: []}
        for step in self.steps:
            table.setdefault(step.source, []).append(step)
            table.setdefault(step.target, [])
        return {point: tuple(steps) for point, steps in table.items()}

    @cached_property
    def live(self) -> Mapping[int, frozenset[str]]:
        """The registers whose value may still be used at each point."""
        live: dict[int, frozenset[str]] = dict.fromkeys(self.leaving, frozenset())
        changed = True
        while changed:
            changed = False
            for step in reversed(self.steps):
                found = live[step.source] | _registers_used(step) | (live[step.target] - _set(step))
                if found != live[step.source]:
                    live[step.source] = found
                    changed = True
        return live

    @cached_property
    def scanning(self) -> frozenset[str]:
        """Registers that count through all threads: from 0, one by one, compared with their number."""
        compared = {
            name
            for step in self.steps
            if NUMBER in registers_of(step.guard)
            for name in registers_of(step.guard)
        }
        starting = {
            step.operation.register
            for step in self.steps
            if isinstance(step.operation, Set) and step.operation.value == Constant(0)
        }
        found = compared & starting
        for step in self.steps:
            if not (isinstance(step.operation, Set) and _counts(step.operation)):
                found -= _set(step)
        return frozenset(found)


def _registers_used(step: SmallStep) -> frozenset[str]:
    used = frozenset(registers_of(step.guard))
    if step.operation is not None:
        used |= registers_read(step.operation).all
    return used - {ME, NUMBER}


def _set(step: SmallStep) -> frozenset[str]:
    written = () if step.operation is None else registers_written(step.operation)
    return frozenset(written)


def _counts(operation: Set) -> bool:
    """Whether a register is set to 0, or to one more."""
    return operation.value == Constant(0) or is_next(operation)


def is_next(operation: Set) -> bool:
    """Whether a register is set to one more than it was."""
    value = strip_extensions(operation.value)
    own = Register(operation.register)
    return value in (Binary(BinaryOp.ADD, own, Constant(1)), Binary(BinaryOp.ADD, Constant(1), own))


def strip_extensions(value: Expr) -> Expr:
    """An expression without conversions that leave thread numbers unchanged."""
    while isinstance(value, Extend) and value.width >= LEAST_BITS:
        value = value.operand
    return value


def steps_of(thread: Thread) -> Steps:
    """The thread, with a control point between any two operations."""
    points = [thread.entry, *(point for edge in thread.edges for point in (edge.source, edge.target))]
    fresh = iter(range(max(points) + 1, max(points) + 1 + _operations(thread)))
    steps: list[SmallStep] = []
    for edge in thread.edges:
        parts: list[tuple[Expr, Operation | None]] = [(TRUE, item) for item in edge.operations]
        if edge.guard != TRUE or not parts:
            parts.insert(0, (edge.guard, None))
        at = edge.source
        for number, (guard, operation) in enumerate(parts):
            target = edge.target if number == len(parts) - 1 else next(fresh)
            steps.append(
                SmallStep(source=at, target=target, guard=guard, operation=operation, span=edge.span)
            )
            at = target
    initial = {name: value for name, value in thread.registers if isinstance(value, int)}
    return Steps(thread.entry, tuple(steps), initial, thread.span)


def _operations(thread: Thread) -> int:
    return sum(1 + len(edge.operations) for edge in thread.edges)
