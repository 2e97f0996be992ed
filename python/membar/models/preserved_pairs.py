"""Which pairs of program order a model preserves in an execution, and which other threads may see reversed.

A model preserves a pair if one of its `acyclic` axioms has a path from the first access to the second inside
the thread: then no chain of observations by other threads can lead back. Each axiom counts separately, since
a cycle violates a single axiom.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from membar.models import relation as rel
from membar.models.evaluate import evaluator_of
from membar.models.plan import CheckKind, CheckMode, Plan, Stage
from membar.program.execution import Execution, Kind
from membar.program.pairs import Pair
from membar.records import record


@record(frozen=True, slots=True)
class Reordering:
    """Why a read misses a write: the model does not preserve the order of two accesses of one thread."""

    read: int
    write: int
    first: int
    second: int


def reorderable_pairs(plan: Plan, execution: Execution) -> frozenset[Pair] | None:
    """The pairs of accesses in program order that the model does not preserve.

    None for models that order by synchronisation: they speak of pairs of threads, not of program order.
    """
    size = len(execution.events)
    order = rel.rows_of(execution.po, size)
    whole, kept = evaluator_of(plan).whole(execution), [0] * size
    for check in plan.checks:
        if check.kind is not CheckKind.ACYCLIC or check.mode is not CheckMode.REQUIRE or check.negated:
            continue
        inside = rel.intersection(whole.rows(check), _same_thread(execution))
        paths = rel.intersection(rel.plus(inside), order)
        if check.stage is not Stage.COHERENCE and paths == order:
            return None  # it excludes values out of thin air, whatever the program order
        kept = rel.union(kept, paths)
    left = rel.pairs_of(rel.difference(order, kept))
    return frozenset(pair for pair in left if not any(_is_no_access(execution, event) for event in pair))


def reorderings(execution: Execution, reorderable: frozenset[Pair]) -> Iterator[Reordering]:
    """For each read that misses a write of another thread, the pair of accesses that is out of order.

    It lies on a shortest way from the write back to the read, by program order and by what threads see of
    each other; if there is one, on a way of writes that were seen. Where no way exists, or each of its parts
    is kept, there is nothing to say.
    """
    size, events = len(execution.events), execution.events
    order = rel.rows_of(execution.po, size)
    rf = rel.rows_of(execution.rf, size)
    co = rel.chains(execution.co, size)
    fr = rel.sequence(rel.inverse(rf), co)
    seen = rel.union(order, rf)
    steps = rel.union(seen, rel.union(co, fr))
    for read, write in sorted(rel.pairs_of(fr)):
        if events[read].thread == events[write].thread:
            continue
        way = rel.shortest_path(seen, write, read) or rel.shortest_path(steps, write, read) or ()
        found = next((pair for pair in pairwise(way) if pair in reorderable), None)
        if found is not None:
            yield Reordering(read, write, *found)


def _same_thread(execution: Execution) -> list[int]:
    masks: dict[int, int] = {}
    for event in execution.events:
        masks[event.thread] = masks.get(event.thread, 0) | 1 << event.id
    return [masks[event.thread] for event in execution.events]


def _is_no_access(execution: Execution, event: int) -> bool:
    return execution.events[event].kind is Kind.FENCE
