"""Steps that store more than fits into an empty store buffer, and so can never happen."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from membar.engines.reference.state import GHOST, FenceEffect
from membar.models.model import Operational
from membar.program.expr import Address, Constant, evaluate
from membar.program.operations import Store, StoreConditional, Unlock

if TYPE_CHECKING:
    from membar.engines.reference.machine import Machine


def too_small_message(machine: Machine, thread: int, edge: int) -> str:
    """That a step never happens with the bound of `machine`, where it is, and which bound it needs."""
    owner = machine.program.threads[thread]
    step = owner.edges[edge]
    place = "" if step.span is None else f" at line {step.span.line}"
    entries = "entry" if machine.bound == 1 else "entries"
    return (
        f"a step of {owner.name}{place} never happens: its stores do not fit into a buffer of "
        f"{machine.bound} {entries}; it needs --buffers {sufficient_bound(machine, thread, edge)}"
    )


def sufficient_bound(machine: Machine, thread: int, edge: int) -> int:
    """A bound with which the stores of a step fit into an empty buffer."""
    stores = [
        operation
        for operation in machine.program.threads[thread].edges[edge].operations
        if isinstance(operation, Store | StoreConditional | Unlock)
        and not (isinstance(operation, Store) and _writes_at_once(machine, operation))
    ]
    if machine.discipline is Operational.TSO:
        return len(stores)
    places = Counter(_address(machine, operation) for operation in stores)
    unknown = places.pop(None, 0)  # they may all go to one location
    return max(places.values(), default=0) + unknown


def _writes_at_once(machine: Machine, store: Store) -> bool:
    return GHOST in store.tags or machine.atomic(store.tags) is not FenceEffect.NOTHING


def _address(machine: Machine, store: Store | StoreConditional | Unlock) -> int | None:
    """Where a store goes, if the text says so."""
    if isinstance(store.address, Address | Constant):
        return evaluate(store.address, {}, machine.program.bases)
    return None
