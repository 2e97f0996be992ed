"""Barnat's procedure: make atomic the write that most accesses overtake, until nothing fails.

An access is *inconsistent* if another thread's write of the same location is in a store buffer. The procedure
never undoes a choice, so it may end with more atomic writes than necessary.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Sequence

from membar.program.execution import Event, Kind
from membar.program.program import Program
from membar.questions.outcome import Witness
from membar.text.edits import Choice, EditSite


def first_repair(
    places: Sequence[EditSite],
    base: Choice,
    program: Program,
    counterexample: Callable[[Choice], Witness | None],
) -> Choice | None:
    """The choice that the procedure finds; None if there is nothing more to change.

    Args:
        places: writes that can be made atomic.
        base: where to begin.
        program: what the places are in.
        counterexample: a run that shows that a choice is wrong; None if it is right.
    """
    choice = base
    while (witness := counterexample(choice)) is not None:
        counts = _inconsistent_accesses_by_place(places, program, witness)
        weak = [number for number, place in enumerate(places) if choice[number] != place.strongest]
        if not weak:
            return None
        worst = max(weak, key=lambda number: (counts[number], -number))
        choice = (*choice[:worst], places[worst].strongest, *choice[worst + 1 :])
    return choice


def _inconsistent_accesses_by_place(
    places: Sequence[EditSite], program: Program, witness: Witness
) -> Counter[int]:
    """For each place, how many inconsistent accesses its writes have, plus one if they wait at all."""
    found: Counter[int] = Counter()
    for write, count in _inconsistent(program, witness).items():
        event = witness.execution.events[write]
        for number, place in enumerate(places):
            is_there = event.span is not None and event.span.start == place.span.start
            if is_there and place.location == _location(program, event):
                found[number] += count
    return found


def _location(program: Program, event: Event) -> str | None:
    return program.cells[event.cell].object.name if event.cell is not None else None


def _inconsistent(program: Program, witness: Witness) -> Counter[int]:
    """Buffered writes, each with the number of accesses by others meanwhile, plus one."""
    names = {cell.id: cell.name for cell in program.cells}
    together: dict[tuple[int, int], list[Event]] = defaultdict(list)
    for event in witness.execution.events:
        together[event.thread, event.step].append(event)
    waiting: dict[tuple[int, str], deque[int]] = defaultdict(deque)
    found: Counter[int] = Counter()
    for step in witness.steps:
        own = (
            together[step.thread, witness.execution.events[step.event].step] if step.event is not None else []
        )
        for event in own:
            name = names.get(event.cell) if event.cell is not None else None
            for (thread, location), writes in waiting.items():
                if location == name and thread != event.thread:
                    found.update(list(writes)[:1])
        for event in own:
            if event.kind is Kind.WRITE and event.cell is not None:
                waiting[event.thread, names[event.cell]].append(event.id)
        for (thread, location), writes in waiting.items():
            kept = sum(entry == location for entry, _ in step.buffers[thread]) if step.buffers else 0
            while len(writes) > kept:
                writes.popleft()
        found.update(write for writes in waiting.values() for write in writes if write not in found)
    return found
