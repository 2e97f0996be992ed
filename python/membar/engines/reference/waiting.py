"""Iterations that only waited: has the thread been in exactly this state before?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from membar.engines.reference.trace import EndError, Status
from membar.program.execution import Event, Kind
from membar.program.origins import Origins
from membar.records import record

# Where the paths of a branch meet, and the reads that decided it.
Branch: TypeAlias = tuple[int, Origins]


@record(frozen=True, slots=True, kw_only=True)
class Visit:
    """A thread at a watched point, as far as what follows can depend on it.

    Attributes:
        events: how many there were before.
        effects: how often it chose, started or joined a thread, or received something before.
        retries: how many of its store-conditionals and weak operations failed that could have succeeded.
        values: of the registers that matter there.
        origins: the reads that those values come from.
        control: the reads that decided all that follows.
        branches: those of open branches.
        open: the exclusive loads that may still be closed, if that matters there.
    """

    events: int
    effects: int
    retries: int
    values: tuple[int, ...]
    origins: tuple[Origins, ...]
    control: Origins
    branches: tuple[Branch, ...]
    open: tuple[tuple[int, int], ...]


@record(frozen=True, slots=True)
class WrittenBack:
    """The last write of an atomic operation that left its location as it was.

    Attributes:
        write: its position among the events.
        choices: how much the run had chosen and read up to then.
    """

    write: int
    choices: int


def end_if_unchanged(
    before: Visit, now: Visit, events: Sequence[Event], *, single: bool, written_back: int | None
) -> None:
    """Ends the run if all that happened since `before` was to look at memory, if anything happened at all.

    An iteration in which a store-conditional failed is left out too, but is no waiting: the next attempt may
    succeed. The write `written_back` changes nothing; a waiting thread has not made it yet.

    Raises:
        EndError: the iteration changed nothing.
    """
    turn = events[before.events :]
    reads = sum(event.kind is Kind.READ for event in turn)
    writes = sum(event.kind is Kind.WRITE for event in turn)
    has_written = writes > (written_back is not None)
    if has_written or (single and reads > 1) or now.effects != before.effects:
        return
    if now.values != before.values or now.open != before.open or not _depends_on_more(before, now):
        return
    if now.retries != before.retries:
        if written_back is None:
            raise EndError(Status.BLOCKED)
        return
    raise EndError(Status.WAITING, looks_from=before.events, ends_before=written_back)


def _depends_on_more(before: Visit, now: Visit) -> bool:
    """Whether leaving the iteration out only takes dependencies away from what follows."""
    return (
        all(_within(a, b) for a, b in zip(before.origins, now.origins, strict=True))
        and _within(before.control, now.control)
        and all(
            any(join == other and _within(reads, more) for other, more in now.branches)
            for join, reads in before.branches
        )
    )


def _within(a: Origins, b: Origins) -> bool:
    return a.data <= b.data and a.pick <= b.pick
