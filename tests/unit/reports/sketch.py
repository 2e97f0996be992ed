"""Executions from a few words: `sketch("W x 1; R y 0", "W y 1; R x 0")`, for pictures and random tests."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from membar.program.execution import INIT_THREAD, Event, Execution, Kind
from membar.program.program import MemoryObject, Program, Thread
from membar.source import SourceFile


def sketch(
    *threads: str, co: Mapping[str, list[int]] | None = None, name: str = "sketch"
) -> tuple[SourceFile, Program, Execution]:
    """A text, a program and an execution with the accesses given.

    Each read sees the first write (the initial one counts) of its value. `co` orders the values written
    to a location; by default they are ordered as they appear.
    """
    lines = [f"thread P{i}: {text}" for i, text in enumerate(threads)]
    source = SourceFile(f"{name}.txt", "\n".join(lines) + "\n")
    words = [[item.split() for item in text.split(";") if item.strip()] for text in threads]
    names = sorted({w[1] for thread in words for w in thread if w[0] != "F"})
    program = Program(
        name=name,
        language="sketch",
        objects=tuple(MemoryObject(name=n) for n in names),
        threads=tuple(Thread(name=f"P{i}", entry=0, edges=()) for i in range(len(threads))),
    )
    events = [Event(id=i, thread=INIT_THREAD, kind=Kind.WRITE, cell=i) for i in range(len(names))]
    po: set[tuple[int, int]] = set()
    for thread, items in enumerate(words):
        place = source.line_starts[thread] + len(f"thread P{thread}: ")
        mine: list[int] = []
        for step, item in enumerate(items):
            text = " ".join(item)
            start = source.text.index(text, place)
            place = start + len(text)
            is_fence = item[0] == "F"
            event = Event(
                id=len(events),
                thread=thread,
                kind=Kind(item[0]),
                cell=None if is_fence else names.index(item[1]),
                value=0 if is_fence else int(item[2]),
                tags=frozenset(item[1:]) if is_fence else frozenset(item[3:]),
                step=step,
                span=source.span(start, place),
            )
            po |= {(earlier, event.id) for earlier in mine}
            mine.append(event.id)
            events.append(event)
    chains: list[tuple[int, ...]] = []
    for cell, location in enumerate(names):
        writes = [e.id for e in events if e.kind is Kind.WRITE and e.cell == cell]
        wanted = (co or {}).get(location)
        if wanted is not None:
            writes.sort(
                key=lambda i: (
                    not events[i].is_initial,
                    wanted.index(events[i].value) if i >= len(names) else 0,
                )
            )
        chains.append(tuple(writes))
    rf = [
        (next(w for w in chains[e.cell] if events[w].value == e.value), e.id)
        for e in events
        if e.kind is Kind.READ and e.cell is not None
    ]
    return source, program, Execution(events=tuple(events), po=frozenset(po), rf=tuple(rf), co=tuple(chains))


@st.composite
def executions(draw: st.DrawFn) -> Execution:
    """Small executions over two locations with any reads-from."""
    threads = []
    written: dict[str, list[int]] = {"x": [0], "y": [0]}
    plan = [[draw(st.sampled_from("RWF")) for _ in range(draw(st.integers(0, 4)))] for _ in range(3)]
    places = [[draw(st.sampled_from("xy")) for _ in kinds] for kinds in plan]
    for kinds, names in zip(plan, places, strict=True):
        for kind, name in zip(kinds, names, strict=True):
            if kind == "W":
                written[name].append(len(written[name]))
    counters = {"x": 0, "y": 0}
    for kinds, names in zip(plan, places, strict=True):
        words = []
        for kind, name in zip(kinds, names, strict=True):
            if kind == "W":
                counters[name] += 1
                words.append(f"W {name} {counters[name]}")
            elif kind == "R":
                words.append(f"R {name} {draw(st.sampled_from(written[name]))}")
            else:
                words.append("F full")
        threads.append("; ".join(words))
    co = {name: draw(st.permutations(values[1:])) for name, values in written.items()}
    return sketch(*threads, co=co)[2]
