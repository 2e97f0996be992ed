"""Is a program correct with any number of threads?

Text → Template → ParameterizedSystem → the engine `cubes`. The system over-approximates the program, so a
proof of the system is a proof of the program. A violation is reported only after the engine `states` has
found it in the program itself, with that number of threads.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from typing import Final

from membar.diagnostics import EngineLimitError, refusal
from membar.engines.instances import has_store_buffers
from membar.engines.reference.state import FENCES, FenceEffect
from membar.languages import Frontend
from membar.languages.registry import language_of, load_model
from membar.models.model import Model, Operational
from membar.program.operations import Fence
from membar.program.remove_warnings import without_warnings
from membar.program.template import Template
from membar.questions import refusals
from membar.questions.answer import Answer, Reading, make_answer
from membar.questions.default_engines import FOR_BUFFERS, FOR_SYSTEMS
from membar.questions.engine_answer import answer, load_engine
from membar.questions.outcome import (
    Holds,
    InterruptedAnswerError,
    InterruptError,
    Outcome,
    Unknown,
    Violated,
    with_findings,
    with_notes,
)
from membar.questions.programs import for_model, parse
from membar.questions.question import Question
from membar.questions.system import confirmed_outcome, load_system_engine, reject_outcome, system_answer
from membar.questions.task import Limits, SystemTask, Task
from membar.records import record, replace
from membar.source import SourceFile
from membar.systems.lifting.system import build_system
from membar.systems.lifting.values import CannotLiftError
from membar.systems.system import ParameterizedSystem

DEFAULT_MODEL: Final = "x86-tso"
DEFAULT_NAME: Final = "N"
PROPERTIES: Final = ("assertions", "memory")
"""What is asked: that no assertion fails, those about memory included."""
_UNCHECKED: Final = ("deadlock", "termination")
# How many threads are tried, and how many states, where no proof is found.
_TRIED: Final = (2, 3)
_MOST_STATES: Final = 300_000
# What is tried before a proof is looked for.
_FEWEST: Final = 2
_FEW_STATES: Final = 20_000
_GUARANTEE: Final = "any number of threads"


@record(frozen=True, slots=True, kw_only=True)
class AnyThreads(Question):
    """Whether no assertion of a program fails, whatever the number of its threads.

    The model is `sc` or `x86-tso`, which is the default.

    Attributes:
        threads: what the text calls the number of threads: a macro, for C.
        properties: `assertions`, `memory` or both.
        defines: macros for C, `NAME` or `NAME=VALUE`.
        mapping: the compiler's table for C; by default the model's own.
    """

    threads: str = DEFAULT_NAME
    properties: Collection[str] | None = None
    defines: Sequence[str] = ()
    mapping: str | None = None

    @property
    def default_model(self) -> str:
        """The model if none is named."""
        return DEFAULT_MODEL

    @property
    def asked_by_name(self) -> tuple[str, ...]:
        """The properties that were selected by name."""
        return tuple(self.properties or ())

    def programs_of(self, source: SourceFile) -> tuple[SourceFile, ...]:
        """Another text of the question, as a program with two threads."""
        return (concrete(source, self.threads, 2),)

    def answer(self) -> Answer:
        """A proof about the lifted system, or a violation of the program with a few threads."""
        refusals.refuse_limits(FOR_SYSTEMS[0], self.limits)
        model = load_model(self.model or DEFAULT_MODEL)
        search = _Search(
            question=self,
            text=self.source_with(defines=self.defines).compiled_for(self.mapping or model.claims.mapping),
            model=model,
            properties=_properties_to_check(self.properties),
            started=time.monotonic(),
        )
        return _answer(search)


@record(frozen=True, slots=True, kw_only=True)
class _Search:
    """A question, and everything that was read for it."""

    question: AnyThreads
    text: SourceFile
    model: Model
    properties: tuple[str, ...]
    started: float

    @property
    def remaining_limits(self) -> Limits:
        """The limits for the remaining work."""
        return self.question.limits.after(time.monotonic() - self.started)


def template_of(text: SourceFile, name: str, model: Model, *, mapping: str | None = None) -> Template:
    """The program for any number of threads, as the model sees it."""
    frontend = language_of(text)
    if not isinstance(frontend, Frontend) or frontend.template is None:
        raise refusal(
            "W0431",
            f"--threads any does not apply to `{text.path}`",
            help="it is for C files; `.cub` files always have any number of processes",
        )
    if any(item.split("=", 1)[0] == name for item in text.defines):
        raise refusal(
            "W0431",
            f"`-D {name}` has no effect: --threads any proves it for every {name}",
            help=f"leave out `-D {name}`, or `--threads any`",
        )
    template = frontend.template(text, name)
    program = for_model(template.program, model, mapping=mapping)
    return replace(template, program=without_warnings(program))


def system_of(
    text: SourceFile,
    name: str = DEFAULT_NAME,
    *,
    model: Model,
    properties: Collection[str] = PROPERTIES,
    mapping: str | None = None,
) -> ParameterizedSystem:
    """The parameterized system of a program with any number of threads."""
    template = template_of(text, name, model, mapping=mapping)
    return build_system(template, drains=_drains_buffer_under(model), properties=properties)


def _properties_to_check(properties: Collection[str] | None) -> tuple[str, ...]:
    chosen = PROPERTIES if properties is None else tuple(properties)
    for one in chosen:
        if one not in PROPERTIES:
            raise refusal(
                "W0432",
                f"the property {one} cannot be checked for any number of threads",
                help=f"these can: {', '.join(PROPERTIES)}",
            )
    if not chosen:
        raise refusal("W0432", "`--threads any` needs at least one property")
    return chosen


def _drains_buffer_under(model: Model) -> Callable[[Fence], bool]:
    """Whether a fence drains the buffer, under the model."""
    effects = FENCES.get(model.operational, {}) if model.operational is not None else {}

    def drains(fence: Fence) -> bool:
        if model.operational is Operational.SC:
            return False
        found = [effects.get(tag) for tag in fence.tags]
        if None in found or FenceEffect.DRAIN_ALL in found:
            raise CannotLiftError(f"the fence {', '.join(sorted(fence.tags))}")
        return FenceEffect.DRAIN in found

    return drains


def _answer(search: _Search) -> Answer:
    try:
        has_store_buffers(search.model)
    except EngineLimitError as limit:
        raise refusal(
            "W0433",
            f"membar cannot prove programs for any number of threads under {search.model.name}",
            help=limit.reason,
        ) from None
    system = system_of(
        search.text,
        search.question.threads,
        model=search.model,
        properties=search.properties,
        mapping=search.question.mapping,
    )
    early = _violation(search, _FEWEST, most=_FEW_STATES)  # most mistakes need no more
    if early is not None:
        return early
    task = SystemTask(
        system=system, model=search.model, limits=search.question.limits, options=search.question.options
    )
    try:
        outcome = confirmed_outcome(task, load_system_engine(FOR_SYSTEMS[0]), most_states=_FEW_STATES)
    except InterruptError as interrupt:
        partial = _describe(interrupt.outcome, system)
        raise InterruptedAnswerError(_result(search, system, partial)) from None
    outcome = _describe(outcome, system)
    match outcome:
        case Violated(processes=run) if run is not None:
            return _confirm(outcome, run.processes, search, system)
        case Unknown():
            return _try_few_threads(outcome, search, system)
        case _:
            return _compare_with_instances(outcome, search, system)


def _describe(outcome: Outcome, system: ParameterizedSystem) -> Outcome:
    run = outcome.run
    size = f"{len(system.transitions)} transitions and {len(system.symbols)} variables and arrays"
    note = f"lifted to a system with {size}"
    described = replace(
        run,
        guarantee=_GUARANTEE if isinstance(outcome, Holds) else run.guarantee,
        notes=(note, *run.notes),
    )
    return replace(outcome, run=described)


def concrete(text: SourceFile, name: str, number: int) -> SourceFile:
    """The program text with a concrete number of threads."""
    defines = tuple(item for item in text.defines if item.split("=", 1)[0] != name)
    return replace(text, defines=(*defines, f"{name}={number}"))


def _with(search: _Search, number: int, *, most: int = _MOST_STATES) -> Answer:
    """The answer about the program with a concrete number of threads."""
    text, limits = concrete(search.text, search.question.threads, number), search.remaining_limits
    program = for_model(parse(text), search.model, mapping=search.question.mapping)
    task = Task(
        program=without_warnings(program),
        model=search.model,
        properties=search.properties,
        limits=replace(limits, states=min(limits.states or most, most)),
    )
    outcome = answer(task, load_engine(FOR_BUFFERS[0]))
    reading = Reading(mapping=search.question.mapping)
    return make_answer(search.question, task.program, search.model, outcome, source=text, reading=reading)


def _confirm(outcome: Violated, number: int, search: _Search, system: ParameterizedSystem) -> Answer:
    """The violation, as a run of the program itself; otherwise UNKNOWN."""
    for threads in (number, number + 1):
        found = _violation(search, threads)
        if found is not None:
            return found
    reason = (
        f"the lifted system, which can do more, fails with {number} processes, but no failing run of the"
        f" program with {number} threads was found"
    )
    return _result(search, system, reject_outcome(outcome, reason))


def _violation(search: _Search, number: int, *, most: int = _MOST_STATES) -> Answer | None:
    found = _with(search, number, most=most)
    if not isinstance(found.outcome, Violated):
        return None
    note = f"checked for any number of threads: {number} suffice (-D {search.question.threads}={number})"
    return replace(found, outcome=with_notes(found.outcome, note))


def _try_few_threads(outcome: Unknown, search: _Search, system: ParameterizedSystem) -> Answer:
    """UNKNOWN, unless the program fails with a few threads already."""
    for number in _TRIED:
        found = _violation(search, number)
        if found is not None:
            return found
    return _result(search, system, outcome)


def _result(search: _Search, system: ParameterizedSystem, outcome: Outcome) -> Answer:
    why = "it is not checked for any number of threads"
    found = with_findings(outcome, search.properties, unchecked=_UNCHECKED, why=why)
    return system_answer(search.question, _system_task(search, system), found, source=search.text)


def _system_task(search: _Search, system: ParameterizedSystem) -> SystemTask:
    question = search.question
    return SystemTask(system=system, model=search.model, limits=question.limits, options=question.options)


def _compare_with_instances(outcome: Outcome, search: _Search, system: ParameterizedSystem) -> Answer:
    """The proof, compared with the program with the requested numbers of threads."""
    notes = []
    for number in search.question.options.instances:
        found = _with(search, number)
        if isinstance(outcome, Holds) and isinstance(found.outcome, Violated):
            reason = f"internal error, please report: the program with {number} threads is violated"
            outcome = reject_outcome(outcome, f"{reason}, but the answer was holds")
            break
        states = found.outcome.run.statistics.states
        notes.append(f"the program with {number} threads: {found.verdict}, {states} states")
    return _result(search, system, with_notes(outcome, *notes))
