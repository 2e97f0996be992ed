"""States of the store-buffer machine, and the description of a step between two of them."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import TypeAlias

from membar.diagnostics import Diagnostic
from membar.models.model import Operational
from membar.program.expr import MASK, signed
from membar.program.predicate import AtPoint, CellValue, Observable, RegisterValue
from membar.program.program import Program
from membar.records import record


class FenceEffect(enum.IntEnum):
    """What a fence does to the own buffer, weakest first."""

    NOTHING = 0
    ORDER_STORES = 1  # later stores are not flushed before earlier ones
    DRAIN = 2  # waits until the buffer is empty
    DRAIN_ALL = 3  # waits until all buffers are empty


# The fence of all buffers (`sync` of Linden and Wolper); no processor has it, so no axiomatic model knows it.
FLUSH_ALL = "FLUSH-ALL"

# What the fences of each machine do. Under sc all do nothing, known or not.
FENCES: Mapping[Operational, Mapping[str, FenceEffect]] = {
    Operational.TSO: {
        "MFENCE": FenceEffect.DRAIN,
        "SFENCE": FenceEffect.NOTHING,
        "LFENCE": FenceEffect.NOTHING,
        FLUSH_ALL: FenceEffect.DRAIN_ALL,
    },
    Operational.PSO: {
        "MFENCE": FenceEffect.DRAIN,
        "SFENCE": FenceEffect.ORDER_STORES,
        "LFENCE": FenceEffect.NOTHING,
        FLUSH_ALL: FenceEffect.DRAIN_ALL,
    },
    Operational.CAM: {
        "MFENCE": FenceEffect.DRAIN,
        "SFENCE": FenceEffect.NOTHING,
        "LFENCE": FenceEffect.NOTHING,
        FLUSH_ALL: FenceEffect.DRAIN_ALL,
    },
}
# Stores that are atomic: they wait for the own buffer, or for all buffers, and write memory at once.
ATOMIC: Mapping[str, FenceEffect] = {"ATOMIC": FenceEffect.DRAIN, "ATOMIC-ALL": FenceEffect.DRAIN_ALL}
# A store with it writes memory at once and waits for nothing: no processor has the variable.
GHOST = "GHOST"
# An RMW with this tag waits for an empty buffer even if it writes nothing.
# What DiVinE 2 did after a run-time error is one step of everybody.
SC_ONLY = "SC-ONLY"
LOCKED = "X"
# The tags that accesses may have: they mark what the operation already says.
MARKS = frozenset({"RMW", "EX", "LF"})

# A buffer entry: (cell, value), or a mark: (BARRIER, 0), (BIRTH, thread).
Entry: TypeAlias = tuple[int, int]
BARRIER = -1
BIRTH = -2


@record(frozen=True, slots=True, order=True)
class Promise:
    """A store-conditional in the buffer: no other thread's store may come between what was read and it.

    Both are counted in entries of the cell that must reach memory first: up to the one that was read (0 or
    less: it is in memory), and up to the store itself.
    """

    cell: int
    read: int
    written: int


@record(frozen=True, slots=True)
class Local:
    """One thread's part of a state.

    Attributes:
        point: the control point.
        registers: their values, sorted by name; those that hold 0 are not listed.
        buffer: its stores on their way to memory, oldest first, and marks between them.
        monitor: reservations of exclusive loads: (cell, own entries up to the one that was read).
        promises: reservations that a store in the buffer has used.
        born: whether it has been started.
    """

    point: int
    registers: tuple[tuple[str, int], ...]
    buffer: tuple[Entry, ...] = ()
    monitor: tuple[tuple[int, int], ...] = ()
    promises: tuple[Promise, ...] = ()
    born: bool = True


@record(frozen=True, slots=True)
class State:
    """A state of the machine."""

    memory: tuple[int, ...]
    locals: tuple[Local, ...]
    channels: tuple[tuple[tuple[int, ...], ...], ...] = ()


def in_normal_form(registers: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """Registers as states keep them: who never touched one is where who set it to 0 is."""
    return tuple(sorted((name, word) for name, word in registers.items() if word))


def look(program: Program, state: State, seen: Observable) -> int:
    """What an observable is in a state."""
    match seen:
        case CellValue(name, index):
            cell = program.cell_at[program.bases[name] + index * program.object(name).size]
            word = state.memory[cell.id]
            return signed(word, 8 * cell.object.size) & MASK if cell.object.signed else word
        case RegisterValue(thread, register):
            return dict(state.locals[thread].registers).get(register, 0)
        case AtPoint(thread, points):
            local = state.locals[thread]
            return int(local.born and local.point in points)


class MemoryAction(enum.Enum):
    """What happened to memory inside a step."""

    READ = "read"
    BUFFERED = "buffer"
    WROTE = "write"  # directly to memory
    FENCED = "fence"
    FLUSHED = "flush"


@record(frozen=True, slots=True)
class ThreadAction:
    """One thing a thread did in a step, with the cell (-1 for fences) and the value."""

    did: MemoryAction
    cell: int
    value: int
    thread: int


class Halt(enum.Enum):
    """Why an edge was not taken."""

    WAITS = "waits"
    DRAINS = "waits for store buffers"
    HELD = "held back"  # by the bound of the store buffer
    UNFIT = "does not fit"  # into an empty buffer: it never happens
    BLOCKED = "blocked"
    FAILED = "failed"
    FAULT = "fault"


class HaltError(Exception):
    """An edge that cannot be taken (now)."""

    def __init__(
        self, halt: Halt, message: str = "", fault: Diagnostic | None = None, thread: int | None = None
    ) -> None:
        super().__init__(halt.value)
        self.halt = halt
        self.message = message
        self.fault = fault
        self.thread = thread
        self.edge: tuple[int, int] | None = None


@record(frozen=True, slots=True, kw_only=True)
class Partner:
    """The other side of a rendezvous: who receives, on which edge, and its choices."""

    thread: int
    edge: int
    choices: tuple[int, ...] = ()


@record(frozen=True, slots=True, kw_only=True)
class Move:
    """A possible step.

    Attributes:
        thread: who moves.
        edge: index of the edge taken; None for a flush.
        after: the state it leads to; None if an assertion fails in it.
        acts: what it did to memory, in order.
        choices: what it adds to the thread's choices (see `threads`).
        failure: text of the failed assertion.
        partner: who receives in the same step what this thread sends without room in between.
    """

    thread: int
    edge: int | None
    after: State | None
    acts: tuple[ThreadAction, ...]
    choices: tuple[int, ...] = ()
    failure: str | None = None
    partner: Partner | None = None


@record(frozen=True, slots=True)
class Moves:
    """All that can happen in a state, and what kept the rest from happening."""

    moves: tuple[Move, ...]
    held_back: bool
    blocked: bool
    fault: Diagnostic | None
    unfit: tuple[int, int] | None = None  # a thread, and its edge that fits into no buffer
