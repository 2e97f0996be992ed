"""Does a program satisfy its properties under a memory model?"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from membar.diagnostics import EngineLimitError
from membar.languages.registry import frontend_for, load_model
from membar.limits.budget import stage
from membar.properties.labels import LABELS
from membar.questions import refusals
from membar.questions.answer import Answer, Reading, make_answer
from membar.questions.default_engines import default_engine
from membar.questions.engine_answer import default_model, load_engine
from membar.questions.follow_ups import Search, program_asked, run_searches
from membar.questions.given_options import compiler_options_in
from membar.questions.outcome import InterruptedAnswerError, InterruptError
from membar.questions.programs import for_model, options_for, parse_with_options, text_of_claims, with_labels
from membar.questions.property_selection import applicable, asked_properties
from membar.questions.question import Question
from membar.questions.task import Task
from membar.records import field, record, replace

if TYPE_CHECKING:
    from pathlib import Path

    from membar.program.program import Program
    from membar.questions.outcome import Outcome
    from membar.questions.task import Options

# Seconds for asking whether claims hold vacuously, besides half the time that the answer took.
_LEAST_FOR_VACUITY: Final = 0.3
# The options of a question that count for its follow-up question about races in C.
_FOR_RACES: Final = ("--unroll", "--max-unroll", "--jobs")


@record(frozen=True, slots=True, kw_only=True)
class Safety(Question):
    """Whether a program is correct under a memory model.

    Attributes:
        engine: by default the fastest that can.
        properties: which to check (see `membar.properties`); by default all that apply, `()` for none.
        property_file: a property file of SV-COMP, which says what to check, by default under `sc`.
        error: a state or location that must not be reached, in the words of the language.
        ltl: what must be true of all runs (see `membar.properties.ltl.parser`).
        ltl_file: a file of such claims (see `membar.properties.ltl.claim_file`).
        words: options that only some languages know, by name: `dve-errors`, `atomic`, `atomic-rule`.
        defines: macros for C, `NAME` or `NAME=VALUE`.
        arguments: what a C program is run with (`argv` without its first); by default nothing.
        mapping: the compiler's table for a C program under a processor's model; by default the model's own.
        strict_dependencies: whether what holds only by dependencies that a compiler may remove is violated.
        given_options: options of the command line, such as `--all`: what would change nothing is refused.
    """

    engine: str | None = None
    properties: Collection[str] | None = None
    property_file: Path | None = None
    error: str | None = None
    ltl: str | None = None
    ltl_file: str | Path | None = None
    words: Mapping[str, str] = field(default_factory=dict)
    defines: Sequence[str] = ()
    arguments: Sequence[str] | None = None
    mapping: str | None = None
    strict_dependencies: bool = False
    given_options: Collection[str] | None = None

    @property
    def asked_by_name(self) -> tuple[str, ...]:
        """The properties that were selected by name."""
        return tuple(name for name in self.properties or () if name != "none")

    def answer(self) -> Answer:
        """The answer, after its witness was replayed."""
        text = self.source_with(defines=self.defines)
        refusals.refuse_for_language(frontend_for(text).name, self._given_for_language())
        if self.arguments is not None:
            text = replace(text, arguments=tuple(self.arguments))
        question = asked_properties(self.properties, self.property_file, text)
        named = "sc" if self.model is None and self.property_file is not None else self.model
        model = None
        with stage("while loading the model"):
            if named is not None:
                model = load_model(named, include_dirs=self.include_dirs)
                text = text.compiled_for(self.mapping or model.claims.mapping)
        with stage("while reading the program"):
            ltl = text_of_claims(self.ltl, self.ltl_file)
            text, program = parse_with_options(text, error=self.error, ltl=ltl, words=self.words)
            with_labels(program, question.labels)  # whether they can be checked
        has_claims = frontend_for(text).with_claim is not None
        with stage("while loading the model"):
            model = model or load_model(default_model(program), include_dirs=self.include_dirs)
        question = applicable(program, model, question)
        seen = for_model(program, model, mapping=self.mapping)
        if self.mapping is not None and seen is program:
            refusals.refuse_for_language(program.language, ["--mapping"])
        about = with_labels(seen, question.labels)
        options = options_for(self.options, about, model, self.engine)
        engine = load_engine(self.engine or default_engine(about, model, options))
        refusals.refuse_for_engine(engine.name, options)
        given = Task(program=about, model=model, properties=(), limits=self.limits, options=options)
        if self.given_options is not None:
            refusals.refuse_without_effect(given, engine.name, self.given_options)
        refusals.refuse_limits(engine.name, self.limits, given)
        reading = Reading(
            mapping=self.mapping, ltl=None if has_claims or ltl is None else str(ltl), labels=question.labels
        )
        search = Search(
            written=program,
            program=seen,
            model=model,
            engine=engine,
            asked=question,
            limits=self.limits,
            options=options,
            mapping=self.mapping,
            path=text.path,
            strict_dependencies=self.strict_dependencies,
            ignored_options=self._given_for_engine(options),
            has_written_claim=has_claims and ltl is not None,
        )
        try:
            found = run_searches(search)
        except InterruptError as interrupt:
            shown = program_asked(search)
            partial = make_answer(self, shown, model, interrupt.outcome, source=text, reading=reading)
            raise InterruptedAnswerError(partial) from None
        if about.claims or about.errors:
            found = replace(
                found, outcome=self._with_notes_on_runs(found.outcome, replace(given, program=about))
            )
        reading = replace(reading, weaker_dependencies=found.has_weaker_dependencies)
        return make_answer(
            self, found.program, model, found.outcome, source=text, evidence=found.race, reading=reading
        )

    def _with_notes_on_runs(self, outcome: Outcome, task: Task) -> Outcome:
        """The outcome with notes about its claims."""
        from membar.questions import ltl_notes  # noqa: PLC0415 - few programs have claims

        program, model, fair = task.program, task.model, task.options.fair
        if any(item.property in ("claims", *LABELS) for item in outcome.run.findings):
            outcome = ltl_notes.with_notes(outcome, ltl_notes.notes_on_runs(program, model, fair))
        used = outcome.run.statistics.seconds
        left = _LEAST_FOR_VACUITY + used / 2
        if task.limits.seconds is not None:
            left = min(left, task.limits.seconds - used)
        end = time.monotonic() + left

        def holds(other: Program) -> bool:
            seconds = end - time.monotonic()
            if seconds <= 0:
                return False
            limits = replace(task.limits, seconds=seconds)
            asked = replace(task, program=other, properties=("claims",), limits=limits)
            try:
                return ltl_notes.is_settled(load_engine(outcome.run.engine).run(asked))
            except (InterruptError, EngineLimitError):
                return False

        return ltl_notes.with_notes(outcome, ltl_notes.vacuous_parts(program, outcome, holds))

    def _given_for_engine(self, options: Options) -> tuple[str, ...]:
        """The given options that only concern the engine of the question."""
        engine = () if self.engine is None else ("--engine",)
        limits = () if self.limits.states is None else ("--limit states",)
        chosen = (name for name in refusals.options_of(options) if name not in _FOR_RACES)
        return (*engine, *chosen, *limits)

    def _given_for_language(self) -> list[str]:
        """The given options that only some languages have."""
        given = {
            "-D": bool(self.defines),
            "--property-file": self.property_file is not None,
            "--herd": "--herd" in (self.given_options or ()),
            "--args": self.arguments is not None,
            "--strict-dependencies": self.strict_dependencies,
        }
        found = [option for option, is_given in given.items() if is_given]
        return found + compiler_options_in(self.compiler)
