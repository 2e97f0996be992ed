"""`check_any`: whether a program is right with any number of threads. Built on `check` and `prove`.

Text → Template → ParameterizedSystem → the engine `cubes`. The system can do all that the program can, and a
little more: so a proof is one of the program, while a violation is only believed once the program itself,
with as many threads, was seen to do it by the engine `states`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

from membar.diagnostics import Diagnostic, EngineLimitError, InputError
from membar.engines.instances import buffered
from membar.engines.reference.state import FENCES, FenceEffect
from membar.languages import Frontend
from membar.models.model import Model, Operational
from membar.program.operations import Fence
from membar.program.template import Template
from membar.program.warnings import without_warnings
from membar.questions import api, proving
from membar.questions.outcome import Holds, Outcome, Unknown, Violated, with_findings
from membar.questions.task import Limits, Options, SystemTask, Task, counted
from membar.source import SourceFile
from membar.systems.lifting.system import lifted
from membar.systems.lifting.values import CannotLiftError
from membar.systems.system import ParameterizedSystem

DEFAULT_MODEL: Final = "x86-tso"
DEFAULT_NAME: Final = "N"
PROPERTIES: Final = ("assertions", "memory")
"""What is asked: that no assertion fails, those about memory included."""
_UNCHECKED: Final = ("deadlock", "termination")
_WITNESSING: Final = "states"
# How many threads are tried, and how many states, where no proof is found.
_TRIED: Final = (2, 3)
_MOST_STATES: Final = 300_000
# What is tried before a proof is looked for.
_FEWEST: Final = 2
_FEW_STATES: Final = 20_000
_GUARANTEE: Final = "any number of threads"

Answer: TypeAlias = "proving.SystemResult | api.Result"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """A text, and all that was said about how to ask."""

    text: SourceFile
    name: str
    model: Model
    properties: tuple[str, ...]
    mapping: str | None
    limits: Limits
    options: Options
    started: float

    @property
    def left(self) -> Limits:
        """The limits for what is still to do."""
        if self.limits.seconds is None:
            return self.limits
        used = time.monotonic() - self.started
        return replace(self.limits, seconds=max(self.limits.seconds - used, 0.1))


@counted
def check_any(
    source: SourceFile | str | Path,
    *,
    name: str = DEFAULT_NAME,
    model: Model | str | None = None,
    properties: Collection[str] | None = None,
    limits: Limits | None = None,
    options: Options | None = None,
    include_dirs: Sequence[Path] = (),
    defines: Sequence[str] = (),
    mapping: str | None = None,
) -> Answer:
    """Whether no assertion of a program fails, whatever the number of its threads.

    Args:
        source: a file name, or a text with a name.
        name: what the text calls the number of threads: a macro, for C.
        model: `sc` or `x86-tso`, which is the default.
        properties: `assertions`, `memory` or both.
        limits: resources; hitting one gives UNKNOWN.
        options: `brab`, `instances`.
        include_dirs: where includes are searched.
        defines: macros for C, `NAME` or `NAME=VALUE`.
        mapping: the compiler's table for C; by default the model's own.

    Raises:
        InputError: the text or an argument is wrong, or the program cannot be lifted.
        OSError: a file cannot be read.
    """
    given = source if isinstance(source, SourceFile) else SourceFile.read(source)
    folders = tuple(str(folder) for folder in include_dirs)
    text = replace(given, defines=(*given.defines, *defines), include_dirs=(*given.include_dirs, *folders))
    question = _Question(
        text=text,
        name=name,
        model=model if isinstance(model, Model) else api.load_model(model or DEFAULT_MODEL),
        properties=_asked(properties),
        mapping=mapping,
        limits=limits or Limits(),
        options=options or Options(),
        started=time.monotonic(),
    )
    return _answered(question)


def template_of(text: SourceFile, name: str, model: Model, *, mapping: str | None = None) -> Template:
    """The program for any number of threads, as the model sees it."""
    frontend = api.language_of(text)
    if not isinstance(frontend, Frontend) or frontend.template is None:
        raise InputError(
            Diagnostic(
                code="W0431",
                message=f"--threads any cannot be asked of `{text.path}`",
                help="it is for C files; `.cub` files are about any number of processes without it",
            )
        )
    template = frontend.template(text, name)
    program = api.for_model(template.program, model, mapping=mapping)
    return replace(template, program=without_warnings(program))


def system_of(
    text: SourceFile,
    name: str = DEFAULT_NAME,
    *,
    model: Model,
    properties: Collection[str] = PROPERTIES,
    mapping: str | None = None,
) -> ParameterizedSystem:
    """The system that a program is for any number of threads."""
    template = template_of(text, name, model, mapping=mapping)
    return lifted(template, drains=_draining(model), properties=properties)


def _asked(properties: Collection[str] | None) -> tuple[str, ...]:
    chosen = PROPERTIES if properties is None else tuple(properties)
    for one in chosen:
        if one not in PROPERTIES:
            raise InputError(
                Diagnostic(
                    code="W0432",
                    message=f"the property {one} cannot be asked of any number of threads",
                    help=f"these can: {', '.join(PROPERTIES)}",
                )
            )
    if not chosen:
        raise InputError(
            Diagnostic(code="W0432", message="with any number of threads something must be asked")
        )
    return chosen


def _draining(model: Model) -> Callable[[Fence], bool]:
    """Whether a fence waits for the buffer, under the model."""
    effects = FENCES.get(model.operational, {}) if model.operational is not None else {}

    def drains(fence: Fence) -> bool:
        if model.operational is Operational.SC:
            return False
        found = [effects.get(tag) for tag in fence.tags]
        if None in found or FenceEffect.DRAIN_ALL in found:
            raise CannotLiftError(f"the fence {', '.join(sorted(fence.tags))}")
        return FenceEffect.DRAIN in found

    return drains


def _answered(question: _Question) -> Answer:
    try:
        buffered(question.model)
    except EngineLimitError as limit:
        raise InputError(
            Diagnostic(
                code="W0433",
                message=f"any number of threads under {question.model.name} cannot be asked",
                help=limit.reason,
            )
        ) from None
    system = system_of(
        question.text,
        question.name,
        model=question.model,
        properties=question.properties,
        mapping=question.mapping,
    )
    early = _violation(question, _FEWEST, most=_FEW_STATES)  # most mistakes need no more
    if early is not None:
        return early
    task = SystemTask(system=system, model=question.model, limits=question.limits, options=question.options)
    outcome = proving.answer(task, proving.load_system_engine("cubes"), most_states=_FEW_STATES)
    outcome = _described(outcome, system)
    match outcome:
        case Violated(processes=run) if run is not None:
            return _confirmed(outcome, run.processes, question, system)
        case Unknown():
            return _tried(outcome, question, system)
        case _:
            return _compared(outcome, question, system)


def _described(outcome: Outcome, system: ParameterizedSystem) -> Outcome:
    run = outcome.run
    note = f"lifted to a system of {len(system.transitions)} transitions over {len(system.symbols)} symbols"
    described = replace(
        run,
        guarantee=_GUARANTEE if isinstance(outcome, Holds) else run.guarantee,
        notes=(note, *run.notes),
    )
    return replace(outcome, run=described)


def concrete(text: SourceFile, name: str, number: int) -> SourceFile:
    """The text with a number of threads."""
    defines = tuple(item for item in text.defines if item.split("=", 1)[0] != name)
    return replace(text, defines=(*defines, f"{name}={number}"))


def _with(question: _Question, number: int, *, most: int = _MOST_STATES) -> api.Result:
    """The answer about the program with a number of threads."""
    text, limits = concrete(question.text, question.name, number), question.left
    program = api.for_model(api.parse(text), question.model, mapping=question.mapping)
    task = Task(
        program=without_warnings(program),
        model=question.model,
        properties=question.properties,
        limits=replace(limits, states=min(limits.states or most, most)),
    )
    outcome = api.answer(task, api.load_engine(_WITNESSING))
    return api.Result(text, task.program, question.model, outcome, question.mapping)


def _confirmed(outcome: Violated, number: int, question: _Question, system: ParameterizedSystem) -> Answer:
    """The violation, as a run of the program itself; else UNKNOWN."""
    for threads in (number, number + 1):
        found = _violation(question, threads)
        if found is not None:
            return found
    reason = (
        f"the lifted system, which can do more, fails with {number} processes; the program with {number}"
        " threads was not seen to"
    )
    return _result(question, system, proving.unconfirmed(outcome, reason))


def _violation(question: _Question, number: int, *, most: int = _MOST_STATES) -> api.Result | None:
    found = _with(question, number, most=most)
    if not isinstance(found.outcome, Violated):
        return None
    note = f"asked about any number of threads: {number} are enough (-D {question.name}={number})"
    run = found.outcome.run
    return replace(found, outcome=replace(found.outcome, run=replace(run, notes=(*run.notes, note))))


def _tried(outcome: Unknown, question: _Question, system: ParameterizedSystem) -> Answer:
    """UNKNOWN, unless a few threads are already too many."""
    for number in _TRIED:
        found = _violation(question, number)
        if found is not None:
            return found
    return _result(question, system, outcome)


def _result(question: _Question, system: ParameterizedSystem, outcome: Outcome) -> proving.SystemResult:
    why = "it is not checked for any number of threads"
    found = with_findings(outcome, question.properties, unchecked=_UNCHECKED, why=why)
    return proving.SystemResult(question.text, system, question.model, found)


def _compared(outcome: Outcome, question: _Question, system: ParameterizedSystem) -> Answer:
    """The proof, beside the program with the numbers of threads that were asked for."""
    notes = []
    for number in question.options.instances:
        found = _with(question, number)
        if isinstance(outcome, Holds) and isinstance(found.outcome, Violated):
            reason = f"internal error, please report: the program with {number} threads is violated"
            outcome = proving.unconfirmed(outcome, f"{reason}, but the answer was holds")
            break
        states = found.outcome.run.statistics.states
        notes.append(f"the program with {number} threads: {found.verdict}, {states} states")
    run = replace(outcome.run, notes=(*outcome.run.notes, *notes))
    return _result(question, system, replace(outcome, run=run))
