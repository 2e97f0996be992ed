"""Asks engines, and asks follow-up questions, so that each property gets an answer of its own.

One search answers all properties at once, unless a violation ends it. What the text asks itself, and what the
user asked for by name, is then asked again without what was violated. Labels of Promela are asked one by one,
and races under a model that does not define them are asked of rc11.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from membar.engines import Engine
from membar.languages.registry import load_model
from membar.limits.budget import LimitError, current, stage
from membar.models.c_orders import has_plain_accesses
from membar.models.model import EXACTLY_ONCE, Model
from membar.program.operations import ERRORS, LEAKS, OVERFLOW, WARNING_FLAGS, WARNINGS
from membar.program.program import Program
from membar.program.warnings import LOOK, without_warnings
from membar.properties import EVERY
from membar.properties.asked import Asked, asserting, ends_at_assertions
from membar.properties.judge import OWN_QUESTIONS, RACE_FLAG, UNSELECTED
from membar.properties.memory import NAME as MEMORY
from membar.properties.memory import is_about_value
from membar.properties.property import has_assertion_of, is_asked_as
from membar.properties.races import defines_races
from membar.questions.answering import answer, confirm_witness, default_engine, load_engine
from membar.questions.outcome import (
    INTERRUPTED,
    NOT_ASKED,
    Explored,
    Finding,
    Holds,
    HoldsWithin,
    InterruptError,
    Outcome,
    Unknown,
    Verdict,
    Violated,
    weaken_findings,
    with_notes,
)
from membar.questions.task import Limits, Options, Task, Unrolling
from membar.records import record, replace

RACES_IN = "rc11"
DOES_NOT_APPLY = "it does not apply to this program"
UP_TO_ASSERTIONS = "up to a failed assertion"
_WAITING = frozenset({"deadlock", "termination"})
_MOST_RACY = 1000
_ROUNDS_OF_A_RACE = 2
_COMPILED = ("C", "LKMM")  # languages that a compiler reads
_LEAST_FOLLOW_UP = 2.0  # seconds
_LONGEST_RACE = 20.0  # seconds: blocked executions do not count as executions
RACES_GIVEN_UP = "the follow-up question about races was given up at the time limit"
_GRAVITY = (Explored, Holds, HoldsWithin, Unknown, Violated)


@record(frozen=True, slots=True, kw_only=True)
class Search:
    """A program, as its language and as the model sees it, and what is asked of it.

    Attributes:
        written: the program as its language has it.
        program: the program as the model sees it: C under a processor's model is compiled.
        model: the memory model.
        engine: the engine that answers.
        asked: the properties.
        limits: resources for all searches together.
        options: loop bounds, buffers, reductions.
        mapping: the compiler's table, if it is not the model's own.
        path: the file's name.
        strict_dependencies: whether what holds only by dependencies that a compiler may remove is violated.
    """

    written: Program
    program: Program
    model: Model
    engine: Engine
    asked: Asked
    limits: Limits
    options: Options
    mapping: str | None
    path: str
    strict_dependencies: bool = False


@record(frozen=True, slots=True)
class Searched:
    """The outcome, and the program and model that its witness is about.

    Attributes:
        has_weaker_dependencies: whether the program is one without dependencies that a compiler may remove.
    """

    outcome: Outcome
    program: Program
    model: Model
    has_weaker_dependencies: bool = False


def run_searches(search: Search) -> Searched:
    """The answer to all that is asked.

    Raises:
        InterruptError: Ctrl-C, with what was found until then.
    """
    return _Asking(search).run_searches()


def program_asked(search: Search) -> Program:
    """The program whose executions are witnesses of what is asked."""
    kept = search.asked.warnings
    program = asserting(search.program, search.asked.names, search.asked.functions)
    return without_warnings(program, WARNINGS - kept)


class _Asking:
    """The searches for one question, and what is left of its time."""

    def __init__(self, search: Search) -> None:
        self.search = search
        self.asked = search.asked
        self.program = program_asked(search)

    def _task(self, program: Program, names: Collection[str]) -> Task:
        search = self.search
        return Task(
            program=program,
            model=search.model,
            properties=tuple(names),
            limits=search.limits,
            options=search.options,
        )

    def run_searches(self) -> Searched:
        asked, model = self.asked, self.search.model
        asks_rc11 = asked.by_name and "races" in asked.names and not defines_races(model)
        names = tuple(name for name in asked.names if not (asks_rc11 and name == "races"))
        if asked.names and ERRORS not in names and has_assertion_of(self.program, ERRORS):
            names = (*names, ERRORS)  # always answered, and engines look for failed assertions by name only
        found: Searched | None = None
        if names or not (asks_rc11 or asked.labels):
            found = self._without_removable(Searched(self._main(names), self.program, model), names)
        for label in asked.labels:
            found = _worse(found, self._about_label(label))
        if asks_rc11:
            found = _worse(found, self._about_races())
        if found is None:
            raise AssertionError("something is asked, or the program is explored")
        beside = [Finding(name, Verdict.NOT_CHECKED, DOES_NOT_APPLY) for name in asked.inapplicable]
        outcome = _without_leaks(found.outcome) if asked.allows_tracked else found.outcome
        if ends_at_assertions(self.search.program, asked.names):
            outcome = _up_to_assertions(outcome)
        return replace(found, outcome=_with_findings(outcome, beside))

    def _ask(self, task: Task, engine: Engine | None = None) -> Outcome:
        try:
            return answer(task, engine or self.search.engine)
        except InterruptError as interrupt:
            raise InterruptError(confirm_witness(interrupt.outcome, task)) from None

    def _main(self, names: Collection[str]) -> Outcome:
        """The answer about everything that one search can find, and about what it left open."""
        search = self.search
        task = self._task(self.program, names)
        warned = None
        if names and not self.asked.warnings:
            warned = self._ask_with_warnings(names)
        outcome = (warned and self._without_looks(warned, task)) or self._ask(task)
        outcome = self._beside_undefined(outcome, names)
        outcome = self._with_open_questions(self._without_values(outcome))
        if names and not search.model.language_model:
            try:
                with stage("during the follow-up question about C"):
                    outcome = self._without_doubt(outcome, task)
            except LimitError as limit:
                return _weaken_to_unknown(outcome, limit.reason)
            except KeyboardInterrupt:
                raise InterruptError(_weaken_to_unknown(outcome, INTERRUPTED)) from None
        return outcome

    def _beside_undefined(self, outcome: Outcome, names: Collection[str]) -> Outcome:
        """The outcome, or a violation of what was asked in an execution in which nothing else goes wrong."""
        if not isinstance(outcome, Unknown) or UNSELECTED not in outcome.reason:
            return outcome
        program = asserting(self.search.program, names, self.asked.functions, is_defined=True)
        found = self._ask(self._task(without_warnings(program, WARNINGS - self.asked.warnings), names))
        return found if isinstance(found, Violated) else outcome

    def _without_values(self, outcome: Outcome) -> Outcome:
        """The outcome; nothing is known if a value that was never set is used, or a number is divided by 0.

        SV-COMP has no property for that, and the execution goes on in ways that were not looked at.
        """
        if self.asked.values_count or not isinstance(outcome, Violated) or outcome.witness is None:
            return outcome
        message = outcome.witness.message
        if outcome.property != MEMORY or not is_about_value(message):
            return outcome
        reason = f"no property of SV-COMP, but membar explores nothing after it: {message}"
        findings = (replace(item, verdict=Verdict.UNKNOWN, reason=reason) for item in outcome.run.findings)
        asked = tuple(replace(item, witness=None) for item in findings if item.property in self.asked.names)
        return Unknown(replace(outcome.run, findings=asked), reason)

    def _with_open_questions(self, outcome: Outcome) -> Outcome:
        """The outcome, with answers about what a violation has kept from being answered."""
        while True:
            left = [
                item.property
                for item in outcome.run.findings
                if item.verdict is Verdict.NOT_CHECKED
                and item.reason != NOT_ASKED
                and (self.asked.by_name or item.property in OWN_QUESTIONS)
            ]
            if not left or not isinstance(outcome, Violated):
                return outcome
            other = self._ask(self._task(_asking_only(self.program, left), left))
            if ends_at_assertions(self.program, left):
                other = _up_to_assertions(other)
            fresh = {
                item.property: item
                for item in other.run.findings
                if item.property in left and item.verdict is not Verdict.NOT_CHECKED
            }
            if not fresh:
                return outcome
            outcome = _with_headline(_with_findings(outcome, fresh.values()))

    # Dependencies

    def _without_removable(self, found: Searched, names: Collection[str]) -> Searched:
        """The answer, and whether it relies on dependencies that a compiler may remove."""
        search, outcome = self.search, found.outcome
        is_compiled = search.written.language in _COMPILED and search.written.condition is None
        if not names or not is_compiled or not isinstance(outcome, Holds | HoldsWithin):
            return found
        from membar.questions import compiler_dependencies as removable  # noqa: PLC0415 - C only
        from membar.questions.programs import for_model  # noqa: PLC0415 - C only

        written = without_warnings(search.written)
        weaker = removable.weaker_program(written, search.model)
        if weaker is None:
            return found
        program = asserting(for_model(weaker, search.model, mapping=search.mapping), names)
        seconds = max(_LEAST_FOLLOW_UP, 2 * (outcome.run.statistics.seconds or 0.0))
        limits = search.limits if search.strict_dependencies else Limits(seconds=seconds)
        other = self._ask(replace(self._task(program, names), limits=limits))
        if not isinstance(other, Violated):
            is_late = isinstance(other, Unknown)
            notes = (*outcome.run.notes, removable.GIVEN_UP) if is_late else outcome.run.notes
            return replace(found, outcome=replace(outcome, run=replace(outcome.run, notes=notes)))
        note = removable.say_what_it_relies_on(written, weaker, other.witness)
        flagged = other if search.strict_dependencies else outcome
        flags = tuple(sorted({*flagged.run.flags, removable.FLAG}))
        flagged = replace(flagged, run=replace(flagged.run, flags=flags, notes=(*flagged.run.notes, note)))
        if search.strict_dependencies:
            return Searched(flagged, program, search.model, has_weaker_dependencies=True)
        return replace(found, outcome=flagged)

    # Warnings

    def _ask_with_warnings(self, names: Collection[str]) -> Outcome | None:
        """The outcome of a program that may warn; None if it must be asked without its warnings.

        Searches that assertions would slow down are spared them.
        """
        program = asserting(self.search.program, self.asked.names, self.asked.functions)
        if program is self.program or self.search.model.claims.search != EXACTLY_ONCE:
            return None
        return self._warned_of(program, names)

    def _warned_of(self, program: Program, names: Collection[str]) -> Outcome:
        """Where something warns, the program is asked again without that, and the warning is a finding."""
        outcome = self._ask(self._task(program, names))
        warnings = (item for item in outcome.run.findings if item.is_warning and item.property in WARNINGS)
        warning = next(warnings, None)
        if warning is None:
            return outcome
        final = self._warned_of(without_warnings(program, {warning.property}), names)
        note = warning.reason
        if warning.property == OVERFLOW:
            note += ": undefined in C, treated as wrapping around"
        flags = tuple(sorted({*final.run.flags, WARNING_FLAGS[warning.property]}))
        final = replace(final, run=replace(final.run, notes=(*final.run.notes, note), flags=flags))
        return _with_findings(final, [replace(warning, reason=note, witness=None)])

    def _without_looks(self, outcome: Outcome, task: Task) -> Outcome | None:
        """The outcome with a witness of the program without warnings; None if there is none for it."""
        if not isinstance(outcome, Holds | Violated) or outcome.witness is None:
            return outcome
        from membar.questions.leak_reads import without_looks  # noqa: PLC0415 - C only

        witness = without_looks(outcome.witness)
        if witness is outcome.witness and not any(
            item.name.startswith(LOOK) for item in task.program.objects
        ):
            return outcome  # what only warns has left nothing in it
        silent = confirm_witness(replace(outcome, witness=witness), task)
        return None if isinstance(silent, Unknown) else silent

    # Labels

    def _about_label(self, label: str) -> Searched:
        """The answer about the labels of one kind, as a claim about all runs."""
        known = {item.claim.name: item.claim for item in self.search.program.label_claims}
        program = replace(_asking_only(self.program, ()), claims=(known[label],))
        outcome = self._ask(self._task(program, ("claims",)))
        findings = tuple(
            replace(item, property=label) for item in outcome.run.findings if item.property == "claims"
        )
        outcome = replace(outcome, run=replace(outcome.run, findings=findings))
        if isinstance(outcome, Violated) and outcome.property == "claims":
            outcome = replace(outcome, property=label)
        return Searched(outcome, program, self.search.model)

    # Races

    def _about_races(self) -> Searched:
        """The answer about races, by rc11's definition, over the whole program."""
        search = self.search
        rc11 = load_model(RACES_IN)
        program = asserting(without_warnings(search.written), ("races",))
        program = replace(_asking_only(program, ()), condition=None)
        given = search.options
        task = replace(
            self._task(program, ("races",)),
            model=rc11,
            options=Options(unrolling=given.unrolling, jobs=given.jobs, progress=given.progress),
        )
        engine = load_engine(default_engine(program, rc11, task.options))
        outcome = self._ask(task, engine)
        defines = f"{search.model.name} defines no races"
        why = f"by the definition of {RACES_IN} (engine {engine.name}): {defines}"
        findings = tuple(
            replace(item, reason=f"{item.reason}; {why}" if item.reason else why)
            for item in outcome.run.findings
            if item.property == "races"
        )
        run = replace(
            outcome.run,
            model=search.model.name,
            engine=search.engine.name,
            findings=findings,
            notes=(*outcome.run.notes, f"races are judged {why}"),
        )
        return Searched(replace(outcome, run=run), program, rc11)

    def _without_doubt(self, outcome: Outcome, task: Task) -> Outcome:
        """The outcome of a program taken for machine code, as far as its meaning in C lets it stand."""
        search = self.search
        written = without_warnings(search.written)
        if task.program.mixed_sizes:
            from membar.questions import mixed_sizes  # noqa: PLC0415 - C only

            if mixed_sizes.may_matter(task, outcome):
                return self._with_races(mixed_sizes.without_rule(outcome, task), self._races(written))
        if not task.program.ends_memory:
            return self._with_races(outcome, self._races(written))
        from membar.questions import reordered_use_after_free as reordered  # noqa: PLC0415 - C only

        if not reordered.may_miss_some(task, outcome):
            return self._with_races(outcome, self._races(written))
        if not reordered.is_mapped(task.model, search.mapping):
            return self._with_races(reordered.without_mapping(outcome, task), self._races(written))
        asked = reordered.language_question(task, _race_question(written), outcome.run.statistics.seconds)
        found = self._ask(asked, load_engine(default_engine(written, asked.model, asked.options)))
        judged = reordered.combine(outcome, task, asked, found, self._ask)
        return self._with_races(judged, found)

    def _races(self, program: Program) -> Outcome | None:
        """What rc11 says of races; None if nothing can race.

        It is asked about some executions only, in the time that is left: it may miss a race.
        """
        if defines_races(self.search.model) or not has_plain_accesses(program):
            return None
        task = _race_question(program)
        return self._ask(task, load_engine(default_engine(program, task.model, task.options)))

    def _with_races(self, outcome: Outcome, found: Outcome | None) -> Outcome:
        """The outcome, with a flag if a C program that was taken for machine code has a data race in C."""
        if isinstance(found, Unknown) and _is_late(found):
            notes = (*outcome.run.notes, RACES_GIVEN_UP)
            return replace(outcome, run=replace(outcome.run, notes=notes))
        if not isinstance(found, Violated) or found.property != "races":
            return outcome
        note = (
            "plain accesses are treated as machine accesses; in C they are a data race, which is undefined"
            f" behaviour: membar check {self.search.path} --model {RACES_IN}"
        )
        flags = tuple(sorted({*outcome.run.flags, RACE_FLAG}))
        return replace(outcome, run=replace(outcome.run, flags=flags, notes=(*outcome.run.notes, note)))


def _is_late(found: Outcome) -> bool:
    """Whether the time for a follow-up question was over before there was an answer."""
    return current().remaining_seconds == 0.0 or found.run.statistics.seconds >= _LONGEST_RACE


def _with_headline(outcome: Outcome) -> Outcome:
    """The outcome with the run that shows what the user asked, where it had one in which threads wait."""
    if isinstance(outcome, Violated) and outcome.property in _WAITING:
        for item in outcome.run.findings:
            is_own = item.property in OWN_QUESTIONS and item.verdict is Verdict.VIOLATED
            if is_own and item.witness is not None:
                return Violated(outcome.run, item.property, item.witness)
    return outcome


def _up_to_assertions(outcome: Outcome) -> Outcome:
    """The outcome; what holds does so of executions up to a failed assertion, which nobody asked about."""
    findings = tuple(
        replace(item, reason=UP_TO_ASSERTIONS) if item.verdict is Verdict.HOLDS and not item.reason else item
        for item in outcome.run.findings
    )
    guarantee = outcome.run.guarantee
    if isinstance(outcome, Holds | HoldsWithin):
        guarantee = f"{guarantee}, {UP_TO_ASSERTIONS}"
    return replace(outcome, run=replace(outcome.run, findings=findings, guarantee=guarantee))


def _without_leaks(outcome: Outcome) -> Outcome:
    """The outcome where memory may stay allocated as long as a pointer leads to it, which is not checked."""
    leak = outcome.run.finding(LEAKS)
    if leak is None or leak.verdict is not Verdict.VIOLATED:
        return outcome
    reason = f"{leak.reason}; whether a pointer to it still exists is not checked"
    outcome = _with_findings(outcome, [Finding(LEAKS, Verdict.UNKNOWN, reason)])
    if not isinstance(outcome, Violated) or outcome.property != LEAKS:
        return outcome
    for item in outcome.run.findings:
        if item.verdict is Verdict.VIOLATED and not item.is_warning:
            return Violated(outcome.run, item.property, item.witness)
    return Unknown(outcome.run, reason)


def _weaken_to_unknown(outcome: Outcome, reason: str) -> Outcome:
    """What is left of an outcome that C might contradict: that nothing is known, unless it is violated."""
    if isinstance(outcome, Violated):
        return outcome
    return Unknown(weaken_findings(outcome.run, Verdict.UNKNOWN, reason), reason)


def _race_question(program: Program) -> Task:
    return Task(
        program=program,
        model=load_model(RACES_IN),
        properties=("races",),
        limits=Limits(executions=_MOST_RACY, seconds=_LONGEST_RACE),
        options=Options(unrolling=Unrolling(exact=_ROUNDS_OF_A_RACE)),
    )


def _asking_only(program: Program, names: Collection[str]) -> Program:
    """The program without the questions and assertions of other properties."""
    silent = without_warnings(program, WARNINGS - frozenset(names))
    return replace(
        asserting(silent, names or ("claims",)),
        claims=program.claims if "claims" in names else (),
        errors=tuple(predicate for predicate in program.errors if predicate.property in names),
        condition=program.condition if any(is_asked_as(program, name) for name in names) else None,
    )


def _worse(first: Searched | None, second: Searched) -> Searched:
    """The worse of two answers, with the findings of both."""
    if first is None:
        return second
    is_worse = _GRAVITY.index(type(second.outcome)) > _GRAVITY.index(type(first.outcome))
    kept, other = (second, first) if is_worse else (first, second)
    notes = [note for note in other.outcome.run.notes if note not in kept.outcome.run.notes]
    merged = _with_findings(with_notes(kept.outcome, *notes), other.outcome.run.findings)
    return replace(kept, outcome=merged)


def _with_findings(outcome: Outcome, more: Iterable[Finding]) -> Outcome:
    """The outcome with other findings, in the order of reports, instead of those that it has."""
    found = {item.property: item for item in outcome.run.findings} | {item.property: item for item in more}
    order = [*EVERY]
    findings = tuple(sorted(found.values(), key=lambda item: order.index(item.property)))
    return replace(outcome, run=replace(outcome.run, findings=findings))
