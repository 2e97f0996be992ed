"""Runs engines, and asks follow-up questions, so that each property gets its own answer.

One search checks all properties at once, unless a violation ends it. Then the program's own questions, and
the properties that the user selected by name, are checked again without the violated property. Labels of
Promela are checked one by one, and races under a model that does not define them are checked under the model
of the language.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

from membar.engines import Engine
from membar.languages.registry import load_model
from membar.limits.budget import LimitError, stage
from membar.models.c_orders import has_plain_accesses
from membar.models.model import EXACTLY_ONCE, Model
from membar.program.access import COMPILED
from membar.program.operations import ASSERTIONS, ERRORS, EXITS, LEAKS, OVERFLOW, WARNING_FLAGS, WARNINGS
from membar.program.program import Program
from membar.program.remove_warnings import LOOK, without_warnings
from membar.properties import PROPERTIES
from membar.properties.judge import OWN_QUESTIONS, UNSELECTED
from membar.properties.memory import NAME as MEMORY
from membar.properties.memory import is_about_value
from membar.properties.property import has_assertion_of, has_error_state_of, is_asked_as
from membar.properties.races import defines_races
from membar.properties.selection import Asked, asserting, ends_at_assertions
from membar.questions.answer import RaceRun
from membar.questions.default_engines import default_engine
from membar.questions.engine_answer import add_findings, answer, confirm_witness, load_engine
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
from membar.questions.task import Limits, Options, Task
from membar.records import record, replace

DOES_NOT_APPLY = "it does not apply to this program"
ENDS_A_TASK = "in an SV-COMP task `abort` discards the execution; --property exits checks it"
UP_TO_ASSERTIONS = "up to a failed assertion"
_WAITING = frozenset({"deadlock", "termination"})
_LEAST_FOLLOW_UP = 2.0  # seconds
_GRAVITY = (Explored, Holds, HoldsWithin, Unknown, Violated)


@record(frozen=True, slots=True, kw_only=True)
class Search:
    """A program, as its language and as the model sees it, and the properties to check.

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
        ignored_options: those that were given for the engine and do not count for a question about races.
        has_written_claim: whether a claim of the command line was written into the text.
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
    ignored_options: tuple[str, ...] = ()
    has_written_claim: bool = False


@record(frozen=True, slots=True)
class Searched:
    """The outcome, and the program that its witness is about.

    Attributes:
        has_weaker_dependencies: whether the program is one without dependencies that a compiler may remove.
        race: what the witness is instead, where it is a race under another model.
    """

    outcome: Outcome
    program: Program
    has_weaker_dependencies: bool = False
    race: RaceRun | None = None


def run_searches(search: Search) -> Searched:
    """The answer to the whole question.

    Raises:
        InterruptError: Ctrl-C, with what was found until then.
    """
    asking = _Asking(search)
    try:
        return asking.run_searches()
    except InterruptError as interrupt:
        known = {item.property for item in interrupt.outcome.run.findings}
        asked = (*search.asked.names, *search.asked.labels) if search.asked.by_name else ()
        left = [Finding(name, Verdict.UNKNOWN, INTERRUPTED) for name in asked if name not in known]
        raise InterruptError(add_findings(interrupt.outcome, left)) from None


def program_asked(search: Search) -> Program:
    """The program whose executions are witnesses for the question."""
    kept = search.asked.warnings
    program = asserting(search.program, search.asked.names, search.asked.functions)
    return without_warnings(program, WARNINGS - kept)


class _Asking:
    """The searches for one question, and its remaining time."""

    def __init__(self, search: Search) -> None:
        self.asked = search.asked
        self.labels = {item.claim.name: item.claim for item in search.program.label_claims}
        if self.asked.labels:  # each is a question of its own, so that none of them is left unchecked
            left = tuple(i for i in search.program.label_claims if i.claim.name not in self.asked.labels)
            search = replace(search, program=replace(search.program, label_claims=left))
        self.search = search
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
        asked = self.asked
        asks_language = asked.by_name and "races" in asked.names and not defines_races(self.search.model)
        names = tuple(name for name in asked.names if not (asks_language and name == "races"))
        if asked.names or asked.labels:
            names += tuple(name for name in self._own_questions() if name not in names)
        claims = self._claims() if "claims" in names else {}
        are_apart = len(claims) > 1 or (bool(claims) and self._goes_on_after_assertions)
        if are_apart:  # each is a question of its own
            if asked.by_name:
                names = tuple(name for name in names if name != "claims")
            self._leave_out_claims()
        found: Searched | None = None
        if names or not (asks_language or asked.labels or claims):
            found = self._without_removable(Searched(self._main(names), self.program), names)
        if not are_apart and claims and found is not None:
            found = replace(found, outcome=_about(found.outcome, *claims))
        elif are_apart:
            for name, program in claims.items():
                found = self._with_answer_to(found, partial(self._about_claim, name, program))
        for label in asked.labels:
            found = self._with_answer_to(found, partial(self._about_label, label))
        if asks_language:
            found = self._with_races_of_language(found)
        if found is None:
            raise AssertionError("something is asked, or the program is explored")
        beside = [Finding(name, Verdict.NOT_CHECKED, DOES_NOT_APPLY) for name in asked.inapplicable]
        is_task = bool(asked.names) and not asked.by_name and EXITS not in asked.names
        if is_task and has_assertion_of(self.search.program, EXITS):
            beside.append(Finding(EXITS, Verdict.NOT_CHECKED, ENDS_A_TASK))
        outcome = _without_leaks(found.outcome) if asked.allows_tracked else found.outcome
        if ends_at_assertions(self.search.program, asked.names):
            outcome = _up_to_assertions(outcome)
        if beside:
            outcome = add_findings(outcome, beside)
        return found if outcome is found.outcome else replace(found, outcome=outcome)

    @property
    def _goes_on_after_assertions(self) -> bool:
        """Whether there are assertions that end executions only if they are being checked."""
        return self.program.goes_on_after_assertions and has_assertion_of(self.program, ASSERTIONS)

    def _leave_out_claims(self, *, of_text: bool = False) -> None:
        """Continues without the claims, or without those of the program's own text."""
        program = _without_claims(self.search.program, of_text=of_text)
        self.search = replace(self.search, program=program)
        self.program = _without_claims(self.program, of_text=of_text)

    def _with_answer_to(self, found: Searched | None, ask: Callable[[], Searched]) -> Searched:
        """The findings so far, and the answer to one more question."""
        try:
            return _worse(found, ask())
        except InterruptError:
            if found is None:
                raise
            is_violated = isinstance(found.outcome, Violated)
            known = found.outcome if is_violated else Unknown(found.outcome.run, INTERRUPTED)
            raise InterruptError(known) from None

    def _own_questions(self) -> tuple[str, ...]:
        """The questions of the text or command line; selecting properties by name excludes the text's."""
        program, model = self.program, self.search.model
        is_left_out = self.asked.by_name and "claims" not in self.asked.names
        if is_left_out and not self.search.has_written_claim:
            self._leave_out_claims(of_text=True)
            program = self.program
        asked = [name for name in OWN_QUESTIONS if PROPERTIES[name].applies(program, model)]
        if ERRORS not in asked and has_assertion_of(program, ERRORS):
            asked.append(ERRORS)  # engines look for failed assertions by name only
        return tuple(asked)

    def _ask(self, task: Task, engine: Engine | None = None) -> Outcome:
        try:
            return answer(task, engine or self.search.engine)
        except InterruptError as interrupt:
            found = confirm_witness(interrupt.outcome, task, is_interrupted=True)
            raise InterruptError(found) from None

    def _main(self, names: Collection[str]) -> Outcome:
        """The answer about everything that one search can find, and about what it left open."""
        search = self.search
        task = self._task(self.program, names)
        warned = None
        if names and not self.asked.by_name:
            warned = self._ask_with_warnings(names)
        outcome = (warned and self._without_looks(warned, task)) or self._ask(task)
        outcome = self._violation_in_defined_execution(outcome, names)
        outcome = self._with_open_questions(self._without_values(outcome))
        if names and not search.model.language_model:
            try:
                with stage("during the follow-up checks of the C program"):
                    outcome = self._without_doubt(outcome, task)
            except LimitError as limit:
                return _weaken_to_unknown(outcome, limit.reason)
            except KeyboardInterrupt:
                raise InterruptError(_weaken_to_unknown(outcome, INTERRUPTED)) from None
        return outcome

    def _violation_in_defined_execution(self, outcome: Outcome, names: Collection[str]) -> Outcome:
        """The outcome, or a violation of a selected property in an execution without undefined behaviour."""
        if not isinstance(outcome, Unknown) or UNSELECTED not in outcome.reason:
            return outcome
        program = asserting(self.search.program, names, self.asked.functions, is_defined=True)
        found = self._ask(self._task(without_warnings(program, WARNINGS - self.asked.warnings), names))
        return found if isinstance(found, Violated) else outcome

    def _without_values(self, outcome: Outcome) -> Outcome:
        """The outcome; UNKNOWN if an uninitialised value is used, or a number is divided by 0.

        SV-COMP has no property for that, and the execution goes on in ways that were not looked at. The same
        is true where another of its properties of memory is violated than the one that is asked about.
        """
        parts = self.asked.memory_parts
        if not parts or not isinstance(outcome, Violated) or outcome.witness is None:
            return outcome
        from membar.evidence.svcomp import specification  # noqa: PLC0415 - SV-COMP only

        message = outcome.witness.message
        found = specification(MEMORY, message)
        is_asked = found is None or any(f"LTL({formula})" in found for formula in parts)
        if outcome.property != MEMORY or (is_asked and not is_about_value(message)):
            return outcome
        whose = (
            "no property of SV-COMP" if is_about_value(message) else "not the property that was asked about"
        )
        reason = f"{whose}, but membar explores nothing after it: {message}"
        findings = (replace(item, verdict=Verdict.UNKNOWN, reason=reason) for item in outcome.run.findings)
        asked = tuple(replace(item, witness=None) for item in findings if item.property in self.asked.names)
        return Unknown(replace(outcome.run, findings=asked), reason)

    def _with_open_questions(self, outcome: Outcome) -> Outcome:
        """The outcome, with answers to questions that a violation left open."""
        while True:
            left = [
                item.property
                for item in outcome.run.findings
                if item.verdict is Verdict.NOT_CHECKED
                and item.reason != NOT_ASKED
                and (
                    self.asked.by_name
                    or item.property in OWN_QUESTIONS
                    or self.program.goes_on_after_assertions
                )
            ]
            if not left or not isinstance(outcome, Violated):
                return outcome
            other = self._ask(self._task(_asking_only(self.program, left), left))
            if ends_at_assertions(self.program, left):
                other = _up_to_assertions(other)
            fresh = {
                item.property: item
                for item in other.run.findings
                if item.property in left
                and item.verdict is not Verdict.NOT_CHECKED
                and UNSELECTED not in item.reason  # it is a violation of this answer
            }
            if not fresh:
                return outcome
            outcome = _with_headline(add_findings(_naming_search(outcome), fresh.values()))

    # Dependencies

    def _without_removable(self, found: Searched, names: Collection[str]) -> Searched:
        """The answer, and whether it relies on dependencies that a compiler may remove."""
        search, outcome = self.search, found.outcome
        is_compiled = search.written.language in COMPILED and search.written.condition is None
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
        note = removable.dependencies_text(written, weaker, other.witness)
        flagged = other if search.strict_dependencies else outcome
        flags = tuple(sorted({*flagged.run.flags, removable.FLAG}))
        flagged = replace(flagged, run=replace(flagged.run, flags=flags, notes=(*flagged.run.notes, note)))
        if search.strict_dependencies:
            return Searched(flagged, program, has_weaker_dependencies=True)
        return replace(found, outcome=flagged)

    # Warnings

    def _ask_with_warnings(self, names: Collection[str]) -> Outcome | None:
        """The outcome of a program with warnings; None if it must be checked without its warnings.

        Searches that assertions would slow down are spared them.
        """
        program = asserting(self.search.program, self.asked.names, self.asked.functions)
        if program is self.program or self.search.model.claims.search != EXACTLY_ONCE:
            return None
        return self._warned_of(program, names)

    def _warned_of(self, program: Program, names: Collection[str]) -> Outcome:
        """If a warning fires, the program is checked again without it, and the warning becomes a finding."""
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
        return add_findings(final, [replace(warning, reason=note, witness=None)])

    def _without_looks(self, outcome: Outcome, task: Task) -> Outcome | None:
        """The outcome with a witness of the program without warnings; None if there is no such witness."""
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

    # Claims and labels

    def _claims(self) -> dict[str, Program]:
        """The claims by name, each with the program that has only this claim."""
        program = self.program
        found: dict[str, Program] = {}
        if not program.claims and not has_error_state_of(program, "claims"):
            return found
        silent = _without_claims(_asking_only(program, ("claims",)))
        for claim in program.claims:
            found[_new(claim.name, found)] = replace(silent, claims=(claim,))
        for forbidden in program.errors:
            if forbidden.property == "claims":
                name = _new(forbidden.name or forbidden.text, found)
                found[name] = replace(silent, errors=(forbidden,))
        return found

    def _about_claim(self, name: str, program: Program) -> Searched:
        """The answer about one claim."""
        program = asserting(program, ("claims",))
        outcome = self._ask(self._task(program, ("claims",)))
        kept = tuple(item for item in outcome.run.findings if item.property == "claims")
        return Searched(_about(replace(outcome, run=replace(outcome.run, findings=kept)), name), program)

    def _about_label(self, label: str) -> Searched:
        """The answer about the labels of one kind, as a claim about all runs."""
        program = replace(_asking_only(self.program, ()), claims=(self.labels[label],))
        outcome = self._ask(self._task(program, ("claims",)))
        findings = tuple(
            replace(item, property=label) for item in outcome.run.findings if item.property == "claims"
        )
        outcome = replace(outcome, run=replace(outcome.run, findings=findings))
        if isinstance(outcome, Violated) and outcome.property == "claims":
            outcome = replace(outcome, property=label)
        return Searched(outcome, program)

    # Races

    def _with_races_of_language(self, found: Searched | None) -> Searched:
        """The answer with an additional finding: whether the program has races in its language."""
        from membar.questions import language_races  # noqa: PLC0415 - C only

        search = self.search
        program = asserting(without_warnings(search.written), ("races",))
        silent = replace(_asking_only(program, ()), condition=None)
        task = language_races.whole_question(self._task(silent, ()))
        engine = load_engine(default_engine(silent, task.model, task.options))
        interrupt = None
        try:
            races = self._ask(task, engine)
        except InterruptError as stopped:
            races, interrupt = stopped.outcome, stopped
        listed = ("--all",) if found is None and search.options.all_executions else ()
        races = language_races.explain(races, search.model, (*search.ignored_options, *listed))
        outcome = races if found is None else language_races.combine(found.outcome, races)
        if interrupt is not None:
            raise InterruptError(outcome) from None
        race = language_races.shown_race(outcome, program, task.model)
        if race is not None and isinstance(outcome, Violated):
            outcome = replace(outcome, witness=race.witness)
        return replace(found or Searched(outcome, self.program), outcome=outcome, race=race)

    def _without_doubt(self, outcome: Outcome, task: Task) -> Outcome:
        """The outcome of a program checked as machine code, weakened if its meaning in C contradicts it."""
        search = self.search
        written = without_warnings(search.written)
        if task.program.mixed_sizes:
            from membar.questions import mixed_sizes  # noqa: PLC0415 - C only

            if mixed_sizes.may_be_wrong(task, outcome):
                return self._flagging_races(mixed_sizes.without_rule(outcome, task), self._races(written))
        if not task.program.ends_memory:
            return self._flagging_races(outcome, self._races(written))
        from membar.questions import language_races  # noqa: PLC0415 - C only
        from membar.questions import reordered_use_after_free as reordered  # noqa: PLC0415 - C only

        if not reordered.may_miss_some(task, outcome):
            return self._flagging_races(outcome, self._races(written))
        if not reordered.is_mapped(task.model, search.mapping):
            return self._flagging_races(reordered.without_mapping(outcome, task), self._races(written))
        asked = reordered.language_question(
            task, language_races.quick_question(written), outcome.run.statistics.seconds
        )
        races = found = self._ask_language(asked)
        if isinstance(found, Violated) and asked.model.name != language_races.RC11:
            # The mappings are right for the stronger release sequences of rc11, too.
            asked = replace(asked, model=load_model(language_races.RC11))
            found = self._ask_language(asked)
        judged = reordered.combine(outcome, task, asked, found, self._ask)
        if isinstance(judged, Violated):
            judged = confirm_witness(judged, task)
        return self._flagging_races(judged, races)

    def _ask_language(self, task: Task) -> Outcome:
        return self._ask(task, load_engine(default_engine(task.program, task.model, task.options)))

    def _flagging_races(self, outcome: Outcome, found: Outcome | None) -> Outcome:
        if found is None:
            return outcome
        from membar.questions import language_races  # noqa: PLC0415 - C only

        return language_races.flag(outcome, found, self.search.path)

    def _races(self, program: Program) -> Outcome | None:
        """The races of the program under the model of its language; None if nothing can race.

        It is asked about some executions only, in the time that is left: it may miss a race.
        """
        if defines_races(self.search.model) or not has_plain_accesses(program):
            return None
        from membar.questions import language_races  # noqa: PLC0415 - C only

        task = language_races.quick_question(program)
        return self._ask_language(task)


def _naming_search(outcome: Outcome) -> Outcome:
    """The outcome of one of several searches: what was explored before a violation is said to be its own."""
    explored = outcome.run.guarantee
    if not isinstance(outcome, Violated) or not explored.startswith("only the "):
        return outcome
    return replace(outcome, run=replace(outcome.run, guarantee=f"for {outcome.property}, {explored}"))


def _with_headline(outcome: Outcome) -> Outcome:
    """The outcome with the run that shows what the user asked, if its own run only shows waiting threads."""
    if isinstance(outcome, Violated) and outcome.property in _WAITING:
        for item in outcome.run.findings:
            is_own = item.property in OWN_QUESTIONS and item.verdict is Verdict.VIOLATED
            if is_own and item.witness is not None:
                return Violated(outcome.run, item.property, item.witness)
    return outcome


def _up_to_assertions(outcome: Outcome) -> Outcome:
    """The outcome, restricted to executions up to a failed assertion, which was not selected."""
    findings = tuple(
        replace(item, reason=UP_TO_ASSERTIONS) if item.verdict is Verdict.HOLDS and not item.reason else item
        for item in outcome.run.findings
    )
    guarantee = outcome.run.guarantee
    if isinstance(outcome, Holds | HoldsWithin):
        guarantee = f"{guarantee}, {UP_TO_ASSERTIONS}"
    return replace(outcome, run=replace(outcome.run, findings=findings, guarantee=guarantee))


def _without_leaks(outcome: Outcome) -> Outcome:
    """The outcome if memory may stay allocated while a pointer leads to it, which is not checked."""
    leak = outcome.run.finding(LEAKS)
    if leak is None or leak.verdict is not Verdict.VIOLATED:
        return outcome
    reason = f"{leak.reason}; whether a pointer to it still exists is not checked"
    outcome = add_findings(outcome, [Finding(LEAKS, Verdict.UNKNOWN, reason)])
    if not isinstance(outcome, Violated) or outcome.property != LEAKS:
        return outcome
    for item in outcome.run.findings:
        if item.verdict is Verdict.VIOLATED and not item.is_warning:
            return Violated(outcome.run, item.property, item.witness)
    return Unknown(outcome.run, reason)


def _weaken_to_unknown(outcome: Outcome, reason: str) -> Outcome:
    """UNKNOWN instead of an outcome that C might contradict, unless it is a violation."""
    if isinstance(outcome, Violated):
        return outcome
    return Unknown(weaken_findings(outcome.run, Verdict.UNKNOWN, reason), reason)


def _asking_only(program: Program, names: Collection[str]) -> Program:
    """The program without the conditions, claims and assertions of other properties."""
    silent = without_warnings(program, WARNINGS - frozenset(names))
    return replace(
        asserting(silent, names or ("claims",)),
        claims=program.claims if "claims" in names else (),
        errors=tuple(predicate for predicate in program.errors if predicate.property in names),
        condition=program.condition if any(is_asked_as(program, name) for name in names) else None,
    )


def _without_claims(program: Program, *, of_text: bool = False) -> Program:
    """The program without its claims, or without those of its own text."""
    errors = tuple(predicate for predicate in program.errors if predicate.property != "claims")
    claims = tuple(claim for claim in program.claims if claim.span is None) if of_text else ()
    return replace(program, claims=claims, errors=errors)


def _about(outcome: Outcome, name: str) -> Outcome:
    """The outcome with its findings about claims attributed to this one."""
    findings = tuple(
        replace(item, claim=name) if item.property == "claims" else item for item in outcome.run.findings
    )
    return replace(outcome, run=replace(outcome.run, findings=findings))


def _new(name: str, known: Collection[str]) -> str:
    """A name that no other claim has."""
    while name in known:
        name += "'"
    return name


def _worse(first: Searched | None, second: Searched) -> Searched:
    """The worse of two answers, with the findings of both."""
    if first is None:
        return second
    is_worse = _GRAVITY.index(type(second.outcome)) > _GRAVITY.index(type(first.outcome))
    kept, other = (second, first) if is_worse else (first, second)
    notes = [note for note in other.outcome.run.notes if note not in kept.outcome.run.notes]
    merged = add_findings(with_notes(_naming_search(kept.outcome), *notes), other.outcome.run.findings)
    return replace(kept, outcome=merged)
