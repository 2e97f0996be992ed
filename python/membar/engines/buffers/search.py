"""Answers one question: the core's results, with runs that the reference machine replays."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from membar.diagnostics import EngineLimitError
from membar.engines._core_runs import follow_run, last_state, witness
from membar.engines.buffers.procedures import ALGORITHMS, Found, Procedures
from membar.engines.reference.state import look
from membar.limits.budget import count_reason, memory_reason, time_reason
from membar.program.loops import unexplored_of
from membar.program.program import Program, Thread
from membar.properties.judge import Tally
from membar.properties.tally import ANY_LENGTH
from membar.questions.outcome import FIRST_VIOLATION, Statistics, Witness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from membar import _core
    from membar.engines.buffers.question import EncodedTask
    from membar.program.program import Thread
    from membar.questions.task import Task


_ALWAYS = frozenset({"condition", "errors", "assertions", "deadlock"})
_LOOKED_FOR = {"forward": _ALWAYS, "bounded": _ALWAYS, "backward": frozenset({"errors", "assertions"})}
# How much is spent on a run that is shorter than the one read off the automata.
_SHORTER_SECONDS = 2.0
_SHORTER_STATES = 100_000
# How long a run is looked for to what may be no more than a loss of exactness.
_DOUBTFUL_SECONDS = 10.0
_MOST_PLACES_TOLD = 12


class Search:
    """A program and a question handed to the core, and what comes back."""

    def __init__(self, task: Task, question: EncodedTask) -> None:
        self.task = task
        self.question = question
        self.procedures = Procedures(task, question)

    def run(self) -> Tally:
        """The tally, with a run for each kind of goal that was reached.

        Raises:
            EngineLimitError: the program is out of reach.
            InputError: a run accesses what is not a location.
        """
        try:
            found = self.procedures.answer()
            tally = self._tally(found)
        except OverflowError as large:
            raise EngineLimitError(str(large)) from None
        tally.statistics = Statistics(
            states=found.findings.stored,
            transitions=found.findings.transitions,
            nodes=found.findings.visited,
            seconds=self.procedures.seconds,
        )
        return tally

    def _tally(self, found: Found) -> Tally:
        tally = Tally(
            engine="buffers",
            algorithm=ALGORITHMS[found.algorithm],
            looked_for=_LOOKED_FOR[found.algorithm],
            unit=f"states{ANY_LENGTH}",
            unexplored=unexplored_of(self.task.program),
        )
        tally.limit = self._limit(found)
        tally.lists_outcomes = self.question.shows_endings and tally.limit is None
        tally.stopped = tally.limit == FIRST_VIOLATION
        for goal in found.findings.goals:
            self._take(goal, found, tally)
        if tally.limit is not None and self.task.program.condition is not None and tally.deadlock is None:
            tally.looked_for -= {"deadlock"}  # the condition is answered, but not all states were explored
        tally.notes.extend(describe_cycles(found.findings, self.task.program))
        if self.task.options.all_executions:
            tally.notes.extend(self._error_counts(found))
        return tally

    def _limit(self, found: Found) -> str | None:
        limits = self.task.limits
        if found.is_whole:
            return None
        stopped, stored = found.findings.stopped, found.findings.stored
        if stopped == "time" and self.procedures.remaining_seconds == 0.0:
            return time_reason(limits.seconds)
        if stopped == "states" and limits.states is not None and stored >= limits.states:
            return count_reason(limits.states, "state")
        if stopped == "memory":
            return memory_reason(limits.memory)
        if not self.procedures.is_answer(found):
            return "a state was reached only because the search splits an atomic step"
        if self.task.options.all_executions:
            return "the last round was reached without an answer"
        return FIRST_VIOLATION

    def _take(self, goal: _core.Goal, found: Found, tally: Tally) -> None:
        """Adds one thing that is reachable; the first of each kind, or all, with a run that shows it."""
        keeps_all = self.task.options.all_executions
        match goal.kind:
            case "fault":
                follow_run(self.question.machine, self._run_to(goal, found))
            case "failure":
                is_asked = self.question.is_asked(goal)  # if not, the run ends there all the same
                if keeps_all or (is_asked and tally.failed_assertion is None):
                    shown = self._witness(goal, found, "assertion failed")
                    tally.failed_assertion = tally.failed_assertion or (shown if is_asked else None)
                    tally.kept += [shown] * keeps_all
            case "error":
                if keeps_all or tally.error is None:
                    shown = self._error(goal, found)
                    tally.error = tally.error or shown
                    tally.kept += [shown] * keeps_all
            case "deadlock":
                if keeps_all or tally.deadlock is None:
                    shown = self._witness(goal, found, self._waiting(goal.points))
                    tally.deadlock = tally.deadlock or shown
                    tally.kept += [shown] * keeps_all
            case "ending":
                self._take_ending(goal, found, tally)

    def _take_ending(self, goal: _core.Goal, found: Found, tally: Tally) -> None:
        if not self.question.shows_endings:
            return
        ending = self.question.observer.ending_with(goal.values[: len(self.question.observer.terms)])
        if ending.passes:
            tally.take_ending(ending, partial(self._witness, goal, found, ""))

    def _witness(self, goal: _core.Goal, found: Found, message: str) -> Witness:
        return witness(self.question.machine, self._run_to(goal, found), message)

    def _error(self, goal: _core.Goal, found: Found) -> Witness:
        """A run into an error state, named by the predicate that holds there."""
        run = self._run_to(goal, found)
        state = last_state(self.question.machine, run)
        program = self.task.program
        for predicate in program.errors:
            if predicate.holds(lambda seen: look(program, state, seen)):
                return witness(self.question.machine, run, predicate.arrival())
        raise EngineLimitError("internal error, please report: a run does not end in an error state")

    def _run_to(self, goal: _core.Goal, found: Found) -> list[_core.Step]:
        """A run: the one that the search knows, or a shorter one with short buffers.

        Raises:
            EngineLimitError: none was found within the limits.
        """
        known = found.findings.run_to(goal)
        if known is not None and found.algorithm == "bounded":
            return known
        is_doubtful = found.algorithm == "backward" and not found.findings.is_exact
        most = _SHORTER_SECONDS if known is not None else _DOUBTFUL_SECONDS if is_doubtful else None
        seconds = [limit for limit in (self.procedures.remaining_seconds, most) if limit is not None]
        shorter = self.question.core.run_to(
            goal,
            seconds=min(seconds, default=None),
            states=None if known is None else _SHORTER_STATES,
            memory=self.task.limits.memory,
        )
        runs = [] if shorter is None else [shorter]
        if known is not None:
            runs.append(shown_moves(self.question, known))
        if not runs:
            raise EngineLimitError("an error state was reached, but no run to it was found within the limits")
        return min(runs, key=len)

    def _waiting(self, points: Sequence[int | None]) -> str:
        stuck = ", ".join(thread.name for thread, _ in self._not_ended(points))
        return f"deadlock: {stuck} cannot go on"

    def _not_ended(self, points: Sequence[int | None]) -> list[tuple[Thread, int]]:
        """The threads that have steps left, with their control points."""
        found = []
        for number, thread in enumerate(self.task.program.threads):
            at = points[number]
            if at is not None and thread.outgoing[point := self.question.program.points[number][at]]:
                found.append((thread, point))
        return found

    def _error_counts(self, found: Found) -> list[str]:
        """How many errors there are, as Linden and Wolper count them, and where."""
        errors = [goal.points for goal in found.findings.goals if goal.kind == "error"]
        failures = sum(goal.kind == "failure" for goal in found.findings.goals)
        if not errors and not failures:
            return []
        count = found.findings.error_states
        notes = [
            f"{count} error state{'s' * (count != 1)} kept; {len(errors)} erroneous control "
            f"state{'s' * (len(errors) != 1)}, {failures} assertion{'s' * (failures != 1)} that can fail"
        ]
        notes += [f"error at {self._place(points)}" for points in errors[:_MOST_PLACES_TOLD]]
        if len(errors) > _MOST_PLACES_TOLD:
            notes.append(f"… and at {len(errors) - _MOST_PLACES_TOLD} more")
        return notes

    def _place(self, points: Sequence[int | None]) -> str:
        """Control points by name where they have one."""
        parts = []
        for number, thread in enumerate(self.task.program.threads):
            at = points[number]
            if at is None:
                continue
            point = self.question.program.points[number][at]
            name = next((label for at, label in thread.labels if at == point), str(point))
            parts.append(f"{thread.name}@{name}")
        return ", ".join(parts)


# Runs of the unbounded search, as the reference's store-buffer machine makes them.


def shown_moves(question: EncodedTask, run: Sequence[_core.Step]) -> list[_core.Step]:
    """`run` of an unbounded search, without the values of channels, which that search keeps in memory."""

    def visible_values(thread: int, edge: int, values: list[int]) -> list[int]:
        hidden = question.unchannelled.hidden.get((thread, edge), ())
        flags = (*hidden, *[False] * (len(values) - len(hidden)))
        return [value for value, is_hidden in zip(values, flags, strict=False) if not is_hidden]

    steps: list[_core.Step] = []
    for step in run:
        if step.edge is None:
            steps.append(step)
            continue
        other = step.partner
        theirs = None if other is None else visible_values(other.thread, other.edge, other.values)
        steps.append(step.showing(visible_values(step.thread, step.edge, step.values), theirs))
    return steps


# Describes loops that fill a buffer without bound, for reports.


_MOST_TOLD = 4
_LETTER = re.compile(r"\((\d+),(\d+)\)")


def describe_cycles(found: _core.BufferFindings, program: Program) -> list[str]:
    """`P0 may repeat lines 3-7 any number of times: buffer (x,1)((x,0)(x,1))*`, the shortest ones first."""
    notes: dict[str, None] = {}
    for cycle in sorted(found.cycles, key=lambda cycle: (cycle.thread, len(cycle.contents))):
        code = program.threads[cycle.thread]
        own = [edge for number, edge in cycle.edges if number == cycle.thread and edge < len(code.edges)]
        where = _lines(code, own)
        shown = with_cell_names(cycle.contents, program)
        notes[f"{code.name} may repeat {where} any number of times: buffer {shown}"] = None
    lines = list(notes)
    if len(lines) > _MOST_TOLD:
        return [*lines[:_MOST_TOLD], f"… and {len(lines) - _MOST_TOLD} more loops that fill a buffer"]
    return lines


def _lines(code: Thread, edges: Sequence[int]) -> str:
    spans = [span for edge in edges if (span := code.edges[edge].span) is not None]
    lines = sorted({span.line for span in spans})
    if not lines:
        return "a loop"
    return f"line {lines[0]}" if len(lines) == 1 else f"lines {lines[0]}-{lines[-1]}"


def with_cell_names(contents: str, program: Program) -> str:
    """A regular expression over (cell,value) with the names of the cells."""
    cells = program.cells

    def name(match: re.Match[str]) -> str:
        number = int(match[1])
        return f"({cells[number].name if number < len(cells) else 'start'},{match[2]})"

    return _LETTER.sub(name, contents)
