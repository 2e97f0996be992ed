"""Loops in the control flow: which edges of a thread may be taken more than once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from membar.program.dependencies import accesses_memory
from membar.program.expr import FALSE
from membar.program.operations import Assume
from membar.program.program import Edge, Program, Thread
from membar.records import replace
from membar.source import Span


def natural_loops(thread: Thread) -> tuple[frozenset[int], ...]:
    """The edges of each loop, by index: those on a path from its head to an edge back to the head."""
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


def places_of_loops(program: Program, ends: Iterable[tuple[int, int]]) -> set[Span]:
    """Where the loops are that end with edges, given by thread and number."""
    steps = ((program.threads[thread], number) for thread, number in ends)
    found = (_place_of_loop(*step) for step in steps if not step[0].edges[step[1]].unexplored)
    return {place for place in found if place is not None}


def _place_of_loop(thread: Thread, last: int) -> Span | None:
    """Where the last edge of a loop is; if that has no place, the first one in the text of what it does."""
    span = thread.edges[last].span
    if span is not None:
        return span
    loop = min((each for each in natural_loops(thread) if last in each), key=len, default=frozenset())
    spans = (thread.edges[index].span for index in loop)
    found = (span for span in spans if span is not None)
    return min(found, key=lambda span: (span.path, span.start), default=None)


def unexplored_in(edges: Iterable[Edge]) -> dict[str, set[Span]]:
    """Why executions are truncated at some of these steps, with the locations."""
    found: dict[str, set[Span]] = {}
    for edge in edges:
        if edge.unexplored:
            found.setdefault(edge.unexplored, set()).update([] if edge.span is None else [edge.span])
    return found


def stop_at_unexplored(program: Program) -> Program:
    """The program for machines: a thread stops at a truncated step, as at a failing assumption.

    So a run that reaches one is discarded: it says nothing about the behaviour of the program.
    """
    if not unexplored_of(program):
        return program
    threads = tuple(
        replace(
            thread,
            edges=tuple(
                replace(edge, operations=(Assume(FALSE),)) if edge.unexplored else edge
                for edge in thread.edges
            ),
        )
        for thread in program.threads
    )
    return replace(program, threads=threads)


def unexplored_of(program: Program) -> dict[str, set[Span]]:
    """The reasons for which executions of the whole program may be truncated."""
    return unexplored_in(edge for thread in program.threads for edge in thread.edges)


def repeated_accesses(program: Program) -> frozenset[Span]:
    """Where a thread accesses memory more than once: in a loop, or on several edges."""
    found: set[Span] = set()
    for thread in program.threads:
        own = [(index, edge.span) for index, edge in enumerate(thread.edges) if accesses_memory(edge)]
        in_loops = frozenset[int]().union(*natural_loops(thread))
        counts = Counter(span for _, span in own)
        found |= {span for index, span in own if span and (index in in_loops or counts[span] > 1)}
    return frozenset(found)
