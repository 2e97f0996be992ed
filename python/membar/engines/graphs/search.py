"""One search of the core: a program and a model handed to it, and its findings as a tally."""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import factorial
from types import ModuleType
from typing import TYPE_CHECKING

from membar.diagnostics import EngineLimitError, InputError
from membar.engines import extension
from membar.engines.graphs.search_choice import (
    SYMMETRY,
    careful_exploration,
    exploration,
    may_go_first,
    trial_steps,
    why_not_classes,
)
from membar.engines.graphs.symmetry_classes import (
    MOST_LISTED,
    Exchange,
    SymmetryClasses,
    Unfolded,
    exchange_threads,
)
from membar.engines.graphs.witnesses import Witnesses
from membar.models.encoding import EncodedPlan, encode_plan
from membar.models.model import CLASSES, DEPENDENCY_AWARE, EXACTLY_ONCE, GENERAL
from membar.models.monotone import watches_under
from membar.models.plan import CheckMode, Plan
from membar.program.access import NO_LOCATION, with_line
from membar.program.allocations import UNORDERED
from membar.program.atomicity import require_single_accesses
from membar.program.awaits import NO_WATCHES, Watches
from membar.program.blocking import is_decided
from membar.program.condition import FinalRegister, Quantifier, Term
from membar.program.encoding import EncodedProgram, encode_program
from membar.program.execution import final_memory
from membar.program.expand import expand
from membar.program.program import Edge
from membar.program.symmetry import Group, groups
from membar.properties import ASSERTED
from membar.properties.final_state import Observer
from membar.properties.judge import Tally, excluded_by_filter_text
from membar.properties.locks import MISUSE_FLAGS
from membar.properties.memory import property_of
from membar.properties.races import RACE_FLAG
from membar.properties.undefined import take_misuse, take_undefined
from membar.questions.outcome import FIRST_VIOLATION, INTERRUPTED, Statistics, Witness
from membar.questions.task import Coherence, Task, repeats_are_one
from membar.records import record, replace

if TYPE_CHECKING:
    from membar import _core

NAME = "graphs"
# Of so many ways in which a thread is blocked beside one that was cut it is asked whether they are deadlocks.
_MOST_SITUATIONS = 64
ALGORITHMS = {
    EXACTLY_ONCE: "exactly-once search",
    DEPENDENCY_AWARE: "dependency-aware search",
    GENERAL: "general search",
    CLASSES: "search of reads-from classes",
}
# What the search of classes says when most of what it looks at leads nowhere.
_DEAD_ENDS = "dead ends"
# What the general search says when a trial of it takes too long.
_NOT_QUICK = frozenset({"steps", "memory"})
_FOLDED = "final states that differ only in a permutation of identical threads are listed once"
LOOKED_FOR = frozenset({"condition", "assertions", "races"})


def stops_at_failure(task: Task) -> bool:
    """Whether one failed assertion settles all that is asked: no final states, and not every execution."""
    options = task.options
    asks_for_states = task.program.condition is not None or options.all_executions
    return options.stops_early and not ASSERTED.isdisjoint(task.properties) and not asks_for_states


def core() -> ModuleType:
    return extension(NAME, "; install membar from its wheel, or choose --engine reference (slower)")


# Compiled models by identity: plans are large, and hashing one takes longer than a small search.
_KEPT = 16
_compiled: dict[int, tuple[Plan, EncodedPlan, _core.Plan]] = {}


def compile_for_core(plan: Plan) -> tuple[EncodedPlan, _core.Plan]:
    """The plan as the core holds it, kept for the next time."""
    found = _compiled.get(id(plan))
    if found is None or found[0] is not plan:
        encoded = encode_plan(plan)
        found = (plan, encoded, core().Plan(encoded.form))
        while len(_compiled) >= _KEPT:
            del _compiled[next(iter(_compiled))]
        _compiled[id(plan)] = found
    return found[1], found[2]


@record(frozen=True, slots=True)
class _LoadBufferingCheck:
    """Of an exactly-once search that may miss executions: what to go back to, and what to gather.

    If that is nothing, nothing tells whether it missed some.
    """

    compiled: _core.Plan
    encoded: EncodedProgram
    slots: tuple[int, int, int] | None


class Search:
    """A program and a model handed to the core, and what comes back."""

    def __init__(self, task: Task, plan: Plan) -> None:
        self.task = task
        self.plan = plan
        self.started = time.monotonic()
        encoded_plan, self.compiled = compile_for_core(plan)
        self.program = expand(task.program)
        require_single_accesses(self.program, runs_buffers=task.model.operational is not None)
        self.exploration = exploration(task, self.program)
        self.steps = trial_steps(task, self.program) if self.exploration == GENERAL else None
        self.without_classes = (
            why_not_classes(task, self.program) if task.options.coherence is Coherence.OBSERVED else None
        )
        self.observer = Observer(task.program)
        # Which executions show the answer to the program's question: the others are counted only.
        condition = task.program.condition
        self.wanted = None if condition is None else condition.quantifier
        self.watched = self._watches(self.observer.terms)
        self.orbits = SymmetryClasses(self._groups(), self.observer.terms, threads=len(self.program.threads))
        if self.orbits.groups and self._watches(self.orbits.terms) != self.watched:
            # Who looks into a register of one thread only can tell it from the others.
            self.orbits = SymmetryClasses((), self.observer.terms, threads=len(self.program.threads))
        self.encoded = encode_program(self.program, encoded_plan.tags, self.orbits.terms, self.watched)
        self.load_buffering: _LoadBufferingCheck | None = None
        if self.steps is None:
            self._begin_load_buffering_check()

    def _watches(self, terms: Sequence[Term]) -> Watches:
        if not repeats_are_one(self.task.options):
            return NO_WATCHES
        largest_bound = self.task.options.unrolling.largest_bound
        return watches_under(self.task.model, self.program, terms, bound=largest_bound)

    def _begin_load_buffering_check(self) -> None:
        """Tries the exactly-once search in place of the general one.

        If it can tell what it misses, that may be enough; if one failed assertion is, it may find that.
        """
        if not may_go_first(self.task, self.program, self.exploration):
            return
        from membar.models.load_buffering_signs import mark_reads, remove_marks, shows_overtaking, signs_under

        if not shows_overtaking(self.program, self.task.model):
            if stops_at_failure(self.task):
                self.exploration, self.load_buffering = (
                    EXACTLY_ONCE,
                    _LoadBufferingCheck(self.compiled, self.encoded, None),
                )
            return
        signs = signs_under(self.task.model)
        self.load_buffering = _LoadBufferingCheck(self.compiled, self.encoded, signs.slots)
        self.exploration = EXACTLY_ONCE
        encoded_plan, self.compiled = compile_for_core(signs.plan)
        program = mark_reads(self.program, self.watched)
        encoded = encode_program(program, encoded_plan.tags, self.orbits.terms, self.watched)
        self.encoded = replace(encoded, tag_sets=tuple(map(remove_marks, encoded.tag_sets)))

    def _end_load_buffering_check(self, load_buffering: _LoadBufferingCheck) -> None:
        self.exploration, self.load_buffering = GENERAL, None
        self.compiled, self.encoded = load_buffering.compiled, load_buffering.encoded

    def _is_claimed(self) -> bool:
        """Whether the model, not only this program, is for the exactly-once search.

        That is what its reductions are tested for.
        """
        return self.exploration == EXACTLY_ONCE == self.task.model.claims.search

    def _is_in_place(self) -> bool:
        """Whether waiting threads read last; not with symmetric threads, compared as they are scheduled."""
        is_off = "latest" in self.task.options.reductions_off
        return self._is_claimed() and not is_off and not self.orbits.groups

    def _groups(self) -> tuple[Group, ...]:
        """The threads that are explored up to symmetry."""
        options = self.task.options
        if not self._is_claimed() or options.all_executions or SYMMETRY in options.reductions_off:
            return ()
        found = groups(self.program)
        if found and self.task.program.condition is not None:
            # The condition is asked of every arrangement: of groups that have too many only if it does not
            # speak of their registers.
            asked = {term.thread for term in self.observer.terms if isinstance(term, FinalRegister)}
            found = tuple(
                group
                for group in found
                if asked.isdisjoint(group.threads) or factorial(len(group.threads)) <= MOST_LISTED
            )
        return found

    def run(self, bound: int) -> Tally:
        """Everything within one loop bound."""
        try:
            found = self._explore(bound)
            if found.stopped == _DEAD_ENDS:
                self.exploration = EXACTLY_ONCE
                self.without_classes = "most partial classes of this program are inconsistent"
                found = self._explore(bound)
            elif self.steps is not None and found.stopped in _NOT_QUICK:
                self.exploration, self.steps = careful_exploration(self.task, self.program), None
                self._begin_load_buffering_check()
                found = self._explore(bound)
            if self.load_buffering is not None and self._is_doubtful(found):
                self._end_load_buffering_check(self.load_buffering)
                found = self._explore(bound)
            return self._tally(found, bound)
        except OverflowError as large:
            raise EngineLimitError(str(large)) from None

    def _is_doubtful(self, found: _core.Findings) -> bool:
        """Whether there may be executions that the exactly-once search cannot build, and that matter.

        Nothing matters once there is a failure and that is enough. A thread ends where it fails, so that no
        more is known if it is not.
        """
        if found.stopped is not None:
            return False
        from membar.models.load_buffering_signs import is_doubtful

        is_blind = self.load_buffering is None or self.load_buffering.slots is None
        return is_blind or bool(found.failures or found.faults) or is_doubtful(found.relation_ends)

    def _explore(self, bound: int) -> _core.Findings:
        limits, options = self.task.limits, self.task.options
        left = None if limits.seconds is None else max(limits.seconds - self._seconds(), 0.0)
        unit = CLASSES if self.exploration == CLASSES else "executions"
        progress = None
        if options.progress is not None:
            from membar.limits.progress import Progress  # on a terminal only

            progress = Progress(options.progress, unit=unit)
        if self.exploration == CLASSES:
            return self.compiled.search_classes(
                self.encoded.form,
                bound=bound,
                seconds=left,
                executions=limits.executions,
                memory=limits.memory,
                stop_at_failure=stops_at_failure(self.task),
                progress=progress,
            )
        if self.exploration != GENERAL:
            return self.compiled.search_exactly_once(
                self.encoded.form,
                bound=bound,
                order=self.task.model.thread_order if self.exploration == DEPENDENCY_AWARE else None,
                seconds=left,
                executions=limits.executions,
                memory=limits.memory,
                keep_all=options.all_executions,
                stop_at_failure=stops_at_failure(self.task),
                jobs=options.jobs,
                in_place=self._is_in_place(),
                relation_ends=None if self.load_buffering is None else self.load_buffering.slots,
                progress=progress,
                symmetric=(
                    [list(group.threads) for group in self.orbits.groups],
                    self.task.model.claims.global_order,
                ),
            )
        return self.compiled.search(
            self.encoded.form,
            bound=bound,
            guesses=self._guesses(),
            seconds=left,
            executions=limits.executions,
            memory=limits.memory,
            steps=self.steps,
            keep_all=options.all_executions,
            prune="prune" not in options.reductions_off,
            progress=progress,
        )

    def _guesses(self) -> tuple[tuple[int, int], ...] | None:
        """The values to try before any write is known to produce them; None if the model needs none."""
        if not self.task.model.claims.may_guess:
            return None
        from membar.program.value_candidates import guesses  # few models need it

        return guesses(self.program)

    @property
    def _witnesses(self) -> Witnesses:
        return Witnesses(self.program, self.encoded, self.observer)

    def _seconds(self) -> float:
        return time.monotonic() - self.started

    def _tally(self, found: _core.Findings, bound: int) -> Tally:
        astray = self._wild_accesses(found)
        cuts = self._edges(found.cuts)
        tally = Tally(
            engine=NAME,
            algorithm=ALGORITHMS[self.exploration],
            looked_for=LOOKED_FOR | ({"deadlock"} if is_decided(self.program) else set()),
            unrolls=True,
            awaits=bool(self.watched.threads),
            waiting={edge.span for edge in self._edges(found.waits) if edge.span is not None},
        )
        if cuts:
            from membar.program.loops import places_of_loops, unexplored_in  # most programs have no loops

            tally.cut = places_of_loops(self.program, found.cuts)
            tally.unexplored = unexplored_in(cuts)
        tally.loops_cut = bound if any(not edge.unexplored for edge in cuts) else None
        tally.limit = self._limit(found.stopped)
        tally.stopped = found.stopped == "failure"
        self._collect_flags(found, tally)
        tally.failed_assertion = astray
        for thread in found.failures[:1]:
            failure = self._witnesses.of_failure(found.failure_witness(thread))
            if astray is None or property_of(self.program, failure.message) in self.task.properties:
                tally.failed_assertion = failure
        if found.stuck:
            tally.stuck = self._witnesses.of_waiting(found.stuck_witness())
        if found.deadlocks:
            tally.deadlock = self._witnesses.of_deadlock(found.deadlock_witness())
        for index in range(min(found.blocked_beside_truncated, _MOST_SITUATIONS)):
            self._take_blocked_when_cut(found.blocked_beside_truncated_witness(index), tally)
        self._take_states(found, tally)
        if self.orbits.is_folded:
            tally.notes.append(_FOLDED)
        self._take_kept(found, tally)
        tally.statistics = Statistics(
            executions=found.executions,
            failed=found.failed or None,
            truncated=found.truncated or None,
            blocked=found.blocked,
            duplicates=found.duplicates if self.exploration == DEPENDENCY_AWARE else None,
            explored=found.explored if found.symmetric else None,
            symmetric=tuple(
                tuple(self.program.threads[number].name for number in group) for group in found.symmetric
            )
            or None,
            nodes=found.nodes,
            seconds=self._seconds(),
        )
        self._take_unit(tally)
        return tally

    def _take_blocked_when_cut(self, first: _core.Execution, tally: Tally) -> None:
        """A thread is blocked beside one that was cut: a deadlock if nobody that goes on can help it."""
        if tally.deadlock is not None:
            return
        from membar.engines.reference.witness_replay import deadlock_shown  # few executions are blocked

        if tally.blocked_when_cut is None:
            tally.blocked_when_cut = self._witnesses.places_of_blocked_threads(first)
        witness = self._witnesses.of(first, "")
        message = deadlock_shown(self.task.program, self.task.model, witness)
        if message is not None:
            tally.deadlock = replace(witness, message=message)

    def _take_kept(self, found: _core.Findings, tally: Tally) -> None:
        """Every execution, where all are asked for; those that are not complete say so."""
        left_out = 0
        for index in range(found.kept):
            witness = self._witnesses.of_any_end(found.kept_witness(index))
            if witness.message or self._passes(witness):
                tally.kept.append(witness)
            else:
                left_out += 1
        if left_out:
            tally.notes.append(excluded_by_filter_text(left_out))

    def _take_unit(self, tally: Tally) -> None:
        """Says what was counted, if that is not executions."""
        if self.exploration == CLASSES:
            tally.unit = CLASSES
            counted = tally.statistics.executions
            # No class can come twice (docs/decisions/0013); tests count.
            tally.statistics = replace(tally.statistics, executions=None, classes=counted, duplicates=0)
        elif self.without_classes is not None and self.task.options.coherence_chosen_by_user:
            tally.notes.append(f"--coherence observed has no effect: {self.without_classes}")

    def _edges(self, steps: Sequence[tuple[int, int]]) -> list[Edge]:
        """The edges that are given by thread and number."""
        return [self.program.threads[thread].edges[edge] for thread, edge in steps]

    def _limit(self, stopped: str | None) -> str | None:
        if stopped == "failure":
            return FIRST_VIOLATION
        return None if stopped is None else self.task.limits.reason(stopped) or INTERRUPTED

    def _collect_flags(self, found: _core.Findings, tally: Tally) -> None:
        tally.flags |= {self.plan.checks[number].name for number in found.flags}
        checks = [(self.plan.checks[number], number) for number in found.flags]
        undefined = [
            (check.name, number)
            for check, number in checks
            if check.mode is not CheckMode.FLAG or check.name == RACE_FLAG
        ]
        races = {name for name, _ in undefined} - {UNORDERED}
        for check, number in checks:
            if check.name in MISUSE_FLAGS:
                take_misuse(tally, {check.name}, self._witnesses.of(found.flag_witness(number), ""))
        for name, number in undefined:
            names = {name} if name == UNORDERED else races
            take_undefined(tally, self.plan, names, self._witnesses.of(found.flag_witness(number), ""))

    def _take_states(self, found: _core.Findings, tally: Tally) -> None:
        if found.symmetric:
            for item in self.orbits.unfold(found.states):
                self._take_state(found, item, tally)
            return
        for index, (state, count) in enumerate(found.states):
            self._take_state(found, Unfolded(state, count, index, None), tally)

    def _take_state(self, found: _core.Findings, item: Unfolded, tally: Tally) -> None:
        """Takes a final state."""
        ending = self.observer.ending_with(item.state)
        if not ending.passes:
            return
        tally.outcomes.add(ending.shown)
        if ending.satisfies:
            tally.positive += item.executions
            if tally.positive_witness is None and self.wanted is not Quantifier.FORALL:
                tally.positive_witness = self._state_witness(found, item.explored, item.exchange)
        else:
            tally.negative += item.executions
            if tally.negative_witness is None and self.wanted is Quantifier.FORALL:
                tally.negative_witness = self._state_witness(found, item.explored, item.exchange)

    def _state_witness(self, found: _core.Findings, explored: int, exchange: Exchange | None) -> Witness:
        execution = found.state_witness(explored)
        if exchange is not None:
            execution = exchange_threads(execution, exchange, self.orbits.groups, self.encoded.registers)
        return self._witnesses.of(execution, "")

    def _passes(self, witness: Witness) -> bool:
        registers = [dict(pairs) for pairs in witness.execution.registers]
        return self.observer.ending(registers, final_memory(witness.execution)).passes

    def _wild_accesses(self, found: _core.Findings) -> Witness | None:
        """An execution that accesses what is not a location.

        Raises:
            InputError: it does so in a program that has a question of its own, or in part of a location.
        """
        for thread in found.faults:
            execution = found.fault_witness(thread)
            wrong = self._witnesses.fault(execution, thread)
            if self.task.program.condition is not None or wrong.code != NO_LOCATION:
                raise InputError(wrong)
            return self._witnesses.of(execution, with_line(wrong))
        return None
