"""Cubes of events: what a backward search knows of the future of a weak system.

A state (with its store buffers) is in the cube if the named processes exist, the literals hold of their
registers, and the state has a future in which the events happen, in an order that the cube allows.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from membar.records import record

if TYPE_CHECKING:
    from membar.systems.terms import Conjunction, Process, ProcessVariable


class EventKind(enum.Enum):
    """The effect of an event on memory."""

    READ = "read"
    WRITE = "write"

    __hash__ = object.__hash__  # Enum's is a function of Python, and there is one object per member


@record(frozen=True, slots=True)
class Location:
    """A weak variable (no indices) or a cell of a weak array."""

    symbol: str
    indices: tuple[Process, ...] = ()


@record(frozen=True, slots=True, kw_only=True)
class Event:
    """The accesses of one process at one instant.

    A read of nothing stands for any event of its process: all earlier reads of the process are before it, and
    with `fence` all its earlier writes too.

    Attributes:
        process: the acting process; None for a write by an arbitrary one.
        kind: a read or a write.
        locations: of a write, what it writes; of a read, only what it still *waits* for: the locations whose
            source is not yet found, each with its value `EventValue(number, symbol, indices)`.
        fence: a read before which the process's buffer is empty (all its earlier writes are in memory).
    """

    process: Process | None
    kind: EventKind
    locations: tuple[Location, ...]
    fence: bool = False


@record(frozen=True, slots=True, kw_only=True)
class EventCube:
    """`exists parameters, pairwise distinct, and events`; without events, an ordinary cube.

    Attributes:
        parameters: the processes it speaks of.
        literals: of registers, and of the values that pending reads will see (`EventValue`).
        events: numbered by their position.
        before: pairs of event numbers: the first is globally before the second (ghb; any set whose
            transitive closure, together with `together`, is meant).
        together: pairs of event numbers at one instant (atom; symmetric and transitive closure is meant).
    """

    parameters: tuple[ProcessVariable, ...]
    literals: Conjunction
    events: tuple[Event, ...] = ()
    before: frozenset[tuple[int, int]] = frozenset()
    together: frozenset[tuple[int, int]] = frozenset()
