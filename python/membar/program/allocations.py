"""Allocation events: writes that mark where memory is allocated, for models that check their order.

A language emits plain writes with the tag `ALLOC` at each allocation; they write the values that the cells
already hold. A model with a check called `unordered-allocation` reports accesses that are not ordered after
such a write. For every other model these writes are removed, because no machine performs them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Final

from membar.program.expr import TRUE
from membar.program.operations import Assert, Operation, Store
from membar.program.program import Edge, MemoryObject, Program, Thread
from membar.records import replace

LIFETIME: Final = ((0, 0, "alive"), (1, 1, "ended"))
"""What the values of a lifetime mean: of the cell that says whether memory may still be used."""
_LIFETIME: Final = "lifetime({})"
ALLOC: Final = "ALLOC"
"""The word of a write that is there for the beginning of memory only."""
UNORDERED: Final = "unordered-allocation"
"""The check of a model that tells of accesses to memory whose allocation does not happen before them."""

EARLY_PAIRS: Final = "too-early"
"""What models with such a check call the relation of allocations and those accesses."""
TOO_EARLY: Final = "the allocation"
"""How the message about such an access begins."""
MOST_SCALARS: Final = 64
"""How many numbers of one piece of memory get such a write."""
_PART: Final = f"order of allocation and use checked for the first {MOST_SCALARS} scalars"
_CHECKED_BY: Final = "memory"  # the property that these writes are for


def lifetime_of(name: str) -> str:
    """The name of the lifetime of some memory."""
    return _LIFETIME.format(name)


def owner_of_lifetime(item: MemoryObject) -> str | None:
    """The memory whose lifetime an object represents; None if it represents none."""
    return item.name[len(_LIFETIME) - 3 : -1] if item.meanings == LIFETIME else None


def allocations_checked(lines: Collection[int]) -> tuple[tuple[str, str], ...]:
    """The note that large memory, allocated at these lines, has such writes for a part of it only."""
    places = ", ".join(map(str, sorted(lines)))
    return ((_CHECKED_BY, f"{_PART} of memory of line{'s' * (len(lines) > 1)} {places}"),) if lines else ()


def without_allocations(program: Program) -> Program:
    """The program without allocation writes, as if they had never been there."""
    if ALLOC not in program.tags:
        return program
    threads = tuple(_thread_without(thread) for thread in program.threads)
    if all(one is other for one, other in zip(threads, program.threads, strict=True)):
        return program
    parts = tuple(item for item in program.partly_checked if not item[1].startswith(_PART))
    return replace(program, threads=threads, partly_checked=parts)


def _is_allocation(operation: Operation) -> bool:
    return isinstance(operation, Store) and ALLOC in operation.tags


def _thread_without(thread: Thread) -> Thread:
    edges: dict[int, Edge] = dict(enumerate(thread.edges))
    allocating = [
        index for index, edge in edges.items() if any(_is_allocation(item) for item in edge.operations)
    ]
    if not allocating:
        return thread
    entering = Counter(edge.target for edge in thread.edges)
    leaving: dict[int, list[int]] = {}
    for index, edge in edges.items():
        leaving.setdefault(edge.source, []).append(index)
    named = {thread.entry, *thread.ends, *thread.exits, *thread.committed, *thread.atomic}
    named |= {point for point, _ in thread.labels} | {point for pair in thread.joins for point in pair}
    for index in allocating:
        edge = edges[index]
        kept = tuple(operation for operation in edge.operations if not _is_allocation(operation))
        edges[index] = edge = replace(edge, operations=kept)
        following = leaving.get(edge.target, [])
        if entering[edge.target] != 1 or edge.target in named or not following:
            continue
        if not kept and edge.guard == TRUE and len(leaving[edge.source]) == 1:
            edges |= {other: replace(edges[other], source=edge.source) for other in following}
            leaving[edge.source] = following
            del edges[index]
        elif len(following) == 1 and _can_follow(edges[following[0]]):
            edges[following[0]] = _join_edges(edge, edges[following[0]])
            leaving[edge.source] = [following[0] if it == index else it for it in leaving[edge.source]]
            del edges[index]
    return replace(thread, edges=tuple(edges.values()))


def _can_follow(edge: Edge) -> bool:
    """Whether a step may be appended to another: an assertion is a step of its own."""
    is_plain = edge.guard == TRUE and not edge.unordered and not edge.unexplored
    return is_plain and not any(isinstance(operation, Assert) for operation in edge.operations)


def _join_edges(first: Edge, second: Edge) -> Edge:
    """One step instead of two, the first of which makes no access."""
    operations = (*first.operations, *second.operations)
    return replace(second, source=first.source, guard=first.guard, operations=operations)
