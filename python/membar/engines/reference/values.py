"""Which values reads can return: the least fixpoint of what the threads can write.

Round 1 runs every thread with the initial values only, round n + 1 with everything written in round n or
before. It may never end by itself (`x = x + 1` by two threads), so rounds are bounded. Why that loses
nothing: give each write of an execution the depth 1 + the greatest depth of the thread writes that
supplied the reads it depends on: by address, data or control, and because an assertion or an address
before it had to be right for the thread to get there. As no value comes out of thin air, depth is well
founded, and a write of depth n is the last of n *different* writes. Round n finds every write of depth n
or less: what a run does not depend on cannot keep it from getting there. The path to a write is decided by
what it depends on, so the runs of round n show all n writes of such a chain, each in some thread's longest
run. Hence, when round n has fewer than n writes (each thread's longest run taken together), nothing of
depth n exists, and all that can be read was known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from membar.engines.reference.exploration_budget import Budget
from membar.engines.reference.threads import Code, traces
from membar.engines.reference.trace import Trace
from membar.program.awaits import NO_WATCHES, Watches
from membar.program.execution import Kind
from membar.program.program import Program


def all_traces(
    program: Program,
    *,
    bound: int,
    budget: Budget,
    watched: Watches = NO_WATCHES,
    guesses: Sequence[tuple[int, int]] = (),
) -> tuple[tuple[Trace, ...], ...]:
    """Every run of every thread, with loops taken at most `bound` times; what only waits ends.

    `guesses` are cells with values that may be read in round 1 already.
    """
    codes = [Code(program, index, watched.of(index)) for index in range(len(program.threads))]
    values: dict[int, tuple[int, ...]] = {
        cell.id: tuple(sorted({cell.initial, *(value for where, value in guesses if where == cell.id)}))
        for cell in program.cells
    }
    found: list[tuple[Trace, ...]] = []
    changed = set(values)
    for number in range(1 << 32):
        for code in codes:
            if number == 0:
                found.append(_runs(code, values, bound, budget))
            elif not changed.isdisjoint(_cells_read(found[code.index])):
                found[code.index] = _runs(code, values, bound, budget)
        grown = _grow(values, found)
        changed = {cell for cell, known in grown.items() if known != values[cell]}
        if not changed or number + 1 > sum(_most_writes(runs) for runs in found):
            break
        values = grown
    return tuple(found)


def _runs(code: Code, values: dict[int, tuple[int, ...]], bound: int, budget: Budget) -> tuple[Trace, ...]:
    runs: list[Trace] = []
    for trace in traces(code, values, bound=bound):
        budget.step()
        runs.append(trace)
    return tuple(runs)


def _grow(values: dict[int, tuple[int, ...]], found: Iterable[Iterable[Trace]]) -> dict[int, tuple[int, ...]]:
    known = {cell: set(words) for cell, words in values.items()}
    for runs in found:
        for trace in runs:
            for cell, word in trace.supplies:
                known[cell].add(word)
    return {cell: tuple(sorted(words)) for cell, words in known.items()}


def _cells_read(runs: Iterable[Trace]) -> set[int]:
    return {cell for trace in runs for cell, _ in trace.needs}


def _most_writes(runs: Iterable[Trace]) -> int:
    return max((sum(e.kind is Kind.WRITE for e in trace.events) for trace in runs), default=0)
