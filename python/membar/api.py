"""The straight line: text → Program → Outcome. Everything users can do, they do through here."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path, PurePath

from membar import delays, plugins
from membar.changes import Place
from membar.diagnostics import Diagnostic, EngineLimitError, InputError
from membar.effort import EffortError, limited
from membar.engines import Engine
from membar.insertions import Insertion, insertion, relocated
from membar.languages import (
    NO_ORDER,
    every_frontend,
    frontend_for,
    frontends,
    is_object,
    keep,
    language_of,
    load_model,
    vocabulary,
    words_of,
    words_of_all,
)
from membar.models.model import Model
from membar.outcome import (
    WORDS,
    Holds,
    InterruptedAnswerError,
    InterruptError,
    Outcome,
    Run,
    Statistics,
    Unknown,
    Violated,
    Witness,
)
from membar.program.atomicity import has_wide_steps
from membar.program.operations import (
    WARNING,
    Fence,
    Load,
    Lock,
    Operation,
    Rmw,
    Store,
    StoreConditional,
    Tags,
    Unlock,
)
from membar.program.program import Edge, Program
from membar.program.temporal import ACCEPTANCE, PROGRESS
from membar.program.validate import validate
from membar.program.warnings import LEAK, OVERFLOW, without_warnings
from membar.properties import PROPERTIES
from membar.properties.judge import RACE_FLAG
from membar.records import record, replace
from membar.silence import without_looks
from membar.source import FileText, SourceFile
from membar.task import Limits, Options, Task, Unrolling

# Also known here: users and tests of programs find them in one place.
__all__ = [
    "WORDS",
    "frontend_for",
    "frontends",
    "is_object",
    "keep",
    "language_of",
    "load_model",
    "vocabulary",
    "words_of",
]

# Which engine answers when the user names none: the first that exists.
_FOR_AXIOMS = ("graphs", "reference")
_FOR_BUFFERS = ("states", "reference")
_FOR_UNBOUNDED_BUFFERS = "buffers"
# What is asked about labels only by name, and how these begin.
_LABELS = {ACCEPTANCE: "accept", PROGRESS: "progress"}


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


def default_model(program: Program) -> str:
    """The model checked when the user names none."""
    for frontend in frontends():
        if program.language in frontend.default_models:
            return frontend.default_models[program.language]
    return "sc"


def for_model(program: Program, model: Model, *, mapping: str | None = None) -> Program:
    """The program as the model sees it: C under a processor's model is what a compiler makes of it."""
    from membar.models import mappings  # noqa: PLC0415 - most programs are not C

    if not (mapping or model.mapping) or not mappings.speaks_c(program):
        return program
    return mappings.mapped(program, mappings.mapping_named(mapping or model.mapping))


@cache
def load_engine(name: str) -> Engine:
    """The engine for programs called `name`."""
    found = plugins.record("membar.engines", name, attribute="ENGINE")
    if isinstance(found, Engine):
        return found
    raise InputError(
        Diagnostic(
            code="W0407",
            message=f"the engine {name} takes systems for any number of processes, not programs",
            help="such systems are `.cub` files",
        )
    )


def default_engine(program: Program, model: Model, options: Options) -> str:
    """The engine that answers when the user names none.

    Store buffers were asked for, the question is about states on the way, or axioms cannot speak about a step
    with several accesses; otherwise axioms decide.
    """
    if options.unbounded_buffers:
        return _FOR_UNBOUNDED_BUFFERS
    is_about_states = program.asks_about_states or has_wide_steps(program)
    asks_about_states = model.operational is not None and is_about_states
    wants_buffers = model.plan is None or options.buffers is not None or asks_about_states
    preferred = _FOR_BUFFERS if wants_buffers else _FOR_AXIOMS
    return next(engine for engine in preferred if engine in plugins.names("membar.engines"))


def check(
    source: SourceFile | str | Path,
    *,
    model: Model | str | None = None,
    engine: str | None = None,
    properties: Collection[str] | None = None,
    error: str | None = None,
    ltl: str | None = None,
    words: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    options: Options | None = None,
    include_dirs: Sequence[Path] = (),
    defines: Sequence[str] = (),
    mapping: str | None = None,
) -> Result:
    """Whether a program does what it should under a memory model.

    Args:
        source: a file name, or a text with a name.
        model: a shipped model's name, a `.cat` file, or a loaded model; by default the language's own.
        engine: by default the fastest that can.
        properties: which to check (see `membar.properties`); by default all that apply, `()` for none.
        error: a state or location that must not be reached, in the words of the language.
        ltl: what must be true of all runs (see `membar.properties.ltl.parser`).
        words: options that only some languages know, by name: `dve-errors`, `atomic`, `atomic-rule`.
        limits: resources; hitting one gives UNKNOWN.
        options: loop bounds, buffers, reductions.
        include_dirs: where cat includes, and those of C, are searched.
        defines: macros for C, `NAME` or `NAME=VALUE`.
        mapping: the compiler's table for a C program under a processor's model; by default the model's own.

    Raises:
        InputError: the text, the model or an argument is wrong.
        OSError: a file cannot be read.
        InterruptedCheckError: Ctrl-C; it is a `KeyboardInterrupt` that has what was found.
    """
    text = source if isinstance(source, SourceFile) else SourceFile.read(source)
    if defines or include_dirs:
        folders = tuple(str(folder) for folder in include_dirs)
        text = replace(text, defines=(*text.defines, *defines), include_dirs=(*text.include_dirs, *folders))
    limits = limits or Limits()
    labels = asked_labels(properties)
    begun = time.monotonic()
    try:
        with limited(seconds=limits.seconds, memory=limits.memory):
            text, program = asked(text, error=error, ltl=ltl, words=words or {}, labels=labels)
    except EffortError as limit:
        name = model or next(iter(frontend_for(text).default_models.values()), "sc")
        known = name if isinstance(name, Model) else load_model(name, include_dirs=include_dirs)
        return _unread(text, known, limit.reason, time.monotonic() - begun)
    unwritten = ltl if ltl is not None and frontend_for(text).with_claim is None else None
    chosen = (
        model
        if isinstance(model, Model)
        else load_model(model or default_model(program), include_dirs=include_dirs)
    )
    written = program
    program = for_model(program, chosen, mapping=mapping)
    silent = without_warnings(program)
    task = Task(
        program=silent,
        model=chosen,
        properties=_properties(properties),
        limits=limits,
        options=_options(options or Options(), program, chosen, engine),
    )
    answering = load_engine(engine or default_engine(program, chosen, task.options))
    if task.options.shortest and answering.name not in _FOR_BUFFERS:
        raise InputError(
            Diagnostic(
                code="W0436",
                message=f"the engine {answering.name} does not look for shortest runs",
                help=f"--shortest is for {' and '.join(_FOR_BUFFERS)}: --engine {_FOR_BUFFERS[0]}",
            )
        )
    try:
        outcome = _warned(replace(task, program=program), answering) if silent is not program else None
        outcome = (outcome and _silenced(outcome, task)) or answer(task, answering)
    except InterruptError as interrupt:
        outcome = _replayed(interrupt.outcome, task)
        result = Result(text, silent, chosen, outcome, mapping, unwritten, labels)
        raise InterruptedCheckError(result) from None
    if task.properties and not chosen.language_model:
        machine = _Machine(answering, mapping, without_warnings(written), text.path)
        outcome = _without_doubt(outcome, task, machine)
    return Result(text, silent, chosen, outcome, mapping, unwritten, labels)


_RACES_IN = "rc11"
_MOST_RACY = 1000
_ROUNDS_OF_A_RACE = 2
_SHORTEST_RACE = 0.1
_LONGEST_RACE = 20.0  # seconds: blocked executions do not count as executions


@record(frozen=True, slots=True)
class _Machine:
    """How a C program was taken for machine code: engine, mapping, what was written, and in which file."""

    engine: Engine
    mapping: str | None
    written: Program
    path: str


def _without_doubt(outcome: Outcome, task: Task, machine: _Machine) -> Outcome:
    """The outcome of a program that was taken for machine code, as far as its meaning in C lets it stand."""
    written, path = machine.written, machine.path
    if not delays.matter(task, outcome):
        return _with_races(outcome, _races(written, task, outcome), path)
    if not delays.is_mapped(task.model, machine.mapping):
        return _with_races(delays.remarked(outcome, task), _races(written, task, outcome), path)
    question = delays.in_language(task, _race_question(written), outcome.run.statistics.seconds)
    found = answer(question, load_engine(default_engine(written, question.model, question.options)))
    judged = delays.judged(outcome, task, question, found, lambda other: answer(other, machine.engine))
    return _with_races(judged, found, path)


def _races(program: Program, asked_before: Task, answered: Outcome) -> Outcome | None:
    """What the language says of races; None if nothing can race.

    It is asked about some executions only, in the time that is left: it may miss a race.
    """
    from membar.models.mappings import has_plain_accesses  # noqa: PLC0415 - most programs are not C

    if not has_plain_accesses(program):
        return None
    task = _race_question(program)
    seconds = asked_before.limits.seconds
    if seconds is not None:
        left = max(seconds - (answered.run.statistics.seconds or 0.0), _SHORTEST_RACE)
        task = replace(task, limits=replace(task.limits, seconds=min(left, _LONGEST_RACE)))
    return answer(task, load_engine(default_engine(program, task.model, task.options)))


def _race_question(program: Program) -> Task:
    return Task(
        program=program,
        model=load_model(_RACES_IN),
        properties=("races",),
        limits=Limits(executions=_MOST_RACY, seconds=_LONGEST_RACE),
        options=Options(unrolling=Unrolling(exact=_ROUNDS_OF_A_RACE)),
    )


def _with_races(outcome: Outcome, found: Outcome | None, path: str) -> Outcome:
    """The outcome, with a flag if a C program that was taken for machine code has a data race in C."""
    if not isinstance(found, Violated) or found.property != "races":
        return outcome
    note = (
        "plain accesses are taken as machine accesses; in C they are a data race, without any meaning"
        f": membar check {path} --model {_RACES_IN}"
    )
    flags = tuple(sorted({*outcome.run.flags, RACE_FLAG}))
    return replace(outcome, run=replace(outcome.run, flags=flags, notes=(*outcome.run.notes, note)))


def _warned(task: Task, engine: Engine) -> Outcome | None:
    """The outcome of a program that may warn, asked with its warnings; None if it must be asked without them.

    Where nothing warns the answer is that of the program. Where something does, the program is asked again,
    and the warning is a note. Searches that assertions would slow down are spared it.
    """
    if not task.properties or task.model.exploration != "exactly-once":
        return None
    outcome = answer(task, engine)
    if not isinstance(outcome, Violated) or outcome.property != WARNING or outcome.witness is None:
        return outcome
    note, flag, about = outcome.witness.message, "memory-leak", LEAK
    if not note.startswith(LEAK):
        note, flag, about = f"{note}: not defined in C, taken as wrapping around", "signed-overflow", OVERFLOW
    other = replace(task, program=without_warnings(task.program, about))
    final = _warned(other, engine) or answer(other, engine)
    flags = tuple(sorted({*final.run.flags, flag}))
    return replace(final, run=replace(final.run, notes=(*final.run.notes, note), flags=flags))


def _unread(text: SourceFile, model: Model, reason: str, seconds: float) -> Result:
    """The answer where a limit was reached before there was a program."""
    nothing = Program(name=PurePath(text.path).stem, language=frontend_for(text).name, objects=(), threads=())
    run = Run(
        model=model.name,
        engine="none",
        algorithm="none",
        guarantee="nothing was established",
        statistics=Statistics(seconds=seconds),
    )
    return Result(text, nothing, model, Unknown(run, reason))


def _silenced(outcome: Outcome, task: Task) -> Outcome | None:
    """The outcome with a witness of the program without warnings; None if there is none for it."""
    if not isinstance(outcome, Holds | Violated) or outcome.witness is None:
        return outcome
    silent = _replayed(replace(outcome, witness=without_looks(outcome.witness)), task)
    return None if isinstance(silent, Unknown) else silent


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
    return tuple(name for name in _LABELS if name in (properties or ()))


def with_labels(program: Program, names: Sequence[str]) -> Program:
    """The program with what its labels say of all runs.

    Raises:
        InputError: it has no such labels, or what they say cannot be followed.
    """
    known = {item.claim.name: item for item in program.label_claims}
    for name in names:
        if name not in known:
            message = f"{name} is about labels `{_LABELS[name]}…`, and {program.name} has none"
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
    return replace(program, claims=(*program.claims, Claim(str(text), formula, str(text))))


def _options(options: Options, program: Program, model: Model, engine: str | None) -> Options:
    """The options, with the model's own store-buffer bound where the question is one about states."""
    by_states = any(program.language in item.default_models for item in frontends() if item.by_states)
    is_about_states = by_states or program.asks_about_states
    if not is_about_states or options.unbounded_buffers or options.buffers is not None:
        return options
    if model.operational is None or engine not in (None, *_FOR_BUFFERS):
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
                message=f"--{option} says nothing about {frontend.name} files",
                help=f"it is for {', '.join(knowing) or 'no language'}",
            )
        )
    return replace(source, text=frontend.with_option[option](source.text, value))


def answer(task: Task, engine: Engine) -> Outcome:
    """The engine's outcome, its witness replayed by the reference semantics before anybody sees it."""
    reason = None if _runs_buffers(task, engine) else meaningless_tags(task.program, task.model)
    if reason is None:
        try:
            start = time.monotonic()
            outcome = engine.run(task)
            return _replayed(outcome, task, time.monotonic() - start)
        except EngineLimitError as limit:
            reason = limit.reason
    run = Run(
        model=task.model.name, engine=engine.name, algorithm="none", guarantee="nothing was established"
    )
    return Unknown(run, reason)


def _runs_buffers(task: Task, engine: Engine) -> bool:
    """Whether the engine runs store buffers: these know their fences, and refuse others, themselves."""
    if task.model.operational is None:
        return False
    return engine.name in (_FOR_UNBOUNDED_BUFFERS, _FOR_BUFFERS[0]) or (
        engine.name == "reference" and (task.options.buffers is not None or task.program.asks_about_states)
    )


def _replayed(outcome: Outcome, task: Task, taken: float = 0.0) -> Outcome:
    """The outcome if its witness replays, in what is left of the time; a little is left for it always."""
    if isinstance(outcome, Holds | Violated) and outcome.witness is not None:
        from membar.engines.reference.replay import replay  # noqa: PLC0415 - most answers have no witness

        try:
            with limited(seconds=task.limits.seconds, memory=task.limits.memory, spent=taken):
                mismatch = replay(task.program, task.model, outcome.witness)
        except EffortError as limit:
            return Unknown(outcome.run, f"{limit.reason} while the witness was replayed")
        if mismatch is not None:
            return Unknown(
                outcome.run, f"internal error, please report: the witness does not replay ({mismatch})"
            )
    return outcome


def _properties(chosen: Collection[str] | None) -> tuple[str, ...]:
    if chosen is None:
        return tuple(PROPERTIES)
    for name in chosen:
        if name not in PROPERTIES and name not in _LABELS:
            raise plugins.unknown("property", name, (*PROPERTIES, *_LABELS, "none"))
    return tuple(dict.fromkeys("claims" if name in _LABELS else name for name in chosen))


def meaningless_tags(program: Program, model: Model) -> str | None:
    """Why the model cannot speak about the program: ordering words it gives no meaning to; or None."""
    if model.any_tags or model.plan is None:  # without axioms, the simulator knows its fences
        return None
    known = model.tags
    for tags, edge in used_tags(program):
        if tags <= known:
            continue
        words = {**words_of_all(), **words_of(program.language)}
        for tag in sorted(tags - model.tags):
            if not words.get(tag, "").startswith(NO_ORDER):
                place = f" (line {edge.span.line})" if edge.span else ""
                return f"the model {model.name} gives no meaning to `{tag}`{place}"
    return None


def used_tags(program: Program) -> Iterator[tuple[Tags, Edge]]:
    """The ordering words of each operation of the program, with its step."""
    for thread in program.threads:
        for edge in thread.edges:
            for operation in edge.operations:
                yield _tags_of(operation), edge


def _tags_of(operation: Operation) -> Tags:
    match operation:
        case Load() | Store() | StoreConditional() | Fence() | Lock() | Unlock():
            return operation.tags
        case Rmw():
            return operation.read_tags | operation.write_tags | (operation.failed_tags or frozenset())
        case _:
            return frozenset()
