"""Uses after free that are in no execution, because the check before the access came in time.

A program asks before an access whether its memory has ended; a processor may delay the access, and not the
question, beyond that end. If what ends the memory wrote to it too, as allocators do, and wrote what is there
already, then the access could come after that write without any other difference, unless the order of the
model leads from the access to the end (docs/decisions/0082).
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Collection, Iterator
from itertools import pairwise

from membar.models.evaluate import relation
from membar.models.model import Model
from membar.program.allocations import owner_of_lifetime
from membar.program.execution import Event, Execution, Kind
from membar.program.program import Cell, Program
from membar.questions.outcome import Witness
from membar.records import replace

DELAYED = "use after free: an access"
"""How the message about such an access begins."""


def take_delayed_use(program: Program, model: Model, witness: Witness) -> Witness | None:
    """The witness, with the message that one of its accesses may come after the end of its memory."""
    found = delayed_use(program, model, witness.execution)
    if found is None:
        return None
    access, end = found
    message = (
        f"{DELAYED}{_at(access)} may be delayed beyond the end of its memory{_at(end)}: {model.name} does not"
        " order the two"
    )
    return replace(witness, message=message)


def _at(event: Event) -> str:
    return "" if event.span is None else f" at {event.span.place}"


def delayed_use(program: Program, model: Model, execution: Execution) -> tuple[Event, Event] | None:
    """An access of an execution, and the end of its memory that it may come after."""
    if model.plan is None or not model.claims.settled_order:
        return None
    uses = list(_Uses(program, execution).in_time())
    if not uses:
        return None
    order = _Order(execution, relation(model.plan, execution, model.claims.settled_order))
    return next(((access, end) for access, end in uses if order.may_come_after(access, end)), None)


class _Uses:
    """The accesses of an execution that are preceded by the question whether their memory has ended."""

    def __init__(self, program: Program, execution: Execution) -> None:
        self.events = execution.events
        self.cells = program.cells
        lifetimes = (cell for cell in program.cells if owner_of_lifetime(cell.object) is not None)
        self.lifetimes = sorted(lifetimes, key=lambda cell: cell.address)
        self.addresses = [cell.address for cell in self.lifetimes]
        self.source = {read: write for write, read in execution.rf}
        self.next = {one: other for order in execution.co for one, other in pairwise(order)}

    def in_time(self) -> Iterator[tuple[Event, Event]]:
        """Each such access whose memory another thread ends later, with this end."""
        if not self.lifetimes:
            return
        for check, access in pairwise(self.events):
            end = self._end_after(check)
            if end is not None and self._is_use(check, access) and end.thread != access.thread:
                yield access, end

    def _end_after(self, check: Event) -> Event | None:
        """What ends the memory, if a read finds that it has not ended."""
        if check.kind is not Kind.READ or check.value or check.cell is None:
            return None
        if owner_of_lifetime(self.cells[check.cell].object) is None:
            return None
        following = self.next.get(self.source[check.id])
        end = None if following is None else self.events[following]
        return end if end is not None and end.value else None

    def _is_use(self, check: Event, access: Event) -> bool:
        """Whether an access that follows a check is to the memory that the check is about."""
        if access.thread != check.thread or access.kind is Kind.FENCE or access.cell is None:
            return False
        return self._lifetime_of(self.cells[access.cell]) == check.cell

    def _lifetime_of(self, cell: Cell) -> int | None:
        """The cell that says whether the memory around a cell has ended: the next one in front of it."""
        at = bisect(self.addresses, cell.address)
        found = self.lifetimes[at - 1] if at else None
        return None if found is None or found.address == cell.address else found.id


class _Order:
    """Which accesses of an execution must come before an event."""

    def __init__(self, execution: Execution, settled: Collection[tuple[int, int]]) -> None:
        self.execution = execution
        self.before: dict[int, list[int]] = {}
        for one, other in settled:
            if one != other:
                self.before.setdefault(other, []).append(one)
        self._reaching: dict[int, frozenset[int] | None] = {}

    def may_come_after(self, access: Event, end: Event) -> bool:
        """Whether an access could see what an event would have written, had it written there."""
        if end.id not in self._reaching:
            self._reaching[end.id] = self._events_before(end)
        early = self._reaching[end.id]
        if early is None or access.id in early:
            return False
        # What the ending thread does there afterwards must come after the end, too.
        return not any(
            other.thread == end.thread and other.cell == access.cell and other.id in early
            for other in self.execution.events[end.id + 1 :]
        )

    def _events_before(self, end: Event) -> frozenset[int] | None:
        """The events that must come before an event; None if it is one of them itself."""
        own = [each.id for each in self.execution.events[: end.id] if each.thread == end.thread]
        found: set[int] = set(own)
        work = [*own, *self.before.get(end.id, ())]
        found.update(work)
        while work:
            for one in self.before.get(work.pop(), ()):
                if one not in found:
                    found.add(one)
                    work.append(one)
        return None if end.id in found else frozenset(found)
