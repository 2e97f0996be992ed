"""Store buffers of any length: is a bad state reachable at all?

    Task ─ question ─▶ the core ─ goals ─▶ runs with small buffers ─ witness ─▶ Tally ─ judge ─▶ Outcome

`forward` explores sets of buffer contents, kept as automata, and accelerates cycles (Linden and Wolper); it
may fail to end. `backward` starts from the bad states and goes back in the load-buffer semantics of tso,
which always ends in theory. docs/explanation/unbounded-buffers.md says how, and what each may claim.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from membar.diagnostics import EngineLimitError
from membar.engines import Engine
from membar.models.model import Operational
from membar.outcome import Outcome, Statistics
from membar.program.operations import Assert
from membar.properties.judge import Tally, judge
from membar.properties.property import has_operation
from membar.task import Task

if TYPE_CHECKING:
    from membar import _core
    from membar.engines.buffers.question import Lowered

NAME = "buffers"
ALGORITHMS = {"forward": "automata of buffer contents", "backward": "backwards from bad states"}
_LOOKED_FOR = {
    "forward": frozenset({"condition", "assertions", "deadlock", "errors"}),
    "backward": frozenset({"assertions", "errors"}),
}
# Where the user names no procedure: how far the one that may go on for ever goes before the other is asked.
_FIRST_STATES = 20_000
_FIRST_SECONDS = 10.0
_MOST_CYCLES_SHOWN = 4


def run(task: Task) -> Outcome:
    """Answers `task`.

    Raises:
        EngineLimitError: the program or the model is out of reach.
        InputError: a run accesses what is no location.
    """
    return judge(task, explore(task))


def explore(task: Task, *, fault: int | None = None) -> Tally:
    """What the program of `task` can do with store buffers of any length."""
    from membar.engines.buffers.question import lowered  # noqa: PLC0415 - brings the reference along

    if task.options.buffers_chosen_by_user:
        raise EngineLimitError("the engine buffers has no bound: --buffers unbounded")
    return _Search(task, lowered(task, fault=fault)).run()


class _Search:
    """A program and a question handed to the core, and what comes back."""

    def __init__(self, task: Task, question: Lowered) -> None:
        self.task = task
        self.question = question
        self.started = time.monotonic()

    def run(self) -> Tally:
        """The tally, with a run for each kind of goal that was reached."""
        try:
            algorithm, found = self._found()
            tally = self._tally(algorithm, found)
        except OverflowError as large:
            raise EngineLimitError(str(large)) from None
        tally.statistics = Statistics(
            states=found.stored, transitions=found.transitions, nodes=found.visited, seconds=self._seconds()
        )
        return tally

    def _seconds(self) -> float:
        return time.monotonic() - self.started

    def _left(self) -> float | None:
        seconds = self.task.limits.seconds
        return None if seconds is None else max(seconds - self._seconds(), 0.0)

    def _found(self) -> tuple[str, _core.BufferFindings]:
        """What the procedure that the user named found, or the first that ends."""
        limits = self.task.limits
        chosen = self.task.options.algorithm
        if chosen == "backward":
            return "backward", self._backward()
        if chosen == "forward" or not self._backward_can_answer():
            return "forward", self._forward(self._left(), limits.states)
        seconds = _least(self._left(), _FIRST_SECONDS)
        states = int(_least(limits.states, _FIRST_STATES))
        found = self._forward(seconds, states)
        if found.stopped is None or any(kind in ("failure", "error") for kind, _ in found.goals):
            return "forward", found
        try:
            other = self._backward()
        except OverflowError:
            return "forward", self._forward(self._left(), limits.states)
        return ("backward", other) if other.stopped is None or other.goals else ("forward", found)

    def _backward_can_answer(self) -> bool:
        """Whether all that is asked are assertions, on one buffer per thread."""
        task = self.task
        return (
            task.program.condition is None
            and task.model.operational is Operational.TSO
            and (
                (has_operation(task.program, Assert) and "assertions" in task.properties)
                or (bool(task.program.errors) and "errors" in task.properties)
            )
        )

    def _forward(self, seconds: float | None, states: int | None) -> _core.BufferFindings:
        off = self.task.options.reductions_off
        return self.question.core.forward(
            sleep="sleep" not in off,
            acceleration="acceleration" not in off,
            seconds=seconds,
            states=states,
            memory=self.task.limits.memory,
        )

    def _backward(self) -> _core.BufferFindings:
        limits = self.task.limits
        return self.question.core.backward(seconds=self._left(), states=limits.states, memory=limits.memory)

    def _tally(self, algorithm: str, found: _core.BufferFindings) -> Tally:
        tally = Tally(
            engine=NAME,
            algorithm=ALGORITHMS[algorithm],
            looked_for=_LOOKED_FOR[algorithm],
            unit="states with unbounded store buffers",
        )
        tally.limit = self._limit(found.stopped)
        for goal in found.goals:
            self._take(goal, tally)
        self._tell_cycles(found, tally)
        return tally

    def _limit(self, stopped: str | None) -> str | None:
        limits = self.task.limits
        match stopped:
            case None:
                return None
            case "time" if limits.seconds is not None:
                return f"the time limit of {limits.seconds:g} s was reached"
            case "states" if limits.states is not None:
                return f"the limit of {limits.states} states was reached"
            case "time" | "states":
                return (
                    f"the limit of {_FIRST_SECONDS:g} s or {_FIRST_STATES} states for a first try was reached"
                )
            case "memory":
                return f"the memory limit of {limits.memory} bytes was reached"
            case _:
                return "a request to stop was reached"

    def _take(self, goal: tuple[str, list[int]], tally: Tally) -> None:
        """Adds one thing that is reachable; the first of each kind with a run that shows it."""
        from membar.engines.buffers.witness import followed, witness  # noqa: PLC0415 - on demand

        machine = self.question.machine
        match goal:
            case "fault", _:
                followed(machine, self._run_to(goal))
            case "failure", _:
                if tally.failed_assertion is None:
                    tally.failed_assertion = witness(machine, self._run_to(goal), "assertion failed")
            case "error", points:
                if tally.error is None:
                    message = f"reaches {self.question.reached(points)}"
                    tally.error = witness(machine, self._run_to(goal), message)
            case "stuck", points:
                if tally.deadlock is None and not self._may_stay(points):
                    tally.deadlock = witness(machine, self._run_to(goal), self._waiting(points))
            case _, words:
                self._take_ending(goal, words, tally)

    def _take_ending(self, goal: tuple[str, list[int]], words: list[int], tally: Tally) -> None:
        from membar.engines.buffers.witness import witness  # noqa: PLC0415 - on demand

        if len(words) != len(self.question.observer.terms):
            return  # nobody asked about final states
        ending = self.question.observer.ending_with(words)
        if not ending.passes:
            return
        tally.outcomes.add(ending.shown)
        machine = self.question.machine
        if ending.satisfies:
            tally.positive += 1
            if tally.positive_witness is None:
                tally.positive_witness = witness(machine, self._run_to(goal), "")
        else:
            tally.negative += 1
            if tally.negative_witness is None:
                tally.negative_witness = witness(
                    machine, self._run_to(goal), "does not satisfy the condition"
                )

    def _run_to(self, goal: tuple[str, list[int]]) -> list[tuple[int, int | None, list[int]]]:
        """A run with buffers as small as possible.

        Raises:
            EngineLimitError: none was found within the limits.
        """
        limits = self.task.limits
        run = self.question.core.run_to(goal, seconds=self._left(), memory=limits.memory)
        if run is None:
            raise EngineLimitError("something was reached, but no run to it was found within the limits")
        return run

    def _may_stay(self, points: list[int]) -> bool:
        """Whether every thread has ended or may wait for ever where it is."""
        for number, thread in enumerate(self.task.program.threads):
            if 0 <= points[number] < len(self.question.program.points[number]):
                point = self.question.program.points[number][points[number]]
                if thread.outgoing[point] and point not in thread.ends:
                    return False
        return True

    def _waiting(self, points: list[int]) -> str:
        threads = self.task.program.threads
        stuck = [
            thread.name
            for number, thread in enumerate(threads)
            if 0 <= points[number] < len(self.question.program.points[number])
            and thread.outgoing[self.question.program.points[number][points[number]]]
        ]
        return f"deadlock: {', '.join(stuck)} cannot go on"

    def _tell_cycles(self, found: _core.BufferFindings, tally: Tally) -> None:
        """Which loops fill a buffer without end."""
        told: dict[str, None] = {}
        for thread, edges, contents in found.cycles:
            code = self.task.program.threads[thread]
            own = [edge for number, edge in edges if number == thread and edge < len(code.edges)]
            spans = [span for edge in own if (span := code.edges[edge].span) is not None]
            lines = sorted({span.line for span in spans})
            where = (
                f"lines {lines[0]}-{lines[-1]}"
                if len(lines) > 1
                else f"line {lines[0]}"
                if lines
                else "a loop"
            )
            shown = self._named(contents)
            told[f"{code.name} may repeat {where} any number of times: buffer {shown}"] = None
        notes = list(told)
        tally.notes.extend(notes[:_MOST_CYCLES_SHOWN])
        if len(notes) > _MOST_CYCLES_SHOWN:
            tally.notes.append(f"… and {len(notes) - _MOST_CYCLES_SHOWN} more loops that fill a buffer")

    def _named(self, contents: str) -> str:
        """A regular expression over (cell,value) with the names of the cells."""
        import re  # noqa: PLC0415 - only where a cycle is told

        cells = self.task.program.cells

        def name(match: re.Match[str]) -> str:
            number = int(match[1])
            return f"({cells[number].name if number < len(cells) else 'start'},{match[2]})"

        return re.sub(r"\((\d+),(\d+)\)", name, contents)


def _least(limit: float | None, other: float) -> float:
    return other if limit is None else min(limit, other)


ENGINE = Engine(
    name=NAME, title="store buffers of any length, as automata, explored by the Rust core", run=run
)
