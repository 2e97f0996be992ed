"""One candidate execution of a Program: the events and relations that cat models speak about."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from membar.program.operations import Tags
from membar.records import field, record

if TYPE_CHECKING:
    from membar.source import Span

INIT_THREAD = -1


class Kind(enum.Enum):
    """What an event does."""

    READ = "R"
    WRITE = "W"
    FENCE = "F"


@record(frozen=True, slots=True, kw_only=True)
class Event:
    """A shared access or a fence.

    Attributes:
        id: position in `Execution.events`; initial writes come first, then thread by thread in program order.
        thread: index into `Program.threads`, or `INIT_THREAD`.
        kind: read, write or fence.
        cell: id of the cell accessed, or named by a fence; None for other fences.
        value: the word read or written (of the cell's size, unsigned); 0 for fences.
        tags: the ordering words of the operation.
        step: which edge occurrence of the thread it belongs to (0, 1, …); accesses of one edge share it.
        span: the user's text.
    """

    id: int
    thread: int
    kind: Kind
    cell: int | None = None
    value: int = 0
    tags: Tags = frozenset()
    step: int = -1
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def is_initial(self) -> bool:
        """Whether it is an initial write."""
        return self.thread == INIT_THREAD


@record(frozen=True, slots=True, kw_only=True)
class Execution:
    """Events with the base relations, as sets of pairs of event ids.

    `po` is transitive and relates events of one thread only. `rf` maps each read to the write it reads.
    `co` lists, for each cell that is written, its writes from the initial one to the last.
    `spawn_join` holds the pairs that thread creation and joining put in order. `addr`, `data` and `ctrl` are
    dependencies by data, `pick_addr`, `pick_data` and `pick_ctrl` those by the condition of a selection
    (see `program/origins.py`). A long run of a store-buffer machine, which is told step by step, has neither
    `po` nor dependencies nor `spawn_join`.
    """

    events: tuple[Event, ...]
    po: frozenset[tuple[int, int]]
    rf: tuple[tuple[int, int], ...]  # (write, read)
    co: tuple[tuple[int, ...], ...]
    addr: frozenset[tuple[int, int]] = frozenset()
    data: frozenset[tuple[int, int]] = frozenset()
    ctrl: frozenset[tuple[int, int]] = frozenset()
    amo: frozenset[tuple[int, int]] = frozenset()
    lxsx: frozenset[tuple[int, int]] = frozenset()
    spawn_join: frozenset[tuple[int, int]] = frozenset()
    registers: tuple[tuple[tuple[str, int], ...], ...] = ()  # final values, per thread, sorted by name
    pick_addr: frozenset[tuple[int, int]] = frozenset()
    pick_data: frozenset[tuple[int, int]] = frozenset()
    pick_ctrl: frozenset[tuple[int, int]] = frozenset()


def final_memory(execution: Execution) -> dict[int, int]:
    """The last value of every cell that occurs in a whole execution."""
    memory: dict[int, int] = {}
    for order in execution.co:
        last = execution.events[order[-1]]
        if last.cell is not None:
            memory[last.cell] = last.value
    return memory
