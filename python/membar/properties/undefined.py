"""Undefined behaviour that a language model reports: data races, use of memory before its allocation."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from membar.models.model import Model
from membar.program.allocations import ALLOC, EARLY_PAIRS, TOO_EARLY, UNORDERED
from membar.program.execution import Event, Execution
from membar.properties.locks import MISUSE_FLAGS, MISUSED
from membar.properties.races import UNDEFINED
from membar.properties.tally import Tally
from membar.questions.outcome import Witness
from membar.records import replace

if TYPE_CHECKING:
    from membar.models.plan import Plan


def orders_allocations(model: Model) -> bool:
    """Whether the model reports accesses that the allocation of their memory does not happen before."""
    return model.plan is not None and any(check.name == UNORDERED for check in model.plan.checks)


def take_undefined(tally: Tally, plan: Plan, names: Collection[str], witness: Witness) -> None:
    """Records an execution in which these checks find undefined behaviour."""
    races = sorted(set(names) - {UNORDERED})
    if races and tally.race is None:
        tally.race = replace(witness, message=f"{UNDEFINED} ({', '.join(races)})")
    if UNORDERED in names and tally.allocation is None:
        tally.allocation = replace(witness, message=_message(plan, witness.execution))


def take_misuse(tally: Tally, flags: Collection[str], witness: Witness) -> None:
    """Records an execution for which the model raises these flags, if some are about the use of locks."""
    if tally.misuse is None and not MISUSE_FLAGS.isdisjoint(flags):
        tally.misuse = replace(witness, message=MISUSED)


def _message(plan: Plan, execution: Execution) -> str:
    from membar.models.evaluate import relation  # noqa: PLC0415 - on demand

    pairs = relation(plan, execution, EARLY_PAIRS) if EARLY_PAIRS in dict(plan.names) else frozenset()
    for one, other in sorted(pairs):
        allocation, access = execution.events[one], execution.events[other]
        if ALLOC in allocation.tags and ALLOC not in access.tags:
            return f"{TOO_EARLY}{_at(allocation)} does not happen before the access{_at(access)}"
    return f"{TOO_EARLY} of some memory does not happen before an access to it"


def _at(event: Event) -> str:
    return "" if event.span is None else f" at {event.span.place}"
