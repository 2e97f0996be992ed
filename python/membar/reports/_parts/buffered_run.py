"""The order in which a machine with store buffers performs an execution, whichever engine found it.

A store has two moments: it is issued, and later it reaches memory. Each relation of the execution puts two
such moments in order; sorting them gives a run. Nothing is searched, and no value is computed: the moments
of an execution that the machine allows form no cycle (Owens, Sarkar, Sewell, "A better x86 memory model:
x86-TSO", TPHOLs 2009).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

from membar.models.model import Operational
from membar.program.execution import Event, Execution, Kind
from membar.program.pairs import Relation
from membar.records import record
from membar.reports._parts.event import units
from membar.reports._parts.relations import closure, immediate_co, immediate_fr, reduction

_DRAINS = frozenset({"MFENCE", "FLUSH-ALL"})
_ORDERS_STORES = "SFENCE"
_LOCKED = "X"


@record(frozen=True, slots=True)
class Moment:
    """Events of one step that a thread performs, or one store that reaches memory."""

    events: tuple[Event, ...]
    is_flush: bool = False


def buffered_run(execution: Execution, discipline: Operational) -> tuple[Moment, ...] | None:
    """The moments of a run with store buffers; None if the machine has no such run.

    A store stays in its buffer for as long as it can: that is what shows what buffers do.
    """
    # A step whose accesses are unordered may read what it writes itself; store buffers have no such step.
    is_ordered = all(write < read for write, read in execution.rf if _is_same_thread(execution, write, read))
    if discipline is Operational.SC or not is_ordered:
        return None
    return _Sorting(execution, discipline).run()


def _is_same_thread(execution: Execution, one: int, other: int) -> bool:
    return execution.events[one].thread == execution.events[other].thread


def locked_events(execution: Execution) -> frozenset[int]:
    """Accesses of locked instructions, whose writes go to memory at once."""
    paired = {event for pair in execution.amo for event in pair}
    return frozenset(event.id for event in execution.events if _LOCKED in event.tags or event.id in paired)


class _Sorting:
    """The moments of an execution as numbers, and which of them come before which."""

    def __init__(self, execution: Execution, discipline: Operational) -> None:
        self._execution = execution
        self._discipline = discipline
        self._locked = locked_events(execution)
        steps = units(execution)
        stores = [event for unit in steps for event in unit if self._is_buffered(event)]
        self._moments = [*map(Moment, steps), *(Moment((store,), is_flush=True) for store in stores)]
        self._issued = {event.id: number for number, unit in enumerate(steps) for event in unit}
        self._in_memory = self._issued | {store.id: len(steps) + n for n, store in enumerate(stores)}
        self._after: list[set[int]] = [set() for _ in self._moments]

    def run(self) -> tuple[Moment, ...] | None:
        self._order_threads()
        self._order_memory()
        found = self._sort()
        return tuple(found) if len(found) == len(self._moments) else None

    def _is_buffered(self, event: Event) -> bool:
        return event.kind is Kind.WRITE and not event.is_initial and event.id not in self._locked

    def _before(self, one: int | None, other: int | None) -> None:
        if one is not None and other is not None and one != other:
            self._after[one].add(other)

    def _order_threads(self) -> None:
        """Program order, what leaves a buffer after what, and what waits for an empty one."""
        for thread in {event.thread for event in self._execution.events if not event.is_initial}:
            own = [n for n, moment in enumerate(self._moments) if moment.events[0].thread == thread]
            issued = [number for number in own if not self._moments[number].is_flush]
            for pair in pairwise(issued):
                self._before(*pair)
            self._order_buffer(issued)

    def _order_buffer(self, issued: Sequence[int]) -> None:
        waiting: list[int] = []  # moments at which the earlier stores of the thread reach memory
        barrier: list[int] = []
        for number in issued:
            events = self._moments[number].events
            if any(self._drains(event) for event in events):
                for flush in waiting:
                    self._before(flush, number)
            if any(_ORDERS_STORES in event.tags for event in events):
                barrier = list(waiting)
            for event in filter(self._is_buffered, events):
                flush = self._in_memory[event.id]
                self._before(number, flush)
                is_queue = self._discipline is not Operational.PSO
                for earlier in waiting if is_queue else barrier:
                    self._before(earlier, flush)
                waiting.append(flush)

    def _drains(self, event: Event) -> bool:
        return event.id in self._locked or bool(_DRAINS & event.tags)

    def _order_memory(self) -> None:
        """What one thread's moments say about another's."""
        execution, events = self._execution, self._execution.events
        for write, read in execution.rf:
            if events[write].thread != events[read].thread:
                self._before(self._in_memory.get(write), self._issued[read])
        for earlier, later in immediate_co(execution):
            self._before(self._in_memory.get(earlier), self._in_memory.get(later))
        for read, overwriting in immediate_fr(execution):
            self._before(self._issued[read], self._in_memory.get(overwriting))
        for earlier, later in _orders_of_threads(execution.spawn_join):
            self._before(self._in_memory.get(earlier), self._issued.get(later))
            self._before(self._issued.get(earlier), self._issued.get(later))

    def _sort(self) -> list[Moment]:
        """A topological order: steps before flushes, and one thread as long as it can go on."""
        missing = [0] * len(self._moments)
        for following in self._after:
            for number in following:
                missing[number] += 1
        steps = [n for n, count in enumerate(missing) if not count and not self._moments[n].is_flush]
        flushes = [n for n, count in enumerate(missing) if not count and self._moments[n].is_flush]
        heapify(flushes)
        found: list[Moment] = []
        current = -2
        while steps or flushes:
            if steps:
                number = min(steps, key=lambda n: (self._moments[n].events[0].thread != current, n))
                steps.remove(number)
                current = self._moments[number].events[0].thread
            else:
                number = heappop(flushes)
            found.append(self._moments[number])
            for later in self._after[number]:
                missing[later] -= 1
                if not missing[later] and self._moments[later].is_flush:
                    heappush(flushes, later)
                elif not missing[later]:
                    steps.append(later)
        return found


def _orders_of_threads(spawn_join: Relation) -> Iterator[tuple[int, int]]:
    yield from reduction(closure(spawn_join))
