"""A run of one thread: its events, how it ended, and the choices that determine it."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from membar.diagnostics import Diagnostic
from membar.program.execution import Event
from membar.program.pairs import Relation
from membar.program.program import Edge
from membar.records import record

Pair: TypeAlias = tuple[int, int]


class Status(enum.Enum):
    """How a run of a thread ended."""

    COMPLETE = "complete"
    BLOCKED = "blocked"  # an assumption failed, no guard is open, or it waits for a thread forever
    WAITING = "waiting"  # an iteration that only waited; it would wait again
    SUSPENDED = "suspended"  # in a step that blocks until a condition holds, which did not hold
    CUT = "cut"  # by the loop bound
    FAILED = "failed"  # an assertion failed; nothing comes after it
    FAULT = "fault"  # it accessed what is not a location
    NOT_STARTED = "not started"  # no `Spawn` started it


@record(frozen=True, slots=True, kw_only=True)
class ThreadEvent:
    """A `Spawn` or a passed `Join`: it stands before the event at `position` of the trace."""

    position: int
    thread: str
    is_spawn: bool


@record(frozen=True, slots=True, kw_only=True)
class Trace:
    """One run of one thread.

    Attributes:
        thread: index into `Program.threads`.
        status: how it ended.
        events: in program order; ids are positions in this trace, as in all pairs below.
        registers: last values, sorted by name.
        choices: what determines the run.
        turns: where it started and joined threads.
        waits_for: the thread that it waits for and that does not end.
        looks_from: for a run that waits or is suspended, the first event of its last iteration.
        ends_process: whether it is complete, and the process ends with it.
        failure: text of the failed assertion.
        fault: what is wrong with the access that ended it.
        point: the control point where it ended.
        edge: the step in which it ended, unless complete.
        related: whether pairs of events are listed; long runs that are shown step by step do without.
        needs: the (cell, value) pairs it reads.
        supplies: the (cell, value) pairs it writes.
    """

    thread: int
    status: Status
    events: tuple[Event, ...] = ()
    po: Relation = frozenset()
    addr: frozenset[Pair] = frozenset()
    data: frozenset[Pair] = frozenset()
    ctrl: frozenset[Pair] = frozenset()
    pick_addr: frozenset[Pair] = frozenset()
    pick_data: frozenset[Pair] = frozenset()
    pick_ctrl: frozenset[Pair] = frozenset()
    amo: frozenset[Pair] = frozenset()
    lxsx: frozenset[Pair] = frozenset()
    registers: tuple[tuple[str, int], ...] = ()
    choices: tuple[int, ...] = ()
    turns: tuple[ThreadEvent, ...] = ()
    waits_for: str | None = None
    looks_from: int | None = None
    ends_process: bool = False
    failure: str | None = None
    fault: Diagnostic | None = None
    point: int | None = None
    edge: Edge | None = None
    needs: frozenset[Pair] = frozenset()
    supplies: frozenset[Pair] = frozenset()
    related: bool = True


class ChoiceError(Exception):
    """Choices that no run of the thread makes."""


class Choices:
    """Answers a run's questions: with the given choices, then with first options, noting the others."""

    def __init__(self, given: tuple[int, ...], *, searching: bool) -> None:
        self.given = given
        self.searching = searching
        self.made: list[int] = []
        self.others: list[tuple[int, ...]] = []

    def pick(self, options: Sequence[int] | None) -> int:
        """One of `options`; None stands for any word, which only a run along given choices can answer."""
        position = len(self.made)
        if position < len(self.given):
            answer = self.given[position]
            if options is not None and answer not in options:
                raise ChoiceError(f"choice {position + 1}, {answer}, is not possible")
        elif not self.searching or options is None:
            raise EndError(Status.CUT)
        else:
            answer = options[0]
            done = tuple(self.made)
            self.others.extend((*done, other) for other in reversed(options[1:]))
        self.made.append(answer)
        return answer


def every_choice() -> Iterator[Choices]:
    """For each way to answer the questions of a run that is run anew with each of these."""
    todo: list[tuple[int, ...]] = [()]
    while todo:
        picks = Choices(todo.pop(), searching=True)
        yield picks
        todo.extend(picks.others)


class EndError(Exception):
    """Ends the run of a thread before its final control point."""

    def __init__(
        self,
        status: Status,
        *,
        failure: str | None = None,
        fault: Diagnostic | None = None,
        waits_for: str | None = None,
        looks_from: int | None = None,
        ends_before: int | None = None,
    ) -> None:
        super().__init__(status.value)
        self.status = status
        self.failure = failure
        self.fault = fault
        self.waits_for = waits_for
        self.looks_from = looks_from
        self.ends_before = ends_before
