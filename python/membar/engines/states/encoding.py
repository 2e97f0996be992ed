"""What the state search of the Rust core needs besides the encoded program."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping

from membar.engines.reference.state import ATOMIC, FENCES, GHOST, LOCKED, FenceEffect
from membar.models.model import Operational
from membar.program.condition import Term
from membar.program.encoding import EncodedProgram, encode_program
from membar.program.predicate import StatePredicate
from membar.program.program import Program

# The numbers by which the core knows what fences, atomic stores and locked instructions do.
_FENCES = {FenceEffect.ORDER_STORES: 5, FenceEffect.DRAIN: 0, FenceEffect.DRAIN_ALL: 1}
_ATOMIC = {FenceEffect.DRAIN: 3, FenceEffect.DRAIN_ALL: 4}
_LOCKED = 2
_GHOST = 8


class Kept(enum.StrEnum):
    """Which registers tell states apart."""

    ALL = "all"
    DECLARED = "declared"  # those with an initial value, and others while they may be read
    LIVE = "live"  # only while they may be read


def store_buffer_tags(discipline: Operational) -> Mapping[str, int]:
    """The numbers by which the core knows the tags that mean something to the machine's buffers."""
    if discipline is Operational.SC:
        return {}
    fences = {tag: _FENCES[effect] for tag, effect in FENCES[discipline].items() if effect in _FENCES}
    return (
        fences | {tag: _ATOMIC[effect] for tag, effect in ATOMIC.items()} | {LOCKED: _LOCKED, GHOST: _GHOST}
    )


def encode_states(
    program: Program,
    discipline: Operational,
    terms: Iterable[Term],
    predicates: Iterable[StatePredicate] = (),
) -> EncodedProgram:
    """The program for the core's search of states.

    Args:
        program: what to encode.
        discipline: how stores wait.
        terms: what final states are to show, in this order.
        predicates: what will be asked of states besides the program's errors.
    """
    return encode_program(
        program,
        store_buffer_tags(discipline),
        terms,
        by_states=True,
        errors=program.errors,
        predicates=predicates,
    )
