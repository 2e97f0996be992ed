"""Axiomatic semantics: every candidate execution of a program, filtered by the model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from membar.diagnostics import Diagnostic, EngineLimitError, InputError
from membar.engines._loop_bounds import search_with_growing_bounds
from membar.engines.reference.candidates import combinations, consistent, skeleton
from membar.engines.reference.exploration_budget import Budget, LimitHitError, peak_bytes
from membar.engines.reference.termination import (
    is_blocked_when_cut,
    is_deadlock,
    is_stuck,
    may_block,
    places_of_blocked_threads,
    stuck_threads,
    waiting_threads,
)
from membar.engines.reference.trace import Status, Trace
from membar.engines.reference.values import all_traces
from membar.models.evaluate import Evaluation, evaluator_of
from membar.models.monotone import watches_under
from membar.program.access import NO_LOCATION, with_line
from membar.program.atomicity import advise_buffers, require_single_accesses, require_uncommitted
from membar.program.awaits import NO_WATCHES
from membar.program.blocking import is_decided
from membar.program.execution import Kind, final_memory
from membar.program.expand import expand
from membar.program.loops import unexplored_in
from membar.program.operations import Receive, Send
from membar.program.program import Program
from membar.program.value_candidates import guesses
from membar.properties.deadlock import deadlock_of
from membar.properties.final_state import Observer
from membar.properties.judge import TRUNCATED, Tally, excluded_by_filter_text
from membar.properties.locks import MISUSE_FLAGS
from membar.properties.property import has_operation
from membar.properties.races import RACE_FLAG
from membar.properties.termination import waiting_of
from membar.properties.undefined import take_misuse, take_undefined
from membar.questions.outcome import FinalState, Statistics, Witness
from membar.questions.task import Task, repeats_are_one
from membar.records import replace
from membar.source import Span

NAME = "reference"
_LOOKED_FOR = frozenset({"condition", "assertions", "races"})
_ENDED = frozenset({Status.COMPLETE, Status.NOT_STARTED})
_STOPPED = frozenset({Status.FAILED, Status.FAULT})


def explore(task: Task) -> Tally:
    """What the program of `task` can do, with the loop bound given or deepening until nothing is cut."""
    runs_buffers = task.model.operational is not None
    if has_operation(task.program, Send, Receive):
        advice = advise_buffers(runs_buffers=runs_buffers)
        raise EngineLimitError(f"axiomatic models cannot express channels; {advice}")
    require_uncommitted(task.program, "reference (axioms)")
    program = expand(task.program)
    require_single_accesses(program, runs_buffers=runs_buffers)
    budget = Budget(task.limits, task.options.progress)
    return search_with_growing_bounds(
        task, lambda task: lambda bound: _Search(task, program, bound, budget).run()
    )


class _Search:
    """All candidate executions for one loop bound."""

    def __init__(self, task: Task, program: Program, bound: int, budget: Budget) -> None:
        if task.model.plan is None:
            raise EngineLimitError(f"the model {task.model.name} has no axioms")
        self.task = task
        self.program = program
        self.bound = bound
        self.budget = budget
        self.evaluator = evaluator_of(task.model.plan)
        self.observer = Observer(task.program)
        is_off = not repeats_are_one(task.options)
        deepest = task.options.unrolling.largest_bound
        terms = self.observer.terms
        self.watched = NO_WATCHES if is_off else watches_under(task.model, program, terms, bound=deepest)
        self.executions = self.blocked = self.candidates = self.failed = self.truncated = self.left_out = 0
        self.tally = Tally(
            engine=NAME,
            algorithm="every candidate execution",
            looked_for=_LOOKED_FOR | ({"deadlock"} if is_decided(program) else set()),
            unrolls=True,
            awaits=bool(self.watched.threads),
        )

    def run(self) -> Tally:
        """The tally; with its `limit` set if the search did not end."""
        try:
            self._search()
        except LimitHitError as hit:
            self.tally.limit = hit.reason
        if self.left_out and self.task.options.all_executions:
            self.tally.notes.append(excluded_by_filter_text(self.left_out))
        self.tally.statistics = Statistics(
            executions=self.executions,
            failed=self.failed or None,
            truncated=self.truncated or None,
            blocked=self.blocked,
            candidates=self.candidates,
            seconds=self.budget.seconds,
            peak_bytes=peak_bytes(),
        )
        return self.tally

    def _search(self) -> None:
        self.budget.look()
        threads = all_traces(
            self.program,
            bound=self.bound,
            budget=self.budget,
            watched=self.watched,
            guesses=guesses(self.program) if self.task.model.claims.may_guess else (),
        )
        self.tally.waiting = _waiting_spans(threads)
        cuts = [trace.edge for runs in threads for trace in runs if trace.status is Status.CUT]
        self.tally.unexplored = unexplored_in(edge for edge in cuts if edge is not None)
        if any(edge is None or not edge.unexplored for edge in cuts):
            self.tally.loops_cut = self.bound
        for chosen in combinations(self.program, threads, self.budget):
            if self._is_worth_it(chosen):
                frame = skeleton(self.program, chosen)
                self.candidates += frame.candidates
                for found in consistent(self.evaluator, frame, self.budget):
                    self._take(chosen, found)

    def _is_worth_it(self, chosen: Sequence[Trace]) -> bool:
        """A truncated run counts only for violations or blocked threads in it, unless all are listed."""
        statuses = {trace.status for trace in chosen}
        is_asked = self.task.options.all_executions or bool(self.evaluator.others)
        if Status.CUT not in statuses or not statuses.isdisjoint(_STOPPED) or is_asked:
            return True
        return may_block(self.program, chosen)

    def _take_fault(self, fault: Diagnostic, chosen: Sequence[Trace], found: Evaluation) -> None:
        """An access that hits nothing: a violation, or bad input in a program with a question of its own."""
        if self.task.program.condition is not None or fault.code != NO_LOCATION:
            raise InputError(fault)
        if self.tally.failed_assertion is None:
            self.tally.failed_assertion = self._witness(chosen, found, with_line(fault))

    def _take(self, chosen: Sequence[Trace], found: Evaluation) -> None:
        """Counts one consistent execution."""
        statuses = {trace.status for trace in chosen}
        for trace in chosen:
            if trace.fault is not None:
                self._take_fault(trace.fault, chosen, found)
        self._take_flags(chosen, found)
        if not statuses.isdisjoint(_STOPPED):
            self._take_failed(chosen, found)
        elif statuses <= _ENDED:
            self.executions += 1
            self.budget.count_execution(self.executions)
            self._take_ending(chosen, found)
        elif Status.CUT in statuses:
            self._take_deadlock(chosen, found)
            if self.tally.blocked_when_cut is None and is_blocked_when_cut(
                self.program, chosen, found.execution
            ):
                self.tally.blocked_when_cut = places_of_blocked_threads(chosen)
            if self.task.options.all_executions:
                self.truncated += 1
                self.tally.kept.append(self._witness(chosen, found, TRUNCATED))
        else:
            self.blocked += 1
            if self.tally.stuck is None and is_stuck(chosen, found.execution):
                waiting = waiting_of(waiting_threads(self.program, chosen))
                self.tally.stuck = self._witness(chosen, found, waiting)
            self._take_deadlock(chosen, found)

    def _take_deadlock(self, chosen: Sequence[Trace], found: Evaluation) -> None:
        if self.tally.deadlock is None and is_deadlock(self.program, chosen, found.execution):
            message = deadlock_of(stuck_threads(self.program, chosen, found.execution))
            self.tally.deadlock = self._witness(chosen, found, message)

    def _take_failed(self, chosen: Sequence[Trace], found: Evaluation) -> None:
        """Counts an execution in which an assertion fails, or an access hits nothing."""
        self.failed += 1
        fault = next((trace.fault for trace in chosen if trace.fault is not None), None)
        failure = next((trace.failure for trace in chosen if trace.failure is not None), None)
        if failure is not None and fault is None and self.tally.failed_assertion is None:
            self.tally.failed_assertion = self._witness(chosen, found, failure)
        if self.task.options.all_executions:
            message = with_line(fault) if fault is not None else failure or ""
            self.tally.kept.append(self._witness(chosen, found, message))

    def _take_flags(self, chosen: Sequence[Trace], found: Evaluation) -> None:
        if self.evaluator.others:
            undefined = found.undefined_checks() | (found.flags() & {RACE_FLAG})
            self.tally.flags |= found.flags() | undefined
            if undefined and (self.tally.race is None or self.tally.allocation is None):
                take_undefined(self.tally, self.evaluator.plan, undefined, self._witness(chosen, found, ""))
            if self.tally.misuse is None and not MISUSE_FLAGS.isdisjoint(found.flags()):
                take_misuse(self.tally, found.flags(), self._witness(chosen, found, ""))

    def _take_ending(self, chosen: Sequence[Trace], found: Evaluation) -> None:
        ending = self.observer.ending(
            [dict(trace.registers) for trace in chosen], final_memory(found.execution)
        )
        if not ending.passes:
            self.left_out += 1
            return
        show = partial(self._witness, chosen, found, "", ending.shown)
        if self.task.options.all_executions:
            self.tally.kept.append(show())
        self.tally.take_ending(ending, show)

    def _witness(
        self, chosen: Sequence[Trace], found: Evaluation, message: str, final: FinalState | None = None
    ) -> Witness:
        execution = replace(found.execution, registers=tuple(trace.registers for trace in chosen))
        if final is None:
            registers = [dict(trace.registers) for trace in chosen]
            final = self.observer.ending(registers, final_memory(execution)).shown
        return Witness(
            execution=execution,
            final=final,
            choices=tuple(trace.choices for trace in chosen),
            message=message,
        )


def _waiting_spans(threads: Sequence[Sequence[Trace]]) -> set[Span]:
    """The places where runs that wait look first."""
    found: set[Span] = set()
    for trace in (trace for runs in threads for trace in runs if trace.status is Status.WAITING):
        reads = [event.span for event in trace.events[trace.looks_from :] if event.kind is Kind.READ]
        found.update(span for span in reads[:1] if span is not None)
        if not reads and trace.edge is not None and trace.edge.span is not None:
            found.add(trace.edge.span)
    return found
