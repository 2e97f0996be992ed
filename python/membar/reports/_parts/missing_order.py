"""What would have ordered two accesses that race: the synchronisation between them that is too weak."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Final

from membar.models.c_orders import ORDERS
from membar.program.execution import Event, Execution, Kind
from membar.program.program import Program
from membar.reports._parts.event import at_place, phrase

_ATOMIC: Final = frozenset(ORDERS)
_RELEASING: Final = frozenset({"REL", "ACQ_REL", "SC"})
_ACQUIRING: Final = frozenset({"ACQ", "CON", "ACQ_REL", "SC"})


def missing_order(program: Program, execution: Execution, one: Event, other: Event, told: set[str]) -> str:
    """Why nothing orders two events, and what would, in a sentence; "" if the execution does not say."""
    threads = [event.thread for event in execution.events if not event.is_initial]
    if not execution.po and len(set(threads)) < len(threads):
        return ""  # long runs do without
    for first, last in ((one, other), (other, one)):
        path = _path(execution, first, last)
        for index in range(1, len(path)):
            write, read = (execution.events[path[at]] for at in (index - 1, index))
            if write.thread != read.thread and (write.id, read.id) in execution.rf:
                behind = path[index + 1] if index + 1 < len(path) else None
                before = path[index - 2] if index > 1 else None
                return _too_weak(program, execution, (before, write), (read, behind), told)
    return "No synchronisation lies between them."


def _path(execution: Execution, first: Event, last: Event) -> Sequence[int]:
    """The way from one event to another by which threads pass something on, with the fewest handovers."""
    following: dict[int, list[tuple[int, int]]] = {}
    for relation in (execution.po, execution.spawn_join):
        for a, b in relation:
            following.setdefault(a, []).append((b, 0))
    for write, read in execution.rf:
        is_between = (write, read) != (first.id, last.id)
        if execution.events[write].thread != execution.events[read].thread and is_between:
            following.setdefault(write, []).append((read, 1))
    come_from: dict[int, int] = {}
    cost = {first.id: 0}
    waiting = deque([first.id])
    while waiting:
        event = waiting.popleft()
        for target, more in following.get(event, ()):
            if cost[event] + more < cost.get(target, len(execution.events)):
                cost[target], come_from[target] = cost[event] + more, event
                (waiting.append if more else waiting.appendleft)(target)
    return _back(come_from, last.id) if last.id in come_from else ()


def _back(come_from: Mapping[int, int], last: int) -> Sequence[int]:
    path = [last]
    while path[-1] in come_from:
        path.append(come_from[path[-1]])
    return path[::-1]


def _too_weak(
    program: Program,
    execution: Execution,
    writing: tuple[int | None, Event],
    reading: tuple[Event, int | None],
    told: set[str],
) -> str:
    """What a write and the read of it lack to synchronise; beside them, what lies before and behind."""
    (before, write), (read, behind) = writing, reading
    releases = bool(write.tags & _RELEASING) or _has_fence(execution, _RELEASING, before, write.id)
    acquires = bool(read.tags & _ACQUIRING) or _has_fence(execution, _ACQUIRING, read.id, behind)
    knows_words = bool((write.tags | read.tags) & _ATOMIC)
    if not knows_words or (releases and acquires):
        return f"That {phrase(program, read, told)} sees {phrase(program, write, told)} does not order them."
    if not releases and not acquires:
        store, load = (
            f"The store{at_place(write, told)}",
            f"the load{at_place(read, told)} that reads from it",
        )
        are = (
            f"{store} and {load} are {_weakness(write)}"
            if _weakness(write) == _weakness(read)
            else f"{store} is {_weakness(write)} and {load} is {_weakness(read)}"
        )
        return f"{are}; a release store that an acquire load reads from would order them."
    if not releases:
        return (
            f"The store{at_place(write, told)} is {_weakness(write)};"
            " a release store there that an acquire load reads from would order them."
        )
    return (
        f"The load{at_place(read, told)} is {_weakness(read)};"
        " an acquire load there that reads from a release store would order them."
    )


def _has_fence(execution: Execution, words: frozenset[str], first: int | None, last: int | None) -> bool:
    """Whether a fence of some of these kinds lies between two events of a thread; not if one is missing."""
    if first is None or last is None:
        return False
    return any(
        event.kind is Kind.FENCE
        and event.tags & words
        and (first, event.id) in execution.po
        and (event.id, last) in execution.po
        for event in execution.events
    )


def _weakness(event: Event) -> str:
    return "relaxed" if event.tags & _ATOMIC else "not atomic"
