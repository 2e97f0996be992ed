"""Refuses options that do not apply: to a kind of question, a language, an engine, a program or a model.

The declaration of an option (`questions/options.py`) says where it applies.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from membar import plugins
from membar.diagnostics import InputError, refusal
from membar.models.model import Operational
from membar.questions.default_engines import FOR_AXIOMS, FOR_BUFFERS, FOR_UNBOUNDED_BUFFERS
from membar.questions.option import CLIENTS, CONFIRMED, LIFTED, PROGRAM, PROOF, SYSTEM
from membar.questions.options import BY_NAME, REDUCTIONS
from membar.questions.task import Coherence, Options, Unrolling
from membar.records import record, replace

if TYPE_CHECKING:
    from membar.engines import Capabilities
    from membar.program.program import Program
    from membar.questions.task import Limits, Task


@record(frozen=True, slots=True)
class _Kind:
    """A kind of question: the name of its files, the error code, and what it checks."""

    name: str
    code: str
    asked: str


_KINDS: Final[Mapping[str, _Kind]] = {
    PROGRAM: _Kind("programs", "W0441", "`membar check --help` says what each option is for"),
    CONFIRMED: _Kind("a witness to confirm (--confirm)", "W1448", "the witness names the property"),
    LIFTED: _Kind(
        "any number of threads (--threads any)", "W0434", "`--threads any` checks assertions and memory only"
    ),
    CLIENTS: _Kind(
        "clients of an object (--client)",
        "W1353",
        "`--client` checks linearizability, assertions, memory and, if the model defines them, races",
    ),
    SYSTEM: _Kind(
        "systems for any number of processes",
        "W0408",
        "a system for any number of processes states its own property, `unsafe`",
    ),
    PROOF: _Kind(
        "proofs of objects (.obj)",
        "W1317",
        "objects are checked for linearizability, by annotations or with --client",
    ),
}


# What to do instead, where that is not plain from the table.
_HELP: Final[Mapping[str, str]] = {
    "--order": "--client 2,3 checks all clients with 2 threads and at most 3 calls each",
    "--spec": "--client 2,3 checks all clients with 2 threads and at most 3 calls each",
    "--infer": "it infers the invariants of an object (.obj)",
    "--shortest": f"--engine {FOR_BUFFERS[0]} finds shortest runs",
    "--buffers": f"--engine {FOR_BUFFERS[0]} runs store buffers;"
    f" --buffers unbounded is for the engine {FOR_UNBOUNDED_BUFFERS[0]}",
}
# Codes that an option has of its own, for programs.
_CODES: Final[Mapping[str, str]] = {
    "--order": "W1354",
    "--spec": "W1354",
    "--infer": "W1317",
    "--shortest": "W0436",
}
# Options that ask something.
_QUESTIONS: Final = frozenset({"--property", "--property-file", "--error", "--ltl", "--fair", "--dve-errors"})


def refuse_outside(kind: str, given: Iterable[str]) -> None:
    """Refuses the options that do not apply to a kind of question.

    Raises:
        InputError: one of them does not.
    """
    for option in given:
        if option in BY_NAME and kind not in BY_NAME[option].kinds:
            what = _KINDS[kind]
            code = _CODES.get(option, what.code) if kind == PROGRAM else what.code
            message = f"{option} does not apply to {what.name}"
            raise refusal(code, message, help=_help_outside(kind, option))


def _help_outside(kind: str, option: str) -> str:
    """Where an option applies; for an option that selects something, what is checked instead."""
    if kind == PROGRAM and option in _HELP:
        return _HELP[option]
    if option in _QUESTIONS:
        return _KINDS[kind].asked
    if kind != PROGRAM and BY_NAME[option].by_engines:
        return f"{option} works with {_list_names(_engines_with(option))}"
    where = _list_names([_KINDS[each].name for each in _KINDS if each in BY_NAME[option].kinds])
    return f"it applies to {where}"


def _list_names(names: Sequence[str]) -> str:
    """`graphs, reference and states`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def refuse_for_language(language: str, given: Iterable[str]) -> None:
    """Refuses the options that do not apply to a language.

    Raises:
        InputError: one of them does not.
    """
    for option in given:
        languages = BY_NAME[option].languages if option in BY_NAME else ()
        if languages and language not in languages:
            message = f"{option} does not apply to {language} files"
            help_ = f"it is for {' and '.join(sorted(languages))}"
            raise refusal("W0413", message, help=help_)


_WITH_INCLUDES = frozenset({"C", "C++", "Promela"})


def refuse_includes(language: str, model: str | None) -> None:
    """Refuses `-I` if nothing includes files: neither the language nor a model of the user's own.

    Raises:
        InputError: so it is.
    """
    if language not in _WITH_INCLUDES and (model is None or "." not in model):
        message = f"-I does not apply to {language} files under a shipped model"
        help_ = "it is searched for includes of C, C++, Promela and cat files"
        raise refusal("W0413", message, help=help_)


def refuse_explanation_as_data() -> None:
    """Refuses `--explain` together with an output format that cannot contain it.

    Raises:
        InputError: always.
    """
    message = "--explain does not apply to --herd, nor to the --json of a repair: its output is for people"
    raise refusal("W0400", message, help="use one of them at a time")


def refuse_for_engine(engine: str, options: Options) -> None:
    """Refuses given options that an engine does not use.

    Raises:
        InputError: one of them was.
    """
    for option in options_of(options):
        if not _looks_at(engine, option):
            raise _misplaced_in_engine(option, engine)


def refuse_for_engines(engines: Collection[str], options: Options) -> None:
    """Refuses given options that none of several engines uses.

    Raises:
        InputError: one of them was.
    """
    for option in options_of(options):
        if engines and not any(_looks_at(engine, option) for engine in engines):
            raise _misplaced_in_engine(option, " and ".join(engines))


def _capabilities(engine: str) -> Capabilities:
    found = plugins.record("membar.engines", engine, attribute="ENGINE")
    can: Capabilities = found.can  # type: ignore[attr-defined]  # both kinds of engines have them
    return can


def _looks_at(engine: str, option: str) -> bool:
    return not BY_NAME[option].by_engines or option in _capabilities(engine).options


def _engines_with(option: str) -> list[str]:
    return [name for name in plugins.names("membar.engines") if option in _capabilities(name).options]


def _misplaced_in_engine(option: str, engine: str) -> InputError:
    message = f"{option} does not apply to the engine {engine}"
    help_ = _HELP.get(option, f"it is for {_list_names(_engines_with(option))}")
    return refusal(_CODES.get(option, "W0442"), message, help=help_)


def options_of(options: Options) -> Iterator[str]:
    """The given options, as they are named on the command line."""
    if options.buffers_chosen_by_user or options.unbounded_buffers:
        yield "--buffers"
    if options.unrolling.chosen_by_user:
        yield "--unroll" if options.unrolling.exact is not None else "--max-unroll"
    if options.coherence_chosen_by_user:
        yield "--coherence"
    if options.algorithm is not None:
        yield "--algorithm"
    if options.symmetric:
        yield "--symmetric"
    if options.shortest:
        yield "--shortest"
    if options.bitstate:
        yield "--bitstate"
    if options.jobs > 1:
        yield "--jobs"
    if options.brab is not None:
        yield "--brab"
    yield from (f"--no-{name}" for name in REDUCTIONS if name in options.reductions_off)


def for_engine(engine: str, options: Options) -> Options:
    """The options without those that an engine does not use: one of several engines may ignore some."""
    for option in options_of(options):
        if not _looks_at(engine, option):
            options = _without_option(options, option)
    return options


def _without_option(options: Options, option: str) -> Options:
    match option:
        case "--buffers":
            return replace(options, buffers=None, buffers_chosen_by_user=False, unbounded_buffers=False)
        case "--unroll" | "--max-unroll":
            return replace(options, unrolling=Unrolling())
        case "--coherence":
            return replace(options, coherence=Coherence.ALL, coherence_chosen_by_user=False)
        case "--jobs":
            return replace(options, jobs=1)
        case "--symmetric":
            return replace(options, symmetric=())
        case "--shortest":
            return replace(options, shortest=False)
        case "--bitstate":
            return replace(options, bitstate=False)
        case "--algorithm":
            return replace(options, algorithm=None)
        case _:
            off = options.reductions_off - {option.removeprefix("--no-")}
            return replace(options, reductions_off=off)


# Options that would have no effect on the answer about a file.

_RUN_BY_STATES: Final = ("Promela", "DVE")


def refuse_without_effect(task: Task, engine: str, given: Collection[str]) -> None:
    """Refuses options that have no effect on a program under a model.

    Args:
        task: the question, with options and limits as they were given.
        engine: the one that answers.
        given: the options that were given, such as `--atomic-rule`.

    Raises:
        InputError: with the first of them.
    """
    found = (
        *_about_runs(task.program, task.options),
        *_about_buffers(task, given),
        *_about_procedures(task, engine),
        *_about_lists(task, engine),
        *_about_explanations(task, given),
    )
    for message, help_ in found:
        raise refusal("W0442", message, help=help_)


def refuse_limits(engine: str, limits: Limits, task: Task | None = None) -> None:
    """Refuses a limit on a quantity that an engine does not count or use, for a program (`task`).

    Raises:
        InputError: there is one.
    """
    if limits.disk is not None and not (_is_engine(engine) and _capabilities(engine).uses_disk):
        message = f"--limit disk does not apply to the engine {engine}, which keeps everything in memory"
        raise refusal("W0442", message, help="--limit memory does")
    if limits.disk is not None and limits.memory is None:
        message = "--limit disk has no effect without --limit memory"
        help_ = "states move to disk when memory is full: --limit memory=2G,disk=20G"
        raise refusal("W0442", message, help=help_)
    if limits.states is None and limits.executions is None:
        return
    counted = _counted_units(engine, task)
    given = {"states": limits.states, "executions": limits.executions}
    for kind in (kind for kind, limit in given.items() if limit is not None and kind not in counted):
        message = f"--limit {kind} does not apply to the engine {engine}"
        message += f", which counts {' and '.join(counted)} here" if _depends_on_task(engine) else ""
        others = [f"--limit {other}=N" for other in (*counted, "time", "memory")]
        help_ = f"{others[0]} does" if counted else f"{' and '.join(others)} do"
        raise refusal("W0442", message, help=help_)


def _counted_units(engine: str, task: Task | None) -> tuple[str, ...]:
    """Which of states and executions an engine counts."""
    if not _is_engine(engine):
        return ()
    space = _capabilities(engine).space(task)
    return ("states", "executions") if space is None else (space.value,)


def _depends_on_task(engine: str) -> bool:
    return _is_engine(engine) and _capabilities(engine).space(None) is None


def _is_engine(engine: str) -> bool:
    """Whether something searches under this name: proofs of objects do not."""
    return engine in plugins.names("membar.engines")


def _about_runs(program: Program, options: Options) -> Iterator[tuple[str, str]]:
    if options.fair != Options().fair and not program.asks_about_states:
        message = f"--fair does not apply to {program.name}: it makes no claim about runs"
        yield message, "--ltl, `ltl` formulas, `never` claims and property processes do"


def _about_buffers(task: Task, given: Collection[str]) -> Iterator[tuple[str, str]]:
    """Except in Promela and DVE, a buffer bound also selects a machine instead of axioms."""
    if task.model.operational is not Operational.SC or task.program.language not in _RUN_BY_STATES:
        return
    options = task.options
    bounds = ["--buffers"] if options.buffers_chosen_by_user or options.unbounded_buffers else []
    for option in (*bounds, *(each for each in ("--atomic", "--atomic-rule") if each in given)):
        message = f"{option} does not apply to {task.model.name}: it has no store buffers"
        yield message, "choose a model with store buffers: x86-tso, pso or cam"


def _about_procedures(task: Task, engine: str) -> Iterator[tuple[str, str]]:
    if task.options.algorithm == "generic" and engine == FOR_UNBOUNDED_BUFFERS[0]:
        yield f"--algorithm generic does not apply to the engine {engine}", "choose forward or backward"


def _about_lists(task: Task, engine: str) -> Iterator[tuple[str, str]]:
    is_listed = _capabilities(engine).lists_all or task.program.condition is not None
    if task.options.all_executions and not is_listed:
        message = f"--all does not apply to {task.program.name}"
        message += f": without a final condition, the engine {engine} lists nothing"
        yield message, f"--engine {FOR_AXIOMS[0]} lists executions, where the model has axioms"


def _about_explanations(task: Task, given: Collection[str]) -> Iterator[tuple[str, str]]:
    if "--explain" not in given and "--outcome" not in given:
        return
    help_ = "it says which axiom of the model forbids what a final condition asks about"
    if task.program.condition is None and "--outcome" not in given:
        help_ = f"{help_}; `--outcome 'x=0 && y=1'` names values to ask about instead"
        yield f"--explain does not apply to {task.program.name}: it has no final condition", help_
    elif task.model.plan is None:
        yield f"--explain does not apply to {task.model.name}: it has no axioms", help_
