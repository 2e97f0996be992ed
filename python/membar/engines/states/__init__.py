"""Every state of a finite-state program under sc, tso(k), pso(k) and cam(k), visited by the Rust core.

    Task ─ form ─▶ the core ─ states ─▶ runs, followed by the reference machine ─▶ Tally ─ judge ─▶ Outcome

Loops need no bound here: the search ends when no new state is found. What a state and a step are is what the
reference machine says (`engines/reference/machine.py`); docs/explanation/states.md says how they are kept.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from membar.diagnostics import Diagnostic, EngineLimitError, InputError, Label
from membar.engines import Capabilities, Engine, Space, extension, has_store_buffers
from membar.limits.budget import size_text
from membar.limits.progress import Progress
from membar.models.model import Operational
from membar.program.encoding import pack
from membar.program.loops import unexplored_of
from membar.program.predicate import StatePredicate
from membar.program.temporal import Claim, ForbiddenRuns, has_next, predicates_of
from membar.properties import ASSERTED, PROPERTIES
from membar.properties.final_state import Observer
from membar.properties.judge import Tally, judge
from membar.questions.outcome import FIRST_VIOLATION, INTERRUPTED, InterruptError, Outcome, Statistics
from membar.questions.task import Task
from membar.records import record, replace

if TYPE_CHECKING:
    from membar import _core
    from membar.engines.reference.machine import Machine
    from membar.engines.states.encoding import Kept
    from membar.properties.ltl.automaton import Automaton
    from membar.source import Span


NAME = "states"
UNSEEN = "a run that stays inside an atomic block forever, where claims do not see it, was reached"
FAILED = "a failed assertion, which ends runs that the claims are about, was reached"
LEFT_OUT = "the run that violates a claim ends where membar does not follow the program further"
_BITS_FOR_RUNS = "--bitstate cannot answer LTL claims or conditions on final states: leave it out"
_BITS_ONE_THREAD = "--jobs and --shortest have no effect with --bitstate: one thread searches depth-first"
_BITS_NO_DISK = "--limit disk has no effect with --bitstate, which keeps no states"
_RUNS_IN_MEMORY = "--limit disk has no effect on LTL claims: the states of runs are kept in memory"
_BITS_BYTES = 1 << 29  # for the bits of visited states, unless a memory limit says otherwise
_ONE_FAILURE = "only one run that fails an assertion is listed: --engine reference lists all"
_MOST_JOBS = 64  # more threads than this would only wait for each other
_IDENTICAL = (
    "identical processes differ only in `_pid`, in variables that each has of its own, and in nothing that"
    " the question is about: leave out --symmetric, or make them so"
)
_LOOKED_FOR = frozenset({"condition", "errors", "claims", "assertions", "deadlock"})


def run(task: Task) -> Outcome:
    """Answers `task`.

    Raises:
        EngineLimitError: the program or the model is out of reach.
        InputError: a run accesses what is not a location.
        InterruptError: Ctrl-C.
    """
    tally = explore(task)
    if tally.limit == INTERRUPTED:
        raise InterruptError(judge(task, tally))
    return judge(task, tally)


def explore(
    task: Task,
    *,
    kept: Kept | None = None,
    reduced: bool | None = None,
    symmetric: bool | None = None,
    round_size: int | None = None,
    recent: int | None = None,
) -> Tally:
    """What the program of `task` can do on the store-buffer machine of its model.

    Args:
        task: the question.
        kept: which registers tell states apart; by default those alive, with `--no-por` all declared.
        reduced: whether partial-order reduction may leave states out; by default yes,
            with `--no-por` and `--shortest` not.
        symmetric: whether states that differ in the names of identical threads are one, unless final states
            are listed; by default only if `reduced`, or if threads are declared to be identical, and not with
            `--no-symmetry`.
        round_size: how many states several jobs share at a time, however few there are, for tests.
        recent: how many states fit into memory if there is a disk, for tests.
    """
    from membar.engines.reference.machine import Machine  # only where it is used
    from membar.engines.states.encoding import Kept

    discipline = task.model.operational
    if discipline is None:
        raise EngineLimitError(f"the model {task.model.name} has no store-buffer semantics")
    if task.options.unbounded_buffers:
        raise EngineLimitError("the engine states needs a buffer bound: --buffers N")
    bound = task.options.buffers if task.options.buffers is not None else task.model.default_buffers
    machine = Machine(task.program, discipline, bound)
    is_whole = "por" in task.options.reductions_off
    if reduced is None:
        reduced = not (is_whole or task.options.shortest)
    how = SearchMode(
        kept=kept if kept is not None else Kept.DECLARED if is_whole else Kept.LIVE,
        reduced=reduced,
        symmetric=(reduced or bool(task.options.symmetric))
        and "symmetry" not in task.options.reductions_off
        and not task.options.shortest
        if symmetric is None
        else symmetric,
        round_size=round_size,
        recent=recent,
    )
    return _Search(task, machine, bound, how).run()


@record(frozen=True, slots=True, kw_only=True)
class SearchMode:
    """How states are visited: which registers tell them apart, and whether some are left out."""

    kept: Kept
    reduced: bool
    symmetric: bool
    round_size: int | None = None
    recent: int | None = None


class _Search:
    """A program handed to the core, and what comes back."""

    def __init__(self, task: Task, machine: Machine, bound: int, how: SearchMode) -> None:
        from membar.engines.states.encoding import encode_states  # brings the reference along

        self.task = task
        self.program = task.program
        self.machine = machine
        self.reduced = how.reduced
        self.symmetric = how.symmetric
        self.round_size = how.round_size
        self.recent = how.recent
        self.bound = bound
        self.started = time.monotonic()
        self.product_states = 0
        self.observer = Observer(task.program)
        # Without a question about final states their registers would only make states different.
        asks = task.program.condition is not None or not task.properties
        self.terms = self.observer.terms if asks else ()
        discipline = machine.discipline
        claimed = predicates_of(task.program.claims)
        self.encoded = encode_states(machine.program, discipline, self.terms, claimed)
        self.core = extension(NAME).StateSpace(
            self.encoded.form,
            discipline=discipline.value,
            bound=machine.bound or 0,
            registers=how.kept.value,
        )
        buffers = "" if discipline is Operational.SC else f", {discipline.value} buffers of {bound}"
        self.tally = Tally(
            engine=NAME,
            algorithm=f"{'states up to order' if how.reduced else 'every state'}{buffers}",
            looked_for=_LOOKED_FOR,
            unit="states",
            lists_outcomes=asks,
            unexplored=unexplored_of(task.program),
        )

    def run(self) -> Tally:
        """The tally, with a run for each kind of thing that was found."""
        if self.task.options.bitstate:
            self._prepare_bitstate()
        if self.task.options.unrolling.chosen_by_user:
            self.tally.notes.append("the loop bound has no effect: every state is visited")
        self._check_declared()
        try:
            if self._asks_only_for_claims() and not self._may_follow_all():
                self.tally.looked_for = frozenset({"claims", *self._trivial()})
            else:
                self._visit()
            self._take_claims()
        except (OverflowError, OSError) as failure:
            raise EngineLimitError(str(failure)) from None
        self.tally.statistics = replace(
            self.tally.statistics, nodes=self.product_states or None, seconds=self._seconds()
        )
        return self.tally

    def _prepare_bitstate(self) -> None:
        """Checks that the question can be asked with a few bits of each state.

        Raises:
            EngineLimitError: it cannot.
        """
        options = self.task.options
        if self.terms or (self.program.claims and self._asks("claims")):
            raise EngineLimitError(_BITS_FOR_RUNS)
        if options.jobs > 1 or options.shortest:
            self.tally.notes.append(_BITS_ONE_THREAD)
        if self.task.limits.disk is not None:
            self.tally.notes.append(_BITS_NO_DISK)
        self.tally.algorithm = self.tally.algorithm.replace("states up to order", "every state")
        self.tally.algorithm += ", a few bits of each"

    def _check_declared(self) -> None:
        """Checks that the threads that the user declares to be identical can be exchanged.

        Raises:
            InputError: they cannot, or there are no such threads.
        """
        program = self.program
        groups, alone = list[list[int]](), list[int]()
        for name in self.task.options.symmetric:
            named = [n for n, thread in enumerate(program.threads) if _is_called(thread.name, name)]
            if not named:
                known = ", ".join(thread.name for thread in program.threads)
                raise _refuse(f"--symmetric {name}: there is no such thread", help=f"there are {known}")
            # Instances of one process are one group; threads that are named one by one are another.
            if len(named) > 1:
                groups.append(named)
            else:
                alone += named
        automata = [claim_form(claim, self.encoded.predicates) for claim in program.claims]
        for group in [*groups, alone] if alone else groups:
            found = self.core.distinction(group, automata)
            if found is not None:
                thread, edge, why = found
                code = self.program.threads[thread]
                raise _refuse(
                    f"{code.name} is not identical to {self._names(set(group) - {thread})}: {why}",
                    span=None if edge is None else code.edges[edge].span,
                    help=_IDENTICAL,
                )

    def _names(self, threads: Iterable[int]) -> str:
        return ", ".join(self.program.threads[thread].name for thread in sorted(threads))

    def _note_symmetry(self, groups: Sequence[Sequence[int]]) -> None:
        for group in groups:
            names = self._names(group)
            note = f"states are counted up to the exchange of identical threads: {names}"
            if note not in self.tally.notes:
                self.tally.notes.append(note)

    def _asks_only_for_claims(self) -> bool:
        """Whether only runs are asked about: they are looked for at once, before all states are known."""
        names = [name for name in self.task.properties if self._asks(name)]
        return names == ["claims"] and not self.program.errors

    def _trivial(self) -> set[str]:
        """The properties that no run of this program can violate."""
        program, model = self.program, self.task.model
        return {name for name in _LOOKED_FOR if not PROPERTIES[name].applies(program, model)}

    def _asks(self, name: str) -> bool:
        """Whether a property is asked about that says something of this program."""
        task = self.task
        return name in task.properties and PROPERTIES[name].applies(task.program, task.model)

    def _visit(self) -> None:
        found = self._visited_states()
        self._record_result(found)
        self.tally.statistics = Statistics(
            blocked=found.blocked,
            states=found.states,
            transitions=found.transitions,
            peak_bytes=found.bytes,
        )
        if found.disk is not None:
            self.tally.notes.append(_on_disk(found.disk, self.task.options.jobs))
        if self._may_follow_all() and found.stopped is None and not found.blocked:
            self.tally.unexplored = {}

    def _may_follow_all(self) -> bool:
        """Whether visiting all states tells that no run comes to a step that is not followed.

        Where such a step begins at a point that its thread holds, a run that comes there is blocked.
        """
        return bool(self.tally.unexplored) and all(
            edge.source in thread.atomic
            for thread in self.program.threads
            for edge in thread.edges
            if edge.unexplored
        )

    def _seconds(self) -> float:
        return time.monotonic() - self.started

    def _visited_states(self) -> _core.VisitedStates:
        limits, options = self.task.limits, self.task.options
        progress = None if options.progress is None else Progress(options.progress, unit="states")
        stops = options.bitstate or (options.stops_early and not self.terms)
        found: _core.VisitedStates = self.core.explore(
            stop_at_failure=stops and self._is_settled_by_failure(),
            # Error states and claims are answered whether or not there is a deadlock.
            stop_at_deadlock=stops
            and self._asks("deadlock")
            and (options.bitstate or not self.program.asks_about_states),
            keep_finals=options.all_executions,
            reduced=self.reduced,
            symmetric=self.symmetric and not self.terms and not options.all_executions,
            jobs=min(options.jobs, _MOST_JOBS),
            round_size=self.round_size,
            bitstate=_bytes_for_bits(limits.memory) if options.bitstate else None,
            disk=None if options.bitstate else limits.disk,
            recent=self.recent,
            seconds=limits.seconds,
            states=limits.states,
            memory=limits.memory,
            progress=progress,
        )
        return found

    def _is_settled_by_failure(self) -> bool:
        """Whether a failed assertion or an error state is an answer to what was asked."""
        properties = self.task.properties
        return not ASSERTED.isdisjoint(properties) or bool(properties and self.program.errors)

    def _record_result(self, found: _core.VisitedStates) -> None:
        from membar.engines._core_runs import follow_run, witness
        from membar.engines.reference.runs import deadlock_message

        tally, machine = self.tally, self.machine
        self._note_symmetry(found.symmetric)
        if found.fault is not None:
            follow_run(machine, found.run_to(found.fault), ends_in_fault=True)
        tally.limit = self._limit(found.stopped)
        tally.stopped = found.stopped == "failure"
        if found.omitted is not None and tally.limit is None:
            tally.limit = _coverage(found.states, found.omitted)
        self._take_bound(found)
        if found.failure is not None:
            tally.failed_assertion = witness(machine, found.run_to(*found.failure), "assertion failed")
        reached = [(state, place) for place, state in enumerate(found.errors) if state is not None]
        for state, place in sorted(reached)[:1]:
            tally.error = witness(machine, found.run_to(state), self.program.errors[place].arrival())
        # Where nothing is asked, following a long run only takes time; the tests look at it all the same.
        if found.deadlock is not None and (self.task.properties or not self.task.options.stops_early):
            tally.deadlock = witness(machine, found.run_to(found.deadlock), deadlock_message)
        tally.comes_to_an_end = found.run_ends
        for ending in found.endings:
            self._take_ending(found, ending.values, ending.count, ending.first)
        for state in found.finals:
            kept = witness(machine, found.run_to(state), "")
            tally.kept.append(kept)
        if tally.failed_assertion is not None and self.task.options.all_executions:
            tally.kept.append(tally.failed_assertion)
            tally.notes.append(_ONE_FAILURE)

    def _take_bound(self, found: _core.VisitedStates | _core.RunAnswer) -> None:
        if found.held:
            self.tally.buffers_held = self.bound
        if found.unfit is not None and self.tally.unfit is None:
            from membar.engines.reference.buffer_room import too_small_message  # most steps fit

            self.tally.unfit = too_small_message(self.machine, *found.unfit)

    def _take_claims(self) -> None:
        """Looks for a run that breaks a claim, one claim after another, unless the search has stopped."""
        tally = self.tally
        for claim in self.program.claims:
            if tally.lasso is None and tally.limit is None:
                self._take_claim(claim)

    def _take_claim(self, claim: Claim) -> None:
        from membar.engines._core_runs import lasso
        from membar.engines.states import claim_form

        limits, options = self.task.limits, self.task.options
        progress = None if options.progress is None else Progress(options.progress, unit="states of runs")
        answer = self.core.find_run(
            claim_form(claim, self.encoded.predicates),
            fair_buffers="buffers" in options.fair,
            fair_processes="processes" in options.fair,
            shortest=options.shortest,
            reduced=self.reduced and self._may_be_reduced(claim),
            symmetric=self.symmetric,
            jobs=min(options.jobs, _MOST_JOBS),
            round_size=self.round_size,
            seconds=None if limits.seconds is None else max(limits.seconds - self._seconds(), 0.0),
            states=limits.states,
            memory=limits.memory,
            progress=progress,
        )
        if answer.fault:
            self._visit()  # says where
        self._note_symmetry(answer.symmetric)
        self.product_states += answer.states
        self.tally.limit = self._limit(answer.stopped)
        if answer.stopped == "memory" and limits.disk is not None:
            self.tally.notes.append(_RUNS_IN_MEMORY)
        self._take_bound(answer)
        if answer.failed and answer.lasso is None:
            self.tally.limit = self.tally.limit or FAILED
        if answer.unseen and answer.lasso is None:
            self.tally.limit = self.tally.limit or UNSEEN
        if answer.lasso is not None:
            run = answer.lasso
            if self._is_unexplored([*run.prefix, *run.cycle]):
                self.tally.limit = LEFT_OUT
                return
            self.tally.lasso = lasso(
                self.machine, run.prefix, run.cycle, claim.violation, fair=sorted(options.fair)
            )

    def _may_be_reduced(self, claim: Claim) -> bool:
        """Whether partial-order reduction keeps the answer; a note says why it does not.

        It keeps runs up to the repetition of states, which a claim must not notice
        (docs/decisions/0064-reduction-for-ltl.md).
        """
        if isinstance(claim.body, ForbiddenRuns):
            why = "it is an automaton, which may count steps"
        elif has_next(claim.body):
            why = "it uses X or Y, which count steps"
        elif claim.is_endless:
            why = "it is about runs that do not end"
        elif "processes" in self.task.options.fair:
            why = "with --fair processes every step matters"
        else:
            return True
        self.tally.notes.append(f"no partial-order reduction for the claim {claim.name}: {why}")
        return False

    def _is_unexplored(self, steps: Sequence[_core.Step | None]) -> bool:
        """Whether a thread ends up, in a run of these steps, where the program is not followed further."""
        points = {}
        for step in steps:
            if step is not None and step.edge is not None:
                points[step.thread] = self.program.threads[step.thread].edges[step.edge].target
        return any(
            edge.unexplored
            for thread, point in points.items()
            for edge in self.program.threads[thread].outgoing.get(point, ())
        )

    def _take_ending(self, found: _core.VisitedStates, words: list[int], count: int, first: int) -> None:
        from membar.engines._core_runs import witness

        if not self.terms:
            return  # the question is not about final states
        ending = self.observer.ending_with(words)
        if ending.passes:
            self.tally.take_ending(ending, lambda: witness(self.machine, found.run_to(first), ""), count)

    def _limit(self, stopped: str | None) -> str | None:
        if stopped == "failure":
            return FIRST_VIOLATION
        return None if stopped is None else self.task.limits.reason(stopped) or INTERRUPTED


def _is_called(thread: str, name: str) -> bool:
    """Whether a thread has this name, or is an instance of the process with this name."""
    process, _, number = thread.rpartition("_")
    return thread == name or (process == name and number.isdigit())


def _refuse(message: str, *, span: Span | None = None, help: str) -> InputError:  # noqa: A002 - as in Diagnostic
    primary = None if span is None else Label(span, "")
    return InputError(Diagnostic(code="W0444", message=message, primary=primary, help=help))


def _bytes_for_bits(memory: int | None) -> int:
    """How many bytes hold the bits of visited states: the rest is for the stack and for parts of states."""
    return _BITS_BYTES if memory is None else memory * 3 // 4


def _on_disk(size: int, jobs: int) -> str:
    """That states were kept on disk."""
    alone = "; from then on one thread searched" if jobs > 1 else ""
    return f"memory was full, so states were kept on disk: at most {size_text(size)}{alone}"


def _coverage(states: int, omitted: float) -> str:
    """Why a bit-state search that found nothing proves nothing, and how much it has seen."""
    part = 100 * states / max(states + omitted, 1)
    # Never rounded up to all of them.
    shown = f"{min(part, 99.9999):.4f}".rstrip("0").rstrip(".")
    return (
        f"the end of the bit-state search, which visited {states} states"
        f" (an estimated {shown} % of those that it encountered), was reached"
    )


ENGINE = Engine(
    name=NAME,
    title="every state with bounded store buffers (Rust)",
    can=Capabilities(
        models=has_store_buffers,
        properties=_LOOKED_FOR,
        options=frozenset(
            {
                "--buffers",
                "--unroll",
                "--max-unroll",
                "--no-por",
                "--no-symmetry",
                "--symmetric",
                "--shortest",
                "--bitstate",
                "--jobs",
            }
        ),
        explores=Space.STATES,
        lists_all=False,
        uses_disk=True,
        holds="every state was visited and a full store buffer never blocked a store",
        violated="the run or lasso replays",
    ),
    run=run,
)


# Claims for the core: automata that accept the runs that violate a claim.


def claim_form(claim: Claim, predicates: Sequence[StatePredicate]) -> bytes:
    """The automaton of the runs that break `claim`; its predicates are numbers in `predicates`.

    Raises:
        EngineLimitError: the automaton has too many states.
    """
    from membar.properties.ltl.translation import automaton_of

    body = claim.body
    words = (
        _encode_forbidden(body, predicates)
        if isinstance(body, ForbiddenRuns)
        else _encode_negation(automaton_of(body, negated=True), predicates)
    )
    return pack([*words, int(claim.is_endless)])


def _encode_negation(automaton: Automaton, predicates: Sequence[StatePredicate]) -> list[int]:
    numbers = [predicates.index(atom) for atom in automaton.atoms]
    # With a set of its own, an automaton that accepts every run does not accept one that it never sees,
    # because it goes on forever inside an atomic block.
    has_sets = automaton.sets > 0
    words = [automaton.states, 1, 0, automaton.sets or 1, len(automaton.transitions)]
    for edge in automaton.transitions:
        literals = [2 * numbers[atom] + 1 for atom in sorted(edge.label.positive)]
        literals += [2 * numbers[atom] for atom in sorted(edge.label.negative)]
        marks = sorted(edge.marks) if has_sets else [0]
        words += (edge.source, edge.target, len(literals), *literals, len(marks), *marks)
    return [*words, 0]


def _encode_forbidden(automaton: ForbiddenRuns, predicates: Sequence[StatePredicate]) -> list[int]:
    """An edge has the mark of each accepting set that its source belongs to."""
    words = [len(automaton.states), 1, automaton.initial, len(automaton.accepting), len(automaton.edges)]
    for edge in automaton.edges:
        marks = [number for number, states in enumerate(automaton.accepting) if edge.source in states]
        guard = 2 * predicates.index(edge.guard) + 1
        words += (edge.source, edge.target, 1, guard, len(marks), *marks)
    leaving = {edge.source for edge in automaton.edges}
    ends = [state for state in range(len(automaton.states)) if state not in leaving]
    wrong = ends if automaton.ends_are_errors else []
    return [*words, len(wrong), *wrong]
