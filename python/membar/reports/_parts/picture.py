"""What is drawn of an execution: without internal events, and of a long one only what matters.

A picture is an execution again, with fewer events: relations between those that are left are what they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby, pairwise

from membar.models.explain import Failure
from membar.program.execution import INIT_THREAD, Event, Execution, Kind
from membar.program.program import Program
from membar.questions.outcome import Witness
from membar.records import field, record, replace
from membar.reports._parts.drawing import DrawnEdge, drawn_edges
from membar.reports._parts.event import line_label
from membar.reports._parts.event_order import order_of
from membar.reports._parts.narrative import failing_reads, is_internal
from membar.reports._parts.relations import immediate_co, immediate_fr

MOST = 24  # events of a picture that is not folded
SHORTEST_FOLD = 2


@record(frozen=True, slots=True, kw_only=True)
class Picture:
    """An execution to draw, and what is marked in it, by its own numbers of events.

    Attributes:
        execution: what is drawn, with threads numbered by their columns.
        threads: the names of its threads: those that do something.
        edges: the arrows.
        folded: what stands for several events, in words.
        failing: reads that an assertion, or a check of memory, fails on.
        racing: accesses that race.
        repeated: events that are repeated forever.
        cycle: events of a forbidden cycle.
    """

    execution: Execution
    threads: tuple[str, ...]
    edges: tuple[DrawnEdge, ...]
    folded: dict[int, str] = field(default_factory=dict)
    failing: frozenset[int] = frozenset()
    racing: frozenset[int] = frozenset()
    repeated: frozenset[int] = frozenset()
    cycle: frozenset[int] = frozenset()


def picture_of(
    program: Program, witness: Witness, *, racing: Iterable[int] = (), is_full: bool = False
) -> Picture:
    """The picture of a witness; `is_full`: with every event, internal ones too."""
    execution = witness.execution
    found = failing_reads(program, witness)
    failing = frozenset(event.id for event in found[2]) if found is not None else frozenset()
    cycle = () if witness.cycle is None else witness.steps[witness.cycle :]
    repeated = frozenset(step.event for step in cycle if step.event is not None)
    marked = frozenset(racing) | failing
    shown = [
        event
        for event in execution.events
        if is_full or event.id in marked or not is_internal(program, witness, event)
    ]
    if not is_full:  # initial values that nobody reads say nothing
        drawn = {event.id for event in shown}
        read = {write for write, reader in execution.rf if reader in drawn}
        shown = [event for event in shown if not event.is_initial or event.id in read]
    important = {event.id for event in shown}
    if not is_full and sum(not event.is_initial for event in shown) > MOST:
        important = _events_of_interest(execution, important, marked)
    reduced, new, folded = _restricted(execution, shown, important)
    return Picture(
        execution=reduced,
        threads=_threads(program, shown),
        edges=drawn_edges(reduced) if is_full else _worth_drawing(reduced),
        folded=folded,
        failing=_renumbered(failing, new),
        racing=_renumbered(racing, new),
        repeated=_renumbered(repeated, new),
    )


def cycle_picture(
    program: Program, execution: Execution, failure: Failure, *, is_full: bool = False
) -> Picture:
    """The picture of a forbidden execution: its program order, and the cycle, whose edges are numbered."""
    inside = {event for edge in failure.edges for event in (edge.source, edge.target)}
    touched = {execution.events[event].cell for event in inside}
    shown = [event for event in execution.events if not event.is_initial or event.id in inside]
    important = {event.id for event in shown}
    if not is_full and len(shown) > MOST:
        beside = {event.id for event in shown if event.kind is Kind.FENCE or event.cell in touched}
        important = inside | beside
    if not is_full and len(important) > MOST:
        important = inside
    reduced, new, folded = _restricted(execution, shown, important)
    order = [edge for edge in drawn_edges(reduced) if edge.relation == "po"]
    edges = [
        DrawnEdge(new[edge.source], new[edge.target], edge.label, number)
        for number, edge in enumerate(failure.edges, 1)
        if edge.source != edge.target
    ]
    doubled = {(edge.source, edge.target) for edge in edges}
    return Picture(
        execution=reduced,
        threads=_threads(program, shown),
        edges=(*(edge for edge in order if (edge.source, edge.target) not in doubled), *edges),
        folded=folded,
        cycle=_renumbered(inside, new),
    )


def _worth_drawing(execution: Execution) -> tuple[DrawnEdge, ...]:
    """The arrows; among many events, dependencies would hide what the threads see of each other."""
    has_few = sum(not event.is_initial for event in execution.events) <= MOST // 2
    return tuple(edge for edge in drawn_edges(execution) if has_few or not edge.is_dependency)


def _events_of_interest(execution: Execution, shown: AbstractSet[int], marked: AbstractSet[int]) -> set[int]:
    """The events by which threads influence each other, those nearest to what is marked first."""
    events = execution.events

    def is_across(one: int, other: int) -> bool:
        threads = events[one].thread, events[other].thread
        return {one, other} <= shown and threads[0] != threads[1]

    communication = (*execution.rf, *immediate_fr(execution), *immediate_co(execution))
    pairs = [pair for pair in communication if is_across(*pair)]
    order = order_of(execution)
    strange = {event for pair in (*order.broken_rf, *order.broken_fr, *order.broken_co) for event in pair}
    beside: dict[int, set[int]] = {}
    for one, other in (*pairs, *execution.amo, *execution.lxsx):
        beside.setdefault(one, set()).add(other)
        beside.setdefault(other, set()).add(one)
    threads: dict[int, list[int]] = {}
    for event in sorted(beside.keys() & shown):
        threads.setdefault(events[event].thread, []).append(event)
    for own in threads.values():  # program order between them
        for one, other in pairwise(own):
            beside[one].add(other)
            beside[other].add(one)
    last = [own[-1] for own in threads.values()]
    found = [event for event in sorted((marked or strange & shown) or last) if event in shown]
    seen = set(found)
    for event in found:  # it grows: what is near comes first
        for other in sorted(beside.get(event, ())):
            if other not in seen and len(seen) < MOST and other in shown:
                seen.add(other)
                found.append(other)
    return seen | {write for write, read in execution.rf if events[write].is_initial and read in seen}


def _restricted(
    execution: Execution, shown: Sequence[Event], important: AbstractSet[int]
) -> tuple[Execution, dict[int, int], dict[int, str]]:
    """The execution with the important events, and one for each row of others; new numbers; folded ones."""
    columns = _columns(shown)
    kept: list[Event] = []
    new: dict[int, int] = {}
    folded: dict[int, str] = {}
    for (_, is_kept), row in groupby(shown, key=lambda event: (event.thread, event.id in important)):
        group = list(row)
        if is_kept or (len(group) < SHORTEST_FOLD and not group[0].is_initial):
            for event in group:
                new[event.id] = len(kept)
                kept.append(replace(event, id=len(kept), thread=columns[event.thread]))
        elif not group[0].is_initial:
            folded[len(kept)] = _fold_text(group)
            new[group[0].id] = len(kept)
            column = columns[group[0].thread]
            kept.append(Event(id=len(kept), thread=column, kind=Kind.FENCE, span=group[0].span))
    accesses = {old for old, number in new.items() if number not in folded}

    def pairs(relation: Iterable[tuple[int, int]], inside: AbstractSet[int]) -> frozenset[tuple[int, int]]:
        return frozenset((new[a], new[b]) for a, b in relation if a in inside and b in inside)

    reduced = replace(
        execution,
        events=tuple(kept),
        po=pairs(execution.po, new.keys()),
        rf=tuple(sorted(pairs(execution.rf, accesses))),
        co=tuple(tuple(new[write] for write in chain if write in accesses) for chain in execution.co),
        spawn_join=pairs(execution.spawn_join, new.keys()),
        addr=pairs(execution.addr, accesses),
        data=pairs(execution.data, accesses),
        ctrl=pairs(execution.ctrl, accesses),
        pick_addr=pairs(execution.pick_addr, accesses),
        pick_data=pairs(execution.pick_data, accesses),
        pick_ctrl=pairs(execution.pick_ctrl, accesses),
        amo=pairs(execution.amo, accesses),
        lxsx=pairs(execution.lxsx, accesses),
    )
    return reduced, new, folded


def _columns(shown: Iterable[Event]) -> dict[int, int]:
    """The column of each thread that does something; initial writes stay what they are."""
    threads = sorted({event.thread for event in shown if not event.is_initial})
    return {INIT_THREAD: INIT_THREAD} | {thread: column for column, thread in enumerate(threads)}


def _threads(program: Program, shown: Iterable[Event]) -> tuple[str, ...]:
    return tuple(program.threads[thread].name for thread in sorted(_columns(shown)) if thread >= 0)


def _fold_text(group: Sequence[Event]) -> str:
    lines = list(dict.fromkeys(label for event in group if (label := line_label(event))))
    if not lines:
        return f"{len(group)} more"
    ends = " – ".join(dict.fromkeys((lines[0], lines[-1])))
    return f"{len(group)} more, line{'s' * (len(lines) > 1)} {ends}"


def _renumbered(events: Iterable[int], new: dict[int, int]) -> frozenset[int]:
    return frozenset(new[event] for event in events if event in new)
