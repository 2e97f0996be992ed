"""A candidate execution of a Program: the events and relations that cat models are about."""

from __future__ import annotations

import enum
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from membar.program.operations import Tags
from membar.program.pairs import Pairs, Relation
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
        tags: the ordering annotations of the operation.
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
    (see `program/origins.py`). A long run of a store-buffer machine, which is shown step by step, has neither
    `po` nor dependencies nor `spawn_join`.
    """

    events: tuple[Event, ...]
    po: Relation
    rf: tuple[tuple[int, int], ...]  # (write, read)
    co: tuple[tuple[int, ...], ...]
    addr: Relation = frozenset()
    data: Relation = frozenset()
    ctrl: Relation = frozenset()
    amo: Relation = frozenset()
    lxsx: Relation = frozenset()
    spawn_join: Relation = frozenset()
    registers: tuple[tuple[tuple[str, int], ...], ...] = ()  # final values, per thread, sorted by name
    pick_addr: Relation = frozenset()
    pick_data: Relation = frozenset()
    pick_ctrl: Relation = frozenset()


def final_memory(execution: Execution) -> dict[int, int]:
    """The last value of every cell that occurs in a whole execution."""
    memory: dict[int, int] = {}
    for order in execution.co:
        last = execution.events[order[-1]]
        if last.cell is not None:
            memory[last.cell] = last.value
    return memory


def in_order(events: Sequence[Event], unordered: Collection[int]) -> Relation:
    """The program order of one thread's events, numbered from 0; the accesses of some steps have none."""
    together: dict[int, int] = {}
    for event in events:
        if event.step in unordered:
            together[event.step] = together.get(event.step, 0) | 1 << event.id
    everything = (1 << len(events)) - 1
    later = (everything >> (event.id + 1) << (event.id + 1) for event in events)
    return Pairs([row & ~together.get(event.step, 0) for event, row in zip(events, later, strict=True)])
