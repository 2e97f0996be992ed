"""Small executions that refute false claims of a model when it is loaded.

Each is tried with every tag of the model on all of its accesses, and with none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TypeAlias

from membar.models.evaluate import failures
from membar.models.model import EXACTLY_ONCE, Claims
from membar.models.plan import Plan
from membar.program.execution import INIT_THREAD, Event, Execution, Kind
from membar.program.operations import NO_TAGS, Tags

# A thread: what it does, where, and with which value.
Accesses: TypeAlias = tuple[tuple[str, int, int], ...]


def refutations(claims: Claims, plan: Plan, *, tags: Collection[str]) -> Iterator[tuple[str, str]]:
    """Keys of claims that a small execution refutes, each with the execution."""
    if claims.search == EXACTLY_ONCE:
        for text, threads in (
            ("load buffering", _LOAD_BUFFERING),
            ("reading a later write of the same thread", _OWN_FUTURE),
        ):
            if (tag := _allowed_with(plan, threads, tags)) is not None:
                yield "search", f"the model allows {text}{tag}, a cycle of po and rf"
                break
    if claims.global_order:
        for text, threads in _NOT_GLOBAL:
            if (tag := _allowed_with(plan, threads, tags)) is not None:
                yield "order", f"the model allows {text}{tag}, where threads see different orders"
                break


_LOAD_BUFFERING: tuple[Accesses, ...] = ((("R", 0, 1), ("W", 1, 1)), (("R", 1, 1), ("W", 0, 1)))
_OWN_FUTURE: tuple[Accesses, ...] = ((("R", 0, 1), ("W", 0, 1)),)
_NOT_GLOBAL: tuple[tuple[str, tuple[Accesses, ...]], ...] = (
    (
        "independent reads of independent writes",
        (
            (("W", 0, 1),),
            (("R", 0, 1), ("R", 1, 0)),
            (("W", 1, 1),),
            (("R", 1, 1), ("R", 0, 0)),
        ),
    ),
    (
        "a write that one thread sees before another",
        ((("W", 0, 1),), (("R", 0, 1), ("W", 1, 1)), (("R", 1, 1), ("R", 0, 0))),
    ),
)


def _allowed_with(plan: Plan, threads: tuple[Accesses, ...], tags: Collection[str]) -> str | None:
    """The tag with which, on every access, the model allows an execution, in words; None if there is none."""
    for choice in (NO_TAGS, *(frozenset({tag}) for tag in sorted(tags))):
        if not failures(plan, _execution(threads, choice)):
            return f" of accesses with the tag {min(choice)}" if choice else ""
    return None


def _execution(threads: tuple[Accesses, ...], tags: Tags) -> Execution:
    """The execution in which a read takes the write with its value; each cell is written at most once."""
    cells = sorted({cell for thread in threads for _, cell, _ in thread})
    events = [Event(id=cell, thread=INIT_THREAD, kind=Kind.WRITE, cell=cell) for cell in cells]
    po: set[tuple[int, int]] = set()
    for number, thread in enumerate(threads):
        first = len(events)
        for step, (kind, cell, value) in enumerate(thread):
            events.append(
                Event(
                    id=first + step,
                    thread=number,
                    kind=Kind(kind),
                    cell=cell,
                    value=value,
                    tags=tags,
                    step=step,
                )
            )
            po |= {(before, first + step) for before in range(first, first + step)}
    writes = {(event.cell, event.value): event.id for event in events if event.kind is Kind.WRITE}
    return Execution(
        events=tuple(events),
        po=frozenset(po),
        rf=tuple((writes[event.cell, event.value], event.id) for event in events if event.kind is Kind.READ),
        co=tuple(
            tuple(event.id for event in events if event.kind is Kind.WRITE and event.cell == cell)
            for cell in cells
        ),
    )
