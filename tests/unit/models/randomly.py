"""Random executions: any events, any rf and co, and dependencies that mean nothing."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import strategies as st

from membar.program.execution import INIT_THREAD, Event, Execution, Kind

TAGS = ("MFENCE", "SFENCE", "X", "A", "L")


@st.composite
def executions(draw: st.DrawFn, *, threads: int = 3, length: int = 3, cells: int = 2) -> Execution:
    """An execution with complete rf and co; relations between other events are free."""
    events = [Event(id=cell, thread=INIT_THREAD, kind=Kind.WRITE, cell=cell) for cell in range(cells)]
    po: set[tuple[int, int]] = set()
    for thread in range(draw(st.integers(1, threads))):
        first = len(events)
        for _ in range(draw(st.integers(1, length))):
            kind = draw(st.sampled_from([Kind.READ, Kind.READ, Kind.WRITE, Kind.WRITE, Kind.FENCE]))
            cell = None if kind is Kind.FENCE else draw(st.integers(0, cells - 1))
            tags = draw(st.frozensets(st.sampled_from(TAGS), max_size=2))
            event = Event(id=len(events), thread=thread, kind=kind, cell=cell, tags=tags)
            po.update((earlier, event.id) for earlier in range(first, event.id))
            events.append(event)
    writes = [
        [
            event.id
            for event in events
            if event.kind is Kind.WRITE and event.cell == cell and not event.is_initial
        ]
        for cell in range(cells)
    ]
    co = tuple((cell, *draw(st.permutations(writes[cell]))) for cell in range(cells))
    rf = tuple(
        (draw(st.sampled_from(co[event.cell])), event.id)
        for event in events
        if event.kind is Kind.READ and event.cell is not None
    )
    pairs = (
        st.frozensets(st.sampled_from(sorted(po)), max_size=3)
        if po
        else st.just(frozenset[tuple[int, int]]())
    )
    amo = frozenset(
        (a.id, b.id)
        for a, b in pairwise(events)
        if (a.kind, b.kind) == (Kind.READ, Kind.WRITE)
        and (a.thread, a.cell) == (b.thread, b.cell)
        and draw(st.booleans())
    )
    return Execution(
        events=tuple(events),
        po=frozenset(po),
        rf=rf,
        co=co,
        amo=amo,
        addr=draw(pairs),
        data=draw(pairs),
        ctrl=draw(pairs),
    )
