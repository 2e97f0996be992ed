"""Executions for tests, built from a few words."""

from __future__ import annotations

from membar.program.execution import INIT_THREAD, Event, Execution, Kind

KINDS = {"R": Kind.READ, "W": Kind.WRITE, "F": Kind.FENCE}


def execution(
    cells: int,
    threads: list[list[str]],
    *,
    rf: tuple[tuple[int, int], ...] = (),
    co: tuple[tuple[int, ...], ...] = (),
    amo: frozenset[tuple[int, int]] = frozenset(),
) -> Execution:
    """An execution over `cells` cells; an event is written `W0` (kind and cell) or `F`, then `.TAG`s."""
    events = [Event(id=cell, thread=INIT_THREAD, kind=Kind.WRITE, cell=cell) for cell in range(cells)]
    po: set[tuple[int, int]] = set()
    for thread, words in enumerate(threads):
        first = len(events)
        for word in words:
            what, *tags = word.split(".")
            cell = int(what[1:]) if what[1:] else None
            event = Event(id=len(events), thread=thread, kind=KINDS[what[0]], cell=cell, tags=frozenset(tags))
            po.update((earlier, event.id) for earlier in range(first, event.id))
            events.append(event)
    return Execution(events=tuple(events), po=frozenset(po), rf=rf, co=co, amo=amo)


# Store buffering: 0, 1 initial; 2: Wx, 3: Ry; 4: Wy, 5: Rx; both reads see the initial value.
STORE_BUFFERING = execution(2, [["W0", "R1"], ["W1", "R0"]], rf=((1, 3), (0, 5)), co=((0, 2), (1, 4)))
