"""Executions in which some thread waits forever, although memory is fair and every thread keeps running.

A waiting thread proceeds when it reads another value. Fair memory eventually delivers the latest write to
each location, and keeps delivering it. So a thread waits forever only if its last iteration read the latest
write of every location that it reads, and no thread will write again: every other thread has ended, waits
too, or joins a thread that does not end. A thread whose assumption failed is not part of a real execution,
and once the process has ended no thread waits.

A thread that waits in a loop violates `termination`; one that waits in a blocking step is deadlocked.
"""

from __future__ import annotations

from collections.abc import Sequence

from membar.engines.reference.trace import Status, Trace
from membar.program.execution import Execution, Kind
from membar.program.expr import Constant, evaluate, registers_of
from membar.program.operations import Assume, Fence, Join, Load, Operation, Receive, Send
from membar.program.program import Program
from membar.source import Span

_WAITS = frozenset({Status.WAITING, Status.SUSPENDED})
_STAYS = _WAITS | {Status.COMPLETE, Status.NOT_STARTED, Status.CUT}
_LOOPS = frozenset({Status.WAITING, Status.CUT})


def is_stuck(chosen: Sequence[Trace], execution: Execution) -> bool:
    """Whether some thread looks at memory in a loop forever in the execution that consists of these runs."""
    statuses = {trace.status for trace in chosen}
    return Status.WAITING in statuses and Status.CUT not in statuses and _never_changes(chosen, execution)


def is_deadlock(program: Program, chosen: Sequence[Trace], execution: Execution) -> bool:
    """Whether some thread is in a call that blocks, which it can never leave.

    A thread that joins a spinning thread is not in a deadlock: it is the loop that does not
    end.
    """
    if not may_block(program, chosen) or not _never_changes(chosen, execution):
        return False
    is_cut = any(trace.status is Status.CUT for trace in chosen)
    return not is_cut or bool(threads_that_never_move(program, chosen, execution))


def is_blocked_when_cut(program: Program, chosen: Sequence[Trace], execution: Execution) -> bool:
    """Whether a thread is in a call that blocks, and the loop bound cut another that might have woken it."""
    is_cut = any(trace.status is Status.CUT for trace in chosen)
    return is_cut and may_block(program, chosen) and _never_changes(chosen, execution)


def threads_that_never_move(program: Program, chosen: Sequence[Trace], execution: Execution) -> set[int]:
    """The blocked threads that stay blocked whatever threads do that the loop bound cut.

    A thread in a blocking step moves only if something that the step reads is written; one that joins another
    moves only if that one ends. So a set of blocked threads is stuck if each of them joins one of the set, or
    reads only what none of the other threads can write in the code that is left to them, up to a join of a
    thread of the set; and if none of them can end the process there. This is the largest such set.
    """
    numbers = {thread.name: number for number, thread in enumerate(program.threads)}
    reads = {trace.thread: _cells_read(trace, execution) for trace in chosen if _is_blocked(trace)}
    stuck = set(reads)
    while stuck:
        written = _written_by_others(program, chosen, stuck)
        if written is None:
            return set()
        left = {
            trace.thread
            for trace in chosen
            if trace.thread in stuck
            and (
                numbers[trace.waits_for] in stuck
                if trace.waits_for is not None
                else bool(reads[trace.thread]) and written.isdisjoint(reads[trace.thread])
            )
        }
        if left == stuck:
            break
        stuck = left
    return stuck


def _is_blocked(trace: Trace) -> bool:
    return trace.status is Status.SUSPENDED or trace.waits_for is not None


def _cells_read(trace: Trace, execution: Execution) -> frozenset[int]:
    """What the step reads in which a thread is blocked."""
    own = [event for event in execution.events if event.thread == trace.thread]
    looks = own[trace.looks_from :] if trace.looks_from is not None else []
    return frozenset(event.cell for event in looks if event.kind is Kind.READ and event.cell is not None)


def _written_by_others(program: Program, chosen: Sequence[Trace], stuck: set[int]) -> frozenset[int] | None:
    """The cells that threads outside a set may still write; None: any, or the process may end."""
    names = {program.threads[number].name for number in stuck}
    cells = set[int]()
    for trace in chosen:
        if trace.thread not in stuck and trace.status is not Status.COMPLETE:
            found = _written_from(program, trace, names)
            if found is None:
                return None
            cells |= found
    return frozenset(cells)


def _written_from(program: Program, trace: Trace, names: set[str]) -> set[int] | None:
    """The cells that a thread may still write, up to a join of one of the others.

    None: any, or the process may end, or whatever the thread does, an assumption fails that never holds, so
    that the run is part of no execution.
    """
    thread = program.threads[trace.thread]
    cells = set[int]()
    todo = [thread.entry if trace.point is None else trace.point]
    seen = set(todo)
    has_end = has_failure = False
    while todo:
        point = todo.pop()
        if point in thread.exits:
            return None
        edges = thread.outgoing.get(point, ())
        has_end = has_end or not edges
        for edge in edges:
            if edge.unexplored:  # the text does not say what comes then
                return None
            for item in edge.operations:
                if isinstance(item, Join) and item.thread in names:
                    has_end = True
                    break
                if isinstance(item, Assume) and item.condition == Constant(0):
                    has_end, has_failure = has_end or item.waits, has_failure or not item.waits
                    break
                found = _cell_written(program, item)
                if found is None:
                    return None
                cells |= found
            else:
                if edge.target not in seen:
                    seen.add(edge.target)
                    todo.append(edge.target)
    return None if has_failure and not has_end else cells


def _cell_written(program: Program, operation: Operation) -> frozenset[int] | None:
    """What an operation may write; None if that is not known from the text."""
    if isinstance(operation, Send | Receive):
        return None
    address = getattr(operation, "address", None)
    if address is None or isinstance(operation, Load | Fence):
        return frozenset()
    if next(registers_of(address), None) is not None:
        return None
    cell = program.cell_at.get(evaluate(address, {}, program.bases))
    return frozenset() if cell is None else frozenset({cell.id})


def may_block(program: Program, chosen: Sequence[Trace]) -> bool:
    """Whether one of these runs ends in a call that blocks, other than a join of a thread in a loop."""
    numbers = {thread.name: number for number, thread in enumerate(program.threads)}

    def blocks(trace: Trace) -> bool:
        seen = {trace.thread}
        while trace.waits_for is not None:
            trace = chosen[numbers[trace.waits_for]]
            if trace.thread in seen:
                return True
            seen.add(trace.thread)
        return trace.status not in _LOOPS

    return any(
        blocks(trace) for trace in chosen if trace.status is Status.SUSPENDED or trace.waits_for is not None
    )


def stuck_threads(program: Program, chosen: Sequence[Trace], execution: Execution) -> list[str]:
    """The names of the threads that cannot go on in a deadlock."""
    stuck = {trace.thread for trace in chosen if _is_blocked(trace)}
    if any(trace.status is Status.CUT for trace in chosen):
        stuck = threads_that_never_move(program, chosen, execution)
    return [program.threads[number].name for number in sorted(stuck)]


def places_of_blocked_threads(chosen: Sequence[Trace]) -> set[Span]:
    """Where the threads stand that are in a blocking step, or wait for the end of another."""
    suspended = [trace for trace in chosen if trace.status is Status.SUSPENDED]
    blocked = suspended or [trace for trace in chosen if trace.waits_for is not None]
    spans = [None if trace.edge is None else trace.edge.span for trace in blocked]
    return {span for span in spans if span is not None}


def waiting_threads(program: Program, chosen: Sequence[Trace]) -> list[str]:
    """The names of the threads that look at memory in a loop."""
    return [program.threads[trace.thread].name for trace in chosen if trace.status is Status.WAITING]


def _never_changes(chosen: Sequence[Trace], execution: Execution) -> bool:
    """Whether the execution stays as it is forever, unless it is over."""
    if any(trace.ends_process for trace in chosen):
        return False
    stays = all(trace.status in _STAYS or trace.waits_for is not None for trace in chosen)
    return stays and all(_sees_last(trace, execution) for trace in chosen if trace.status in _WAITS)


def _sees_last(trace: Trace, execution: Execution) -> bool:
    """Whether every read of the last iteration takes the last write of its location."""
    last = {order[-1] for order in execution.co}
    sources = {read: write for write, read in execution.rf}
    own = [event for event in execution.events if event.thread == trace.thread]
    looks = [event for event in own[trace.looks_from :] if event.kind is Kind.READ]
    return all(sources[event.id] in last for event in looks)
