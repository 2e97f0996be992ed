"""Monotonicity: is a stronger program correct if a weaker one is? Then the first repair is the cheapest.

Fences, stronger orders and atomic writes remove executions and reachable states, and what holds for all
executions or states also holds for fewer. Two cases need care:

- A claim about runs. A run of the stronger program is a run of the weaker one in which a store goes to memory
  at once, with one more state in between: there the thread has already moved on, and memory is unchanged. A
  formula without X that is only about memory, or not about memory at all, cannot distinguish them. A fence
  has its own control point in most languages, so with fences formulas may only be about memory. The run must
  also be fair: it is if fairness is only about store buffers (and processes), since a thread's own buffer
  always drains. A write that waits for *all* buffers may wait forever: others fill them again and again.
- A step that writes several locations of which one is atomic: that one overtakes the others.
"""

from __future__ import annotations

from collections.abc import Sequence

from membar.program.operations import Store
from membar.program.predicate import CellValue
from membar.program.program import Program
from membar.program.temporal import Claim, ForbiddenRuns, has_next, predicates_of
from membar.text.edits import EditSite


def is_monotone(program: Program, places: Sequence[EditSite], fair: frozenset[str]) -> bool:
    """Whether `program` stays correct with stronger alternatives at `places`."""
    has_atomics = any(place.location is not None for place in places)
    if has_atomics and _writes_several(program):
        return False
    if not program.claims:
        return True
    waits_for_all = any("ATOMIC-ALL" in tags for tags in _store_tags(program))
    if waits_for_all or "buffers" not in fair or any(not _is_plain(claim) for claim in program.claims):
        return False
    seen = [type(seen) for predicate in predicates_of(program.claims) for _, seen in predicate.reads]
    sees_memory, sees_more = CellValue in seen, any(kind is not CellValue for kind in seen)
    return not sees_more or (has_atomics and not sees_memory)


def _is_plain(claim: Claim) -> bool:
    return not (isinstance(claim.body, ForbiddenRuns) or claim.is_endless or has_next(claim.body))


def _writes_several(program: Program) -> bool:
    return any(
        sum(isinstance(operation, Store) for operation in edge.operations) > 1
        for thread in program.threads
        for edge in thread.edges
    )


def _store_tags(program: Program) -> list[frozenset[str]]:
    return [operation.tags for operation in program.operations if isinstance(operation, Store)]
