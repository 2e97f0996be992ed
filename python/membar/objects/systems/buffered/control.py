"""Control states of a thread with a store buffer: its next line, pending stores, linearization status."""

from __future__ import annotations

import enum

from membar.objects.terms import IDLE
from membar.records import record

WAITING = "@deferred"
# What a pending store is, beside the parameters of its operation: words that no parameter can be.
VALUE, INDEX = "the value", "the index"


class Status(enum.Enum):
    """Whether the current operation has taken effect."""

    NONE = "no operation"
    BEFORE = "has not taken effect"
    PROMISED = "takes effect when a pending store does"
    DEFERRED = "takes effect after a pending store"
    AFTER = "has taken effect"


@record(frozen=True, slots=True)
class Entry:
    """A pending store: its line, whether its operation takes effect with it, and whether that returned."""

    line: str
    promises: bool = False
    returned: bool = False


@record(frozen=True, slots=True)
class Waiting:
    """The followed operation that takes effect after a pending store, the `entry`th."""

    operation: str
    entry: int
    returned: bool = False


@record(frozen=True, slots=True)
class Control:
    """A thread's control state: its next line, pending stores, and which operations took effect."""

    line: str = IDLE
    status: Status = Status.NONE
    entries: tuple[Entry, ...] = ()
    waiting: Waiting | None = None


def describe(control: Control) -> str:
    """A control state in words."""
    place = "between operations" if control.line == IDLE else f"before label {control.line}"
    if control.line != IDLE:
        place += f", {control.status.value}" if control.status is not Status.BEFORE else ""
    if control.entries:
        place += f", pending: {', '.join(f'label {entry.line}' for entry in control.entries)}"
    if control.waiting is not None:
        line = control.entries[control.waiting.entry].line
        place += f"; a {control.waiting.operation} takes effect after label {line}"
    return place


def owner_name(number: int) -> str:
    """Who keeps the variables of the pending store with this number."""
    return f"@{number}"
