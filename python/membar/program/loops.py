"""Loops in the control flow: which edges of a thread may be taken more than once."""

from __future__ import annotations

from collections import Counter

from membar.program.dependencies import accesses_memory
from membar.program.program import Program, Thread
from membar.source import Span


def natural_loops(thread: Thread) -> tuple[frozenset[int], ...]:
    """The edges of each loop, by their indices: those on a way from its head to an edge back to the head."""
    into: dict[int, list[int]] = {}
    for index, edge in enumerate(thread.edges):
        into.setdefault(edge.target, []).append(index)
    latches: dict[int, list[int]] = {}
    for index in sorted(thread.back_edges):
        latches.setdefault(thread.edges[index].target, []).append(index)
    loops = []
    for head, closing in latches.items():
        found, waiting, seen = set(closing), [thread.edges[index].source for index in closing], {head}
        while waiting:
            point = waiting.pop()
            if point not in seen:
                seen.add(point)
                found.update(into.get(point, ()))
                waiting += [thread.edges[index].source for index in into.get(point, ())]
        loops.append(frozenset(found))
    return tuple(loops)


def repeated_accesses(program: Program) -> frozenset[Span]:
    """Where the text accesses memory more than once in a thread: in a loop, or on several edges of it."""
    found: set[Span] = set()
    for thread in program.threads:
        own = [(index, edge.span) for index, edge in enumerate(thread.edges) if accesses_memory(edge)]
        in_loops = frozenset[int]().union(*natural_loops(thread))
        counts = Counter(span for _, span in own)
        found |= {span for index, span in own if span and (index in in_loops or counts[span] > 1)}
    return frozenset(found)
