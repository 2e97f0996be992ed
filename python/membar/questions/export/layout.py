"""Where the store buffers of a program are kept, and how stores leave them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from membar.engines.reference.state import FenceEffect
from membar.models.model import Operational
from membar.program.expr import FALSE, Binary, BinaryOp, Constant, Expr, Register, equals
from membar.program.operations import Tags
from membar.program.program import Program
from membar.questions.export.model import GuardedStep, Kind, Variable
from membar.records import record


@record(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where the buffers of a program are kept.

    Attributes:
        program: the program.
        discipline: what its buffers do.
        bound: k.
        buffered: for each thread the cells that it may buffer stores of, in order.
        fence: what a fence does to the own buffer.
        atomic: what a store waits for before it writes memory at once.
    """

    program: Program
    discipline: Operational
    bound: int
    buffered: tuple[tuple[int, ...], ...]
    fence: Callable[[Tags], FenceEffect]
    atomic: Callable[[Tags], FenceEffect]

    @property
    def has_queues(self) -> bool:
        """Whether stores to different locations reach memory in order."""
        return self.discipline in (Operational.TSO, Operational.CAM)

    def is_empty(self, thread: int) -> list[Expr]:
        """The condition that the buffer of a thread is empty."""
        if not self.buffered[thread]:
            return []
        if self.has_queues:
            return [equals(Variable(kind=Kind.LENGTH, thread=thread).atom, FALSE)]
        return [equals(count_of(thread, cell), FALSE) for cell in self.buffered[thread]]


def count_of(thread: int, cell: int) -> Register:
    """How many stores of a location a thread has buffered."""
    return Variable(kind=Kind.COUNT, thread=thread, cell=cell).atom


def slot_of(thread: int, cell: int, slot: int) -> Variable:
    """A buffered store; slot 0 is the newest."""
    return Variable(kind=Kind.SLOT, thread=thread, cell=cell, slot=slot)


def memory_of(cell: int) -> Variable:
    """A location of shared memory."""
    return Variable(kind=Kind.MEMORY, cell=cell)


def register_of(thread: int, name: str) -> Variable:
    """A register of a thread."""
    return Variable(kind=Kind.REGISTER, thread=thread, register=name)


def number_of(layout: Layout, thread: int, cell: int) -> int:
    """The number of a location in a thread's queue: from 1, so that 0 is not a location."""
    return layout.buffered[thread].index(cell) + 1


def queue_size(layout: Layout, thread: int) -> int:
    """How many stores the queue of a thread can hold; 0 where it has none."""
    if not layout.has_queues or not layout.buffered[thread]:
        return 0
    return layout.bound * (1 if layout.discipline is Operational.TSO else len(layout.buffered[thread]))


def flushes_of(layout: Layout, thread: int) -> Iterator[GuardedStep]:
    """How the stores of a thread reach memory."""
    bound, cells = layout.bound, layout.buffered[thread]
    length = Variable(kind=Kind.LENGTH, thread=thread).atom
    queue = [Variable(kind=Kind.QUEUE, thread=thread, slot=n) for n in range(queue_size(layout, thread))]
    for cell in cells:
        for taken in range(1, bound + 1):
            guards: list[Expr] = []
            if layout.has_queues:
                guards.append(equals(queue[0].atom, Constant(number_of(layout, thread, cell))))
            if bound > 1 or not layout.has_queues:
                guards.append(equals(count_of(thread, cell), Constant(taken)))
            oldest = slot_of(thread, cell, taken - 1)
            writes: list[tuple[str, Expr]] = [
                (memory_of(cell).key, oldest.atom),
                (oldest.key, FALSE),
                (count_of(thread, cell).name, Constant(taken - 1)),
            ]
            if layout.has_queues:
                writes += [(one.key, other.atom) for one, other in pairwise(queue)]
                writes.append((queue[-1].key, FALSE))
                writes.append((length.name, Binary(BinaryOp.SUB, length, Constant(1))))
            yield GuardedStep(thread=thread, guards=tuple(guards), writes=tuple(writes))
