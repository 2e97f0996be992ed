"""Loop bounds: how far loops are unrolled if the user gives no bound."""

from __future__ import annotations

from collections.abc import Callable

from membar.properties.judge import Tally, is_settled
from membar.properties.tally import has_no_complete_execution
from membar.questions.outcome import INTERRUPTED
from membar.questions.task import Task, Unrolling
from membar.records import replace

_FURTHEST = 64
# A search of n nodes in which nothing ends takes about n * n nodes with twice the bound.
_MOST_NODES = 300


def search_with_growing_bounds(task: Task, prepare: Callable[[Task], Callable[[int], Tally]]) -> Tally:
    """What a search finds with the loop bound given, or with growing ones until the question is settled.

    An answer about a bound within which no execution terminates says next to nothing, so the bound that
    membar chose is doubled as long as that is so and the search is small.

    Args:
        task: what is asked.
        prepare: makes the search of a task, a function of the loop bound.
    """
    unrolling = task.options.unrolling
    search = prepare(task)
    if unrolling.exact is not None:
        return search(max(0, unrolling.exact))
    deepest = max(0, unrolling.deepest)
    bound = min(1, deepest)
    tally = search(bound)
    while bound < deepest and not is_settled(task, tally):
        bound += 1
        tally = search(bound)
    if unrolling.chosen_by_user:
        return tally
    while bound < _FURTHEST and _is_empty(tally) and not is_settled(task, tally):
        bound *= 2
        further = replace(task, options=replace(task.options, unrolling=Unrolling(exact=bound)))
        found = prepare(further)(bound)
        if found.limit not in (None, INTERRUPTED) and not found.stopped:
            return tally
        tally = found
    return tally


def _is_empty(tally: Tally) -> bool:
    """Whether a small search ended without one complete execution; engines that count no nodes do not say."""
    found = tally.statistics
    return has_no_complete_execution(tally) and found.nodes is not None and found.nodes <= _MOST_NODES
