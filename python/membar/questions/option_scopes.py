"""Which option applies where: one table, and the functions that refuse what would be ignored.

An option applies to some kinds of questions; of these, to some engines and to some languages. What is not in
the table applies everywhere (`--model`, `--limit`, `--json`, …).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from membar.diagnostics import Diagnostic, InputError
from membar.questions.task import Coherence, Options, Unrolling
from membar.records import record, replace

PROGRAM, CONFIRMED, LIFTED, CLIENTS, SYSTEM, PROOF = (
    "programs",
    "confirmed",
    "lifted",
    "clients",
    "systems",
    "objects",
)


@record(frozen=True, slots=True)
class _Kind:
    """A kind of question: what its files are called, the code of the error, and what is asked there."""

    name: str
    code: str
    asked: str


_KINDS: Final[Mapping[str, _Kind]] = {
    PROGRAM: _Kind("programs", "W0441", "`membar check --help` says what each option is for"),
    CONFIRMED: _Kind("a witness to confirm (--confirm)", "W1448", "the witness names the property"),
    LIFTED: _Kind(
        "any number of threads (--threads any)", "W0434", "what is asked: that no assertion of it fails"
    ),
    CLIENTS: _Kind(
        "clients of an object (--client)",
        "W1353",
        "what is asked: that the object is linearizable, and its use free of errors",
    ),
    SYSTEM: _Kind(
        "systems for any number of processes",
        "W0408",
        "a system for any number of processes has its own question, `unsafe`",
    ),
    PROOF: _Kind(
        "proofs of objects (.obj)",
        "W1317",
        "an object is asked whether it is linearizable, by annotations or with --client",
    ),
}


@record(frozen=True, slots=True)
class Scope:
    """Where an option applies; None: to all engines, or languages."""

    kinds: frozenset[str]
    engines: frozenset[str] | None = None
    languages: frozenset[str] | None = None


def _scope(
    *kinds: str, engines: Collection[str] | None = None, languages: Collection[str] | None = None
) -> Scope:
    return Scope(
        frozenset(kinds),
        None if engines is None else frozenset(engines),
        None if languages is None else frozenset(languages),
    )


_WITH_AXIOMS: Final = ("graphs", "reference")
_WITH_BUFFERS: Final = ("states", "buffers", "reference")
_PROVING: Final = (SYSTEM, LIFTED)
_OF_PROGRAMS: Final = (PROGRAM, CONFIRMED, LIFTED, CLIENTS)
SCOPES: Final[Mapping[str, Scope]] = {
    "--engine": _scope(PROGRAM, CLIENTS, SYSTEM, PROOF),
    "--property": _scope(PROGRAM, LIFTED),
    "--property-file": _scope(PROGRAM, languages=("C",)),
    "--error": _scope(PROGRAM),
    "--ltl": _scope(PROGRAM),
    "--fair": _scope(PROGRAM),
    "--dve-errors": _scope(PROGRAM),
    "--atomic": _scope(PROGRAM),
    "--atomic-rule": _scope(PROGRAM),
    "--buffers": _scope(PROGRAM, CLIENTS, engines=_WITH_BUFFERS),
    "--algorithm": _scope(PROGRAM, *_PROVING, engines=("buffers", "cubes")),
    "--unroll": _scope(PROGRAM, CLIENTS, engines=("graphs", "reference", "states")),
    "--max-unroll": _scope(PROGRAM, CLIENTS, engines=("graphs", "reference", "states")),
    "--coherence": _scope(PROGRAM, engines=("graphs",)),
    "--no-prune": _scope(PROGRAM, CLIENTS, engines=("graphs",)),
    "--no-symmetry": _scope(PROGRAM, engines=("graphs",)),
    "--no-inplace": _scope(PROGRAM, engines=("graphs",)),
    "--no-await": _scope(PROGRAM, CLIENTS, engines=_WITH_AXIOMS),
    "--no-sleep": _scope(PROGRAM, engines=("buffers",)),
    "--no-acceleration": _scope(PROGRAM, engines=("buffers",)),
    "--no-por": _scope(PROGRAM, CLIENTS, engines=("states",)),
    "--shortest": _scope(PROGRAM, engines=("states", "reference")),
    "--jobs": _scope(PROGRAM, CLIENTS, engines=("graphs", "states")),
    "--all": _scope(PROGRAM),
    "--herd": _scope(PROGRAM, languages=("litmus", "program text")),
    "--explain": _scope(PROGRAM, CONFIRMED),
    "--dot": _scope(PROGRAM, CONFIRMED, LIFTED, CLIENTS),
    "--svg": _scope(PROGRAM, CONFIRMED, LIFTED, CLIENTS),
    "--mapping": _scope(*_OF_PROGRAMS, languages=("C",)),
    "-I": _scope(*_OF_PROGRAMS, SYSTEM),
    "-D": _scope(*_OF_PROGRAMS, languages=("C",)),
    "--args": _scope(PROGRAM, languages=("C",)),
    "--brab": _scope(*_PROVING, engines=("cubes",)),
    "--instances": _scope(*_PROVING),
    "--certificate": _scope(*_PROVING, engines=("cubes",)),
    "--threads": _scope(LIFTED),
    "--client": _scope(CLIENTS),
    "--order": _scope(CLIENTS, PROOF),
    "--spec": _scope(CLIENTS),
    "--allow-python-spec": _scope(CLIENTS),
    "--infer": _scope(PROOF),
    "--confirm": _scope(CONFIRMED),
}
# What to do instead, where that is not plain from the table.
_HELP: Final[Mapping[str, str]] = {
    "--order": "--client 2,3 makes all clients of 2 threads with 3 operations each",
    "--spec": "--client 2,3 makes all clients of 2 threads with 3 operations each",
    "--infer": "it looks for the invariants of an object (.obj)",
    "--shortest": "--engine states looks for shortest runs",
    "--buffers": "--engine states runs store buffers; --buffers unbounded is for the engine buffers",
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
_REDUCTIONS: Final = ("prune", "symmetry", "await", "inplace", "sleep", "acceleration", "por")


def refuse_outside(kind: str, given: Iterable[str]) -> None:
    """Refuses the options that do not apply to a kind of question.

    Raises:
        InputError: one of them does not.
    """
    for option in given:
        if option in SCOPES and kind not in SCOPES[option].kinds:
            what = _KINDS[kind]
            code = _CODES.get(option, what.code) if kind == PROGRAM else what.code
            message = f"{option} does not apply to {what.name}"
            raise InputError(Diagnostic(code=code, message=message, help=_help_outside(kind, option)))


def _help_outside(kind: str, option: str) -> str:
    """Where an option applies; for one that asks something, what is asked instead."""
    if kind == PROGRAM and option in _HELP:
        return _HELP[option]
    if option in _QUESTIONS:
        return _KINDS[kind].asked
    if kind != PROGRAM and (engines := SCOPES[option].engines) is not None:
        return f"{option} works with {_listed(sorted(engines))}"
    where = _listed([_KINDS[each].name for each in _KINDS if each in SCOPES[option].kinds])
    return f"it applies to {where}"


def _listed(names: Sequence[str]) -> str:
    """`graphs, reference and states`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def refuse_for_language(language: str, given: Iterable[str]) -> None:
    """Refuses the options that do not apply to a language.

    Raises:
        InputError: one of them does not.
    """
    for option in given:
        languages = SCOPES[option].languages if option in SCOPES else None
        if languages is not None and language not in languages:
            message = f"{option} does not apply to {language} files"
            help_ = f"it is for {' and '.join(sorted(languages))}"
            raise InputError(Diagnostic(code="W0413", message=message, help=help_))


_WITH_INCLUDES = frozenset({"C", "Promela"})


def refuse_includes(language: str, model: str | None) -> None:
    """Refuses `-I` where nothing includes files: neither the language nor a model of the user's own.

    Raises:
        InputError: so it is.
    """
    if language not in _WITH_INCLUDES and (model is None or "." not in model):
        message = f"-I does not apply to {language} files under a shipped model"
        help_ = "it is searched for includes of C, Promela and cat files"
        raise InputError(Diagnostic(code="W0413", message=message, help=help_))


def refuse_explanation_as_data() -> None:
    """Refuses `--explain` beside a form for machines.

    Raises:
        InputError: always.
    """
    message = "--explain does not apply to --json and --herd: it is text for people"
    raise InputError(Diagnostic(code="W0400", message=message, help="ask once with each of them"))


def refuse_for_engine(engine: str, options: Options) -> None:
    """Refuses options that were chosen and that an engine does not look at.

    Raises:
        InputError: one of them was.
    """
    for option in options_of(options):
        engines = SCOPES[option].engines
        if engines is not None and engine not in engines:
            raise _misplaced_in_engine(option, engine, engines)


def refuse_for_engines(engines: Collection[str], options: Options) -> None:
    """Refuses options that were chosen and that none of several engines looks at.

    Raises:
        InputError: one of them was.
    """
    for option in options_of(options):
        known = SCOPES[option].engines
        if engines and known is not None and not known & set(engines):
            raise _misplaced_in_engine(option, " and ".join(engines), known)


def _misplaced_in_engine(option: str, engine: str, known: Collection[str]) -> InputError:
    message = f"{option} does not apply to the engine {engine}"
    help_ = _HELP.get(option, f"it is for {_listed(sorted(known))}")
    return InputError(Diagnostic(code=_CODES.get(option, "W0442"), message=message, help=help_))


def options_of(options: Options) -> Iterator[str]:
    """The options that were chosen, as the command line calls them."""
    if options.buffers_chosen_by_user or options.unbounded_buffers:
        yield "--buffers"
    if options.unrolling.chosen_by_user:
        yield "--unroll" if options.unrolling.exact is not None else "--max-unroll"
    if options.coherence_chosen_by_user:
        yield "--coherence"
    if options.algorithm is not None:
        yield "--algorithm"
    if options.shortest:
        yield "--shortest"
    if options.jobs > 1:
        yield "--jobs"
    if options.brab is not None:
        yield "--brab"
    yield from (f"--no-{name}" for name in _REDUCTIONS if name in options.reductions_off)


def for_engine(engine: str, options: Options) -> Options:
    """The options without those that an engine does not look at: one of several engines may ignore some."""
    for option in options_of(options):
        engines = SCOPES[option].engines
        if engines is not None and engine not in engines:
            options = _without(options, option)
    return options


def _without(options: Options, option: str) -> Options:
    match option:
        case "--buffers":
            return replace(options, buffers=None, buffers_chosen_by_user=False, unbounded_buffers=False)
        case "--unroll" | "--max-unroll":
            return replace(options, unrolling=Unrolling())
        case "--coherence":
            return replace(options, coherence=Coherence.ALL, coherence_chosen_by_user=False)
        case "--jobs":
            return replace(options, jobs=1)
        case "--shortest":
            return replace(options, shortest=False)
        case "--algorithm":
            return replace(options, algorithm=None)
        case _:
            off = options.reductions_off - {option.removeprefix("--no-")}
            return replace(options, reductions_off=off)
