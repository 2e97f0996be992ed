"""No execution has a data race, by the model's definition."""

from __future__ import annotations

from membar.models.model import Model
from membar.properties.property import Property

RACE_FLAG = "data-race"
UNDEFINED = "undefined behaviour"
"""How the message about an execution with a race begins."""


def defines_races(model: Model) -> bool:
    """Whether the model defines data races (rc11, ra, imm, lkmm, …)."""
    has_check = model.plan is not None and any(check.name == RACE_FLAG for check in model.plan.checks)
    return model.language_model or has_check


PROPERTY = Property(
    name="races",
    title="there are no data races",
    covers="two accesses of one location by two threads, at least one of them a write and at least one not"
    " atomic, that the model does not order; under a model that does not define races, by the definition of"
    " its language: rc11, for C++ and Rust rc20",
    applies=lambda _, model: defines_races(model),
    advice="A data race is undefined behaviour in C. Make one of the two accesses atomic, or"
    " order them: a lock, a release store that an acquire load reads, joining the thread.",
)
