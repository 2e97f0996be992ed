"""Checks every client of an object: the results of its calls, and the orders between them.

For each client (`objects/client.py`) the engine enumerates the results that the calls can return. If no order
of the calls explains them, the object is refuted. Otherwise some orders explain them, and the object is
refuted only if real executions order the calls in a way that excludes all of these. So for each minimal set
of such constraints (`objects/orders.py`) the engine runs the client again, with threads that wait for each
other accordingly. In this way every history of every execution is covered, although only results and the few
orders that matter are enumerated.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Never

from membar.diagnostics import InputError
from membar.limits.budget import LimitError
from membar.models.load_buffering import keeps_loads_before_stores
from membar.models.model import EXACTLY_ONCE, Model
from membar.objects.annotations import describe_calls
from membar.objects.client import Body, Client, Size, clients
from membar.objects.history import Call, History, Order, program_order
from membar.objects.linearize import linearizations, verdict
from membar.objects.orders import (
    CallPosition,
    Carrier,
    Ordering,
    least_excluding,
    with_messages,
)
from membar.objects.pending import waits_at_locks, with_giving_up
from membar.objects.results import formula_of, question, shown_calls, shown_losses, with_results
from membar.objects.simplest_witness import count_reads_from_others
from membar.program.condition import Or
from membar.program.dependencies import reads_memory, writes_memory
from membar.program.expand import expand
from membar.program.program import Program
from membar.properties.races import defines_races
from membar.questions.answer import Answer, ClientRun, Refutation, make_answer
from membar.questions.default_engines import FOR_AXIOMS, FOR_BUFFERS, FOR_OBJECTS
from membar.questions.engine_answer import answer, load_engine
from membar.questions.object_under_test import (
    AskedObject,
    ClientPrograms,
)
from membar.questions.outcome import (
    INTERRUPTED,
    Finding,
    HoldsWithin,
    InterruptedAnswerError,
    Outcome,
    Run,
    Statistics,
    Unknown,
    Verdict,
    Violated,
    Witness,
    with_findings,
)
from membar.questions.programs import for_model, nothing_read
from membar.questions.question import Question
from membar.questions.task import Coherence, Limits, Options, Task
from membar.records import replace

ENGINE: Final = FOR_OBJECTS[0]
PROPERTY: Final = "linearizability"
NO_ORDER = "No order of the calls explains this history"
_RACES: Final = "races"
_BESIDES: Final = ("assertions", "memory", _RACES)
"""What is checked of the clients besides: an object that breaks one of these is not used as it should be."""
_NEVER: Final = Or(())
GRAPHS, STATES = FOR_AXIOMS[0], FOR_BUFFERS[0]
_MEANS: Final = {GRAPHS: "execution graphs", STATES: "states of a machine with store buffers"}
_CLOCK: Final = "CLOCK"
CLOCKED: Final = "x86-tso-clock"
_IN_ORDER: Final = "executions without load buffering (no cycle of program order and reads-from)"
_MOST_ACCESSES: Final = 12
_MOST_COMPARED: Final = 2_000
_WAITING: Final = "waits-forever"
_TOO_LARGE: Final = "a number may not fit into the 64 bits with which clients are run"


@dataclass(slots=True)
class _Totals:
    """Counters over all clients."""

    clients: int = 0
    executions: int = 0
    states: int = 0
    blocked: int = 0
    histories: int = 0
    questions: int = 0
    called: set[str] = field(default_factory=set)
    arguments: dict[str, Size] = field(default_factory=dict)
    bounds: set[str] = field(default_factory=set)
    are_given: bool = True
    flags: set[str] = field(default_factory=set)


class _StopError(Exception):
    """An answer was found, or the search cannot continue."""

    def __init__(self, outcome: Outcome, program: Program | None, refutation: Refutation | None) -> None:
        super().__init__()
        self.outcome, self.program, self.refutation = outcome, program, refutation


@dataclass(kw_only=True)
class ClientSearch:
    """One question about an object, and what has been found so far."""

    question: Question
    about: AskedObject
    by: str
    model: Model
    shown: Model
    ordering: Ordering
    limits: Limits
    options: Options
    mapping: str | None
    compiled: ClientPrograms = field(init=False)
    totals: _Totals = field(default_factory=_Totals)
    started: float = field(default_factory=time.monotonic)
    stopping: set[Client] = field(default_factory=set)
    in_order: dict[tuple[int, Body], bool] = field(default_factory=dict)
    explained: dict[tuple[Call, ...], frozenset[Order]] = field(default_factory=dict)

    def answer(self, size: Size) -> Answer:
        """Checks every client, small ones first, because small refutations are easier to read.

        Raises:
            InterruptedAnswerError: Ctrl-C, with what was found until then.
        """
        program, refutation, is_interrupted = None, None, False
        try:
            for calls in range(1, size.calls + 1):
                self._judge_all(Size(size.threads, calls))
            outcome = self._holds(size)
        except _StopError as stop:
            outcome, program, refutation = stop.outcome, stop.program, stop.refutation
        except LimitError as limit:
            outcome = Unknown(self._run("nothing"), limit.reason)
        except KeyboardInterrupt:
            outcome, is_interrupted = Unknown(self._run("nothing"), INTERRUPTED), True
        outcome = with_findings(
            outcome,
            (PROPERTY, *self._besides),
            unchecked=(*_BESIDES, "deadlock", "termination"),
            why=f"the engine {self.by} does not check it for clients",
        )
        if self.by == GRAPHS and not defines_races(self.shown):
            without = Finding(_RACES, Verdict.NOT_CHECKED, f"{self.shown.name} does not define races")
            findings = (without if item.property == _RACES else item for item in outcome.run.findings)
            outcome = replace(outcome, run=replace(outcome.run, findings=tuple(findings)))
        evidence = None
        if program is not None:
            witness = outcome.witness if isinstance(outcome, Violated) else None
            evidence = ClientRun(program=program, model=self.model, witness=witness, refutation=refutation)
        found = make_answer(
            self.question,
            self.about.own or nothing_read(self.about.source, "C"),
            self.shown,
            outcome,
            source=self.about.source,
            evidence=evidence,
        )
        if is_interrupted:
            raise InterruptedAnswerError(found)
        return found

    def _judge_all(self, size: Size) -> None:
        """Checks every client of one size."""
        self.compiled = self.about.clients(size, self.shown)
        self.in_order.clear()
        notes = self.about.notes_for(size)
        self.totals.arguments[describe_calls(notes)] = size
        for client in clients(notes, size):
            self.totals.clients += 1
            if self.options.progress is not None:
                self.options.progress(f"client {self.totals.clients}: {client.text}")
            self._judge(client)

    def _holds(self, size: Size) -> Outcome:
        operations = [operation.name for operation in self.about.notes.operations]
        unused = [name for name in operations if name not in self.totals.called]
        if unused == operations:
            return Unknown(self._run("nothing"), f"no client of {size.text} calls an operation")
        bounds = [f"clients of {size.text}", *self._arguments(size)]
        bounds += [f"{name} never called" for name in unused] + sorted(self.totals.bounds)
        # The size of the clients was given; another bound may have been membar's own.
        bound = ", ".join(bounds)
        return HoldsWithin(self._run(bound), bound, chosen_by_user=self.totals.are_given and not unused)

    def _arguments(self, size: Size) -> Iterator[str]:
        """The arguments of calls, as in annotations; those of the largest clients come first."""
        for told, calls in sorted(self.totals.arguments.items(), key=lambda item: -item[1].calls):
            if told:
                yield f"calls {told}" + ("" if calls == size else f" for {calls.text}")

    def _run(self, guarantee: str) -> Run:
        totals = self.totals
        counted = (totals.clients, "client"), (totals.histories, "history"), (totals.questions, "search")
        notes = [", ".join(_count(number, noun) for number, noun in counted)]
        if self.about.has_only_copies and any(totals.arguments):
            notes.append("arguments are only copied, so distinct ones represent all others")
        return Run(
            model=self.shown.name,
            engine=ENGINE,
            algorithm=f"histories of bounded clients, by {_MEANS[self.by]}",
            guarantee=guarantee,
            flags=tuple(sorted(totals.flags)),
            notes=tuple(notes),
            statistics=Statistics(
                executions=totals.executions if self.by == GRAPHS else None,
                states=None if self.by == GRAPHS else totals.states,
                blocked=totals.blocked,
                seconds=time.monotonic() - self.started,
            ),
        )

    @property
    def _besides(self) -> tuple[str, ...]:
        """Other violations that the engine finds."""
        if self.by != GRAPHS:
            return ("assertions",)
        return _BESIDES if defines_races(self.shown) else tuple(name for name in _BESIDES if name != _RACES)

    def _judge(self, client: Client) -> None:
        """Checks all executions of one client."""
        threads = tuple(call.thread for call in client.calls)
        ordered = program_order(threads)
        asked: dict[Order, set[tuple[Call, ...]]] = {}
        for calls in sorted(self._histories(client, ordered), key=str):
            for least in self._excluding(calls, ordered):
                asked.setdefault(least, set()).add(calls)
        if ordered in asked:
            self._refute(client, max(asked[ordered], key=str), ordered)
        possible: dict[Order, set[tuple[Call, ...]]] = {}
        for order in sorted(asked, key=lambda item: (len(item), sorted(item))):
            left = set(asked[order])
            for weaker, found in possible.items():
                if weaker < order:
                    left &= found
            if not left:
                continue
            possible[order] = self._histories(client, order)
            guilty = left & possible[order]
            if guilty:
                self._refute(client, max(guilty, key=str), order)

    def _excluding(self, calls: tuple[Call, ...], ordered: Order) -> frozenset[Order]:
        if calls not in self.explained:
            self.totals.histories += 1
            found = linearizations(History(calls, ordered), self.about.specification)
            self.explained[calls] = least_excluding(found, ordered)
        return self.explained[calls]

    def _client(self, client: Client) -> tuple[Program, tuple[CallPosition, ...]]:
        """The program of a client; its threads may give up once one was seen not to end."""
        program, places = self.compiled.of(client)
        if client in self.stopping or waits_at_locks(program) or self.by == STATES:
            program = with_giving_up(program)
        return program, places

    def _program(self, client: Client, order: Order) -> tuple[Program, tuple[CallPosition, ...]]:
        """The client whose calls are made in a given order, as the model sees it."""
        program, places = self._client(client)
        messages = History(client.calls, order).across
        if self.model.name == CLOCKED:
            mapped = for_model(program, self.model, mapping=self.mapping)
            carrier = Carrier(frozenset({_CLOCK}), frozenset({_CLOCK}))
            return with_messages(mapped, places, messages, carrier), places
        told = with_messages(program, places, messages, self.about.carrier(self.shown, self.ordering))
        return for_model(told, self.model, mapping=self.mapping), places

    def _histories(self, client: Client, order: Order) -> set[tuple[Call, ...]]:
        """The results that the calls of a client can return if they are made in a given order."""
        program, places = self._program(client, order)
        observed, losses = shown_calls(program, places), shown_losses(program)
        for call, item in zip(client.calls, observed, strict=True):
            self.about.specification.expect(call.operation, len(item.results))
        outcome = self._ask_engine(client, replace(program, condition=question(observed, _NEVER, losses)))
        waits = _WAITING in outcome.run.flags
        is_new = client not in self.stopping and self.by == GRAPHS  # among states all may give up at once
        if (waits or isinstance(outcome, HoldsWithin)) and is_new:
            self.stopping.add(client)
            self.totals.flags.update({_WAITING} if waits else ())
            return self._histories(client, order)
        found = set()
        for state in outcome.run.outcomes:
            values = dict(state)
            if any(values[label] for label in losses):
                self._give_up(_TOO_LARGE, client)
            calls = with_results(client.calls, observed, values)
            self.totals.called.update(call.operation for call in calls if call.made)
            found.add(calls)
        return found

    def _task(self, client: Client, program: Program, properties: tuple[str, ...]) -> Task:
        """A question about a client, without load buffering if the engine cannot explore that in time."""
        task = Task(
            program=program,
            model=self.model,
            properties=properties,
            limits=self._remaining_limits(),
            options=self.options,
        )
        if self.by == STATES:
            return task
        is_for_it = self.model.claims.search == EXACTLY_ONCE or not self.model.claims.load_buffering
        has_loops = any(thread.back_edges for thread in program.threads)
        if is_for_it or (_accesses(program) <= _MOST_ACCESSES and not has_loops):
            return task
        if not all(self._is_in_order(number, client) for number in range(len(client.bodies))):
            self.totals.bounds.add(_IN_ORDER)
            self.totals.are_given = False
        options = replace(
            self.options,
            coherence=Coherence.ALL,
            reductions_off=self.options.reductions_off | {"symmetry", "latest"},
        )
        claims = replace(self.model.claims, search=EXACTLY_ONCE)
        return replace(task, model=replace(self.model, claims=claims), options=options)

    def _is_in_order(self, number: int, client: Client) -> bool:
        """Whether no write of a thread overtakes an earlier read; messages only add order."""
        key = (number, client.bodies[number])
        if key not in self.in_order:
            program, places = self._program(client, program_order(call.thread for call in client.calls))
            at = next(
                place.thread
                for place, call in zip(places, client.calls, strict=True)
                if call.thread == number
            )
            alone = replace(program, threads=(program.threads[at],))
            largest_bound = self.options.unrolling.largest_bound
            self.in_order[key] = keeps_loads_before_stores(expand(alone), self.model, bound=largest_bound)
        return self.in_order[key]

    def _ask_engine(self, client: Client, program: Program) -> Outcome:
        """The engine's answer about a client; any violation and any UNKNOWN ends the search."""
        task = self._task(client, program, self._besides)
        self.totals.questions += 1
        outcome, program = self._search_without_stray_pointers(task)
        statistics = outcome.run.statistics
        self.totals.executions += statistics.executions or statistics.classes or 0
        self.totals.states += statistics.states or 0
        self.totals.blocked += statistics.blocked or 0
        match outcome:
            case Violated() if shown_losses(program):
                self._give_up(f"{outcome.property} would be violated, but {_TOO_LARGE}", client)
            case Violated():
                run = replace(self._run("one execution"), notes=(f"client: {client.text}",))
                raise _StopError(replace(outcome, run=run), program, None)
            case Unknown(reason=reason):
                self._give_up(reason, client)
            case HoldsWithin(bound=bound, chosen_by_user=is_given):
                self.totals.bounds.add(bound)
                self.totals.are_given &= is_given
            case _:
                pass
        return outcome

    def _give_up(self, reason: str, client: Client) -> Never:
        """Ends the search without an answer.

        Raises:
            _StopError: always.
        """
        outcome = Unknown(self._run("nothing"), f"{reason}, in the client {client.text}")
        raise _StopError(outcome, None, None)

    def _search_without_stray_pointers(self, task: Task) -> tuple[Outcome, Program]:
        """The engine's answer, and the program that it is about.

        A stray pointer is bad input beside a question about final states; without one it is a finding.
        """
        engine = load_engine(self.by)
        plain = replace(task.program, condition=None)
        try:
            outcome = answer(task, engine)
        except InputError:
            found = answer(replace(task, program=plain, limits=self._remaining_limits()), engine)
            if not isinstance(found, Violated):
                raise
            return found, plain
        if isinstance(outcome, Unknown):
            found = answer(replace(task, program=plain, limits=self._remaining_limits()), engine)
            if isinstance(found, Violated):
                return found, plain
        return outcome, task.program

    def _remaining_limits(self) -> Limits:
        """The limits for the remaining work."""
        left = self.limits.after(time.monotonic() - self.started)
        if left.executions is not None:
            left = replace(left, executions=max(left.executions - self.totals.executions, 1))
        if left.states is not None:
            left = replace(left, states=max(left.states - self.totals.states, 1))
        return left

    def _refute(self, client: Client, calls: tuple[Call, ...], order: Order) -> None:
        """Ends the search with an execution whose history no order explains.

        Raises:
            _StopError: always.
        """
        program, places = self._program(client, order)
        observed = shown_calls(program, places)
        wanted = formula_of(calls, observed, program)
        program = replace(program, condition=question(observed, wanted))
        task = self._task(client, program, ("condition",))
        outcome = answer(task, load_engine(self.by))
        history = History(calls, order)
        judged = verdict(history, self.about.specification)
        if not isinstance(outcome, Violated) or outcome.witness is None or judged.linearizable:
            reason = "internal error, please report: the execution behind a history was not found again"
            raise _StopError(Unknown(self._run("nothing"), reason), None, None)
        witness = replace(self._simplest_execution(task, outcome, outcome.witness), message=NO_ORDER)
        found = Violated(self._run("one execution"), PROPERTY, witness)
        raise _StopError(found, program, Refutation(history, judged))

    def _simplest_execution(self, task: Task, outcome: Violated, witness: Witness) -> Witness:
        """Of the executions with the same results, one in which threads see the least of each other.

        So what was seen too early or too late stands alone. Not looked for where there are many executions.
        """
        count = outcome.run.statistics.executions or outcome.run.statistics.classes or 0
        if not 0 < count <= _MOST_COMPARED or self.by != GRAPHS:
            return witness
        options = replace(task.options, all_executions=True)
        limits = replace(self._remaining_limits(), executions=_MOST_COMPARED)
        asked = replace(task, options=options, limits=limits)
        found = answer(asked, load_engine(GRAPHS))
        complete = (item for item in found.run.executions if not item.message)
        same = [item for item in complete if item.final == witness.final]
        return min((witness, *same), key=lambda item: count_reads_from_others(item.execution))


def _count(number: int, noun: str) -> str:
    plurals = {"history": "histories", "search": "searches"}
    return f"{number} {noun if number == 1 else plurals.get(noun, noun + 's')}"


def _accesses(program: Program) -> int:
    return sum(reads_memory(item) + writes_memory(item) for item in program.operations)
