"""The straight line: text → Program → Outcome. Everything users can do, they do through here."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from pathlib import Path, PurePath
from typing import ParamSpec

from membar.diagnostics import Diagnostic, InputError, Label
from membar.edits import Place
from membar.languages import BY_STATES
from membar.languages.registry import (
    every_frontend,
    frontend_for,
    frontends,
    is_object,
    language_of,
    load_model,
    vocabulary,
    words_of,
)
from membar.limits.budget import LimitError, limited, stage
from membar.models.model import Model, Operational
from membar.program.allocations import without_allocations
from membar.program.program import Program
from membar.program.validate import validate
from membar.properties.labels import BEGINNINGS, LABELS
from membar.properties.undefined import orders_allocations
from membar.questions import option_effects, option_scopes
from membar.questions.answering import (
    FOR_BUFFERS,
    answer,
    default_engine,
    default_model,
    load_engine,
    meaningless_tags,
    used_tags,
)
from membar.questions.asked_properties import applicable, asked_properties
from membar.questions.follow_ups import Question, answered, program_asked
from membar.questions.insertions import Insertion, insertion, relocated
from membar.questions.outcome import (
    WORDS,
    Finding,
    Holds,
    InterruptedAnswerError,
    InterruptError,
    Outcome,
    Run,
    Statistics,
    Unknown,
    Verdict,
    Violated,
    Witness,
)
from membar.questions.task import Limits, Options, Task
from membar.records import record, replace
from membar.source import FileText, SourceFile

# Also known here: users and tests of programs find them in one place.
__all__ = [
    "WORDS",
    "answer",
    "default_engine",
    "default_model",
    "frontend_for",
    "frontends",
    "is_object",
    "language_of",
    "load_engine",
    "load_model",
    "meaningless_tags",
    "used_tags",
    "vocabulary",
    "words_of",
]

# How labels begin that are asked about by name.


@record(frozen=True, slots=True)
class Result:
    """The answer to one question: what was asked, and the outcome. Draws itself in Jupyter."""

    source: SourceFile
    program: Program
    model: Model
    outcome: Outcome
    mapping: str | None = None
    ltl: str | None = None  # what was claimed of all runs, where the text has no words for it
    labels: tuple[str, ...] = ()  # what was asked about labels of the text

    @property
    def verdict(self) -> str:
        """`holds`, `holds-within`, `violated`, `unknown`; `explored` where nothing was asked."""
        return WORDS[type(self.outcome)]

    @property
    def witness(self) -> Witness | None:
        """The execution that shows the verdict, if one does."""
        return self.outcome.witness if isinstance(self.outcome, Holds | Violated) else None

    def _repr_svg_(self) -> str | None:
        from membar.reports import svg  # noqa: PLC0415 - drawn only when looked at

        if self.witness is None:
            return None
        return svg.render(self.program, self.witness, title=f"{self.program.name} under {self.model.name}")


class InterruptedCheckError(InterruptedAnswerError):
    """Ctrl-C during `check`, with what was found until then."""

    def __init__(self, result: Result) -> None:
        super().__init__(result)
        self.result = result


def parse(source: SourceFile) -> Program:
    """The program that a text means, by its file name's ending.

    Raises:
        InputError: with every problem found in the text.
    """
    program = frontend_for(source).parse(source)
    validate(program)
    return program


def places(source: SourceFile, program: Program) -> tuple[Place, ...]:
    """Where a text can be made stronger or weaker.

    Raises:
        InputError: its language has no such places.
    """
    frontend = frontend_for(source)
    if frontend.places is None:
        can = [each for each in every_frontend() if getattr(each, "places", None) is not None]
        knowing = ", ".join(each.name for each in can)
        raise InputError(
            Diagnostic(
                code="W0421",
                message=f"{frontend.name} files cannot be repaired",
                help=f"languages that can: {knowing}",
            )
        )
    return frontend.places(source, program)


def for_model(program: Program, model: Model, *, mapping: str | None = None) -> Program:
    """The program as the model sees it: C under a processor's model is what a compiler makes of it.

    Raises:
        InputError: only sc gives it a meaning, and the model is another one.
    """
    if program.is_joint and model.operational is not Operational.SC:
        raise _joint_steps(program, model)
    from membar.models import mappings  # noqa: PLC0415 - most programs are not C

    if not orders_allocations(model):
        program = without_allocations(program)
    if not (mapping or model.claims.mapping) or not mappings.speaks_c(program):
        return program
    return mappings.mapped(program, mappings.mapping_named(mapping or model.claims.mapping))


def _joint_steps(program: Program, model: Model) -> InputError:
    """That processes which step together have no store buffers of their own."""
    message = f"`system sync` has no meaning under {model.name}"
    said = "its processes step together and would share one store buffer"
    label = Label(program.span, said) if program.span else None
    return InputError(Diagnostic(code="W1011", message=message, primary=label, help="take --model sc"))


Parameters = ParamSpec("Parameters")


def _limited(ask: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Limits count for everything that is done for an answer, one deadline for all of it."""

    @wraps(ask)
    def asking(*positional: Parameters.args, **named: Parameters.kwargs) -> Result:
        limits, start = named.get("limits") or Limits(), time.monotonic()
        assert isinstance(limits, Limits)
        try:
            with limited(seconds=limits.seconds, memory=limits.memory):
                return ask(*positional, **named)
        except LimitError as limit:
            source = positional[0] if positional else named["source"]
            given = named.get("properties") or ()
            assert isinstance(given, Collection)
            asked = [name for name in given if name != "none"]
            seconds = time.monotonic() - start
            return unanswered(source, named.get("model"), limit.reason, seconds, properties=asked)

    return asking


@_limited
def check(
    source: SourceFile | str | Path,
    *,
    model: Model | str | None = None,
    engine: str | None = None,
    properties: Collection[str] | None = None,
    property_file: Path | None = None,
    error: str | None = None,
    ltl: str | None = None,
    words: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    options: Options | None = None,
    include_dirs: Sequence[Path] = (),
    defines: Sequence[str] = (),
    arguments: Sequence[str] | None = None,
    mapping: str | None = None,
    given_options: Collection[str] | None = None,
) -> Result:
    """Whether a program does what it should under a memory model.

    Args:
        source: a file name, or a text with a name.
        model: a shipped model's name, a `.cat` file, or a loaded model; by default the language's own.
        engine: by default the fastest that can.
        properties: which to check (see `membar.properties`); by default all that apply, `()` for none.
        property_file: a property file of SV-COMP, which says what to check, by default under `sc`.
        error: a state or location that must not be reached, in the words of the language.
        ltl: what must be true of all runs (see `membar.properties.ltl.parser`).
        words: options that only some languages know, by name: `dve-errors`, `atomic`, `atomic-rule`.
        limits: resources; hitting one gives UNKNOWN.
        options: loop bounds, buffers, reductions.
        include_dirs: where cat includes, and those of C, are searched.
        defines: macros for C, `NAME` or `NAME=VALUE`.
        arguments: what a C program is run with (`argv` without its first); by default nothing.
        mapping: the compiler's table for a C program under a processor's model; by default the model's own.
        given_options: options of the command line, such as `--all`: what would change nothing is refused.

    Raises:
        InputError: the text, the model or an argument is wrong.
        OSError: a file cannot be read.
        InterruptedCheckError: Ctrl-C; it is a `KeyboardInterrupt` that has what was found.
    """
    text = source if isinstance(source, SourceFile) else SourceFile.read(source)
    if defines:
        option_scopes.refuse_for_language(frontend_for(text).name, ["-D"])
    if property_file is not None:
        option_scopes.refuse_for_language(frontend_for(text).name, ["--property-file"])
    if "--herd" in (given_options or ()):
        option_scopes.refuse_for_language(frontend_for(text).name, ["--herd"])
    if arguments is not None:
        option_scopes.refuse_for_language(frontend_for(text).name, ["--args"])
        text = replace(text, arguments=tuple(arguments))
    if defines or include_dirs:
        folders = tuple(str(folder) for folder in include_dirs)
        text = replace(text, defines=(*text.defines, *defines), include_dirs=(*text.include_dirs, *folders))
    limits = limits or Limits()
    question = asked_properties(properties, property_file, text)
    if property_file is not None and model is None:
        model = "sc"
    with stage("while the text was read"):
        text, program = asked(text, error=error, ltl=ltl, words=words or {})
        with_labels(program, question.labels)  # whether they can be asked about
    unwritten = ltl if ltl is not None and frontend_for(text).with_claim is None else None
    with stage("while the model was loaded"):
        chosen = (
            model
            if isinstance(model, Model)
            else load_model(model or default_model(program), include_dirs=include_dirs)
        )
    question = applicable(program, chosen, question)
    seen = for_model(program, chosen, mapping=mapping)
    if mapping is not None and seen is program:
        option_scopes.refuse_for_language(program.language, ["--mapping"])
    about = with_labels(seen, question.labels)
    choices = options_for(options or Options(), about, chosen, engine)
    answering = load_engine(engine or default_engine(about, chosen, choices))
    option_scopes.refuse_for_engine(answering.name, choices)
    if given_options is not None:
        given = Task(program=about, model=chosen, properties=(), limits=limits, options=choices)
        option_effects.refuse_without_effect(given, answering.name, given_options)
    whole = Question(
        written=program,
        program=seen,
        model=chosen,
        engine=answering,
        asked=question,
        limits=limits,
        options=choices,
        mapping=mapping,
        path=text.path,
    )
    try:
        found = answered(whole)
    except InterruptError as interrupt:
        shown = program_asked(whole)
        result = Result(text, shown, chosen, interrupt.outcome, mapping, unwritten, question.labels)
        raise InterruptedCheckError(result) from None
    if found.model is not chosen:
        mapping = None
    return Result(text, found.program, found.model, found.outcome, mapping, unwritten, question.labels)


def unanswered(
    source: object, model: object, reason: str, seconds: float, *, properties: Sequence[str] = ()
) -> Result:
    """The answer about a file where a limit was reached before there was one, whatever had been read.

    Of the `properties` that were asked for by name nothing is known.
    """
    text = source if isinstance(source, SourceFile) else SourceFile(str(source), "")
    language = language_of(text)
    if not isinstance(model, Model):
        default = getattr(language, "default_model", None)  # of objects a name, of systems a function
        name = str(model or (default if isinstance(default, str) else _first_model(text, language)))
        name = PurePath(name).stem if "." in name else name
        model = Model(name=name, title="", documentation="")
    nothing = Program(name=PurePath(text.path).stem, language=language.name, objects=(), threads=())
    run = Run(
        model=model.name,
        engine="none",
        algorithm="none",
        guarantee="nothing was established",
        findings=tuple(Finding(name, Verdict.UNKNOWN, reason) for name in properties),
        statistics=Statistics(seconds=seconds),
    )
    return Result(text, nothing, model, Unknown(run, reason))


def _first_model(text: SourceFile, language: object) -> str:
    """The model of a text that was not read: litmus tests begin with their language."""
    default_models: Mapping[str, str] = getattr(language, "default_models", {})
    begin = text.text[:100]
    if not begin and Path(text.path).is_file():  # a pipe may keep its reader waiting
        with suppress(OSError), Path(text.path).open(encoding="utf-8", errors="replace") as stream:
            begin = stream.read(100)
    first = next(iter(begin.split()), "")
    return default_models.get(first) or next(iter(default_models.values()), "sc")


def asked(
    text: SourceFile,
    *,
    error: str | None,
    ltl: str | None,
    words: Mapping[str, str],
    labels: Sequence[str] = (),
) -> tuple[SourceFile, Program]:
    """The text with what options say and ask, where its language has words for it, and its program.

    Raises:
        InputError: the text or an option is wrong.
    """
    written, inserted = text, list[Insertion]()

    def add(option: str, value: str, after: SourceFile) -> SourceFile:
        found = insertion(option, value, before=text.text, after=after.text)
        inserted.extend([] if found is None else [found])
        return after

    for option, value in words.items():
        text = add(option, value, _with_option(text, option, value))
    if error is not None:
        text = add("error", error, _with_error(text, error))
    if ltl is not None:
        text = add("ltl", ltl, _with_claim(text, ltl))
    try:
        program = parse(text)
    except InputError as problem:
        if not inserted:
            raise
        parse(written)  # what is wrong with the text itself is shown there
        raise relocated(problem, text, len(written.text.rstrip()), inserted) from None
    if ltl is not None and frontend_for(text).with_claim is None:
        program = claiming(program, ltl)
    return text, with_labels(program, labels)


def asked_labels(properties: Collection[str] | None) -> tuple[str, ...]:
    """Those of the properties that labels of the text speak of."""
    return tuple(name for name in LABELS if name in (properties or ()))


def with_labels(program: Program, names: Sequence[str]) -> Program:
    """The program with what its labels say of all runs.

    Raises:
        InputError: it has no such labels, or what they say cannot be followed.
    """
    known = {item.claim.name: item for item in program.label_claims}
    for name in names:
        if name not in known:
            message = f"{name} is about labels `{BEGINNINGS[name]}…`, and {program.name} has none"
            help_ = "processes of Promela can have such labels"
            raise InputError(Diagnostic(code="W0437", message=message, help=help_))
        if known[name].unseen:
            raise InputError(Diagnostic(code="W0438", message=known[name].unseen))
    return replace(program, claims=(*program.claims, *(known[name].claim for name in names)))


def claiming(program: Program, text: str) -> Program:
    """The program with a formula about all of its runs.

    Raises:
        InputError: it is no formula about this program.
    """
    from membar.program.temporal import Claim  # noqa: PLC0415 - on demand
    from membar.properties.ltl.parser import formula_of  # noqa: PLC0415 - on demand

    formula = formula_of(text, program, name=text.path if isinstance(text, FileText) else "--ltl")
    words = " ".join(text.split())
    return replace(program, claims=(*program.claims, Claim(words, formula, words)))


def options_for(options: Options, program: Program, model: Model, engine: str | None) -> Options:
    """The options, with the model's own store-buffer bound where the question is one about states."""
    is_about_states = program.language in BY_STATES or program.asks_about_states
    if not is_about_states or options.unbounded_buffers or options.buffers is not None:
        return options
    if model.operational is None or engine not in (None, *FOR_BUFFERS):
        return options
    return replace(options, buffers=model.default_buffers)


def _with_error(source: SourceFile, error: str) -> SourceFile:
    """The text with what `--error` asks, so that a witness saved with it can be replayed."""
    frontend = frontend_for(source)
    if frontend.with_error is None:
        raise InputError(
            Diagnostic(
                code="W0405",
                message=f"--error cannot be asked of {frontend.name} files",
                help="a litmus test has its own question; XCFA files can be asked",
            )
        )
    return replace(source, text=frontend.with_error(source.text, error))


def _with_claim(source: SourceFile, formula: str) -> SourceFile:
    """The text with what `--ltl` claims, so that a witness saved with it can be replayed.

    Where the language has no words for claims the text stays as it is.
    """
    with_claim = frontend_for(source).with_claim
    return source if with_claim is None else replace(source, text=with_claim(source.text, formula))


def _with_option(source: SourceFile, option: str, value: str) -> SourceFile:
    """The text with what an option of its language says, so that a witness saved with it can be replayed."""
    frontend = frontend_for(source)
    if option not in frontend.with_option:
        knowing = [item.name for item in frontends() if option in item.with_option]
        raise InputError(
            Diagnostic(
                code="W0413",
                message=f"--{option} does not apply to {frontend.name} files",
                help=f"it is for {', '.join(knowing) or 'no language'}",
            )
        )
    return replace(source, text=frontend.with_option[option](source.text, value))
