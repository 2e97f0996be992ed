"""Does a parameterized system reach none of its unsafe states, with any number of processes?

Before an answer is shown, the reference simulator replays a violation, z3 checks a proof, and instances with
a few processes are compared.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from membar import plugins
from membar.diagnostics import EngineLimitError, refusal
from membar.engines import SystemEngine
from membar.languages import SystemFrontend
from membar.languages.registry import language_of, load_model
from membar.limits.budget import LimitError, stage, time_reason
from membar.models.model import Model
from membar.questions import refusals
from membar.questions.answer import Answer, Invariant, make_answer
from membar.questions.default_engines import FOR_INSTANCES, FOR_SYSTEMS
from membar.questions.outcome import (
    INTERRUPTED,
    WORDS,
    Holds,
    HoldsWithin,
    InterruptedAnswerError,
    InterruptError,
    Outcome,
    Run,
    Unknown,
    Violated,
    with_findings,
    with_notes,
)
from membar.questions.question import Question
from membar.questions.task import SystemTask
from membar.records import record, replace
from membar.source import SourceFile
from membar.systems.mapping import sequential
from membar.systems.run import ProcessRun
from membar.systems.system import ParameterizedSystem

if TYPE_CHECKING:
    from pathlib import Path

    from membar.text.edits import EditSite

# How many states of an instance are compared with an answer before that is given up, and says so.
_MOST_STATES = 200_000
_NOTHING = "none"


@record(frozen=True, slots=True, kw_only=True)
class SystemSafety(Question):
    """Whether a system reaches none of its unsafe states, with any number of processes.

    The model is `sc` or `x86-tso`; by default x86-tso if the system has weak memory.

    Attributes:
        engine: by default `cubes`.
    """

    engine: str | None = None

    def answer(self) -> Answer:
        """The answer, confirmed independently."""
        frontend = _frontend(self.source)
        with stage("while reading the program"):
            system = frontend.parse(self.source)
        named = self.model or frontend.default_model(system)
        model = load_model(named, include_dirs=self.include_dirs)
        task = SystemTask(system=system, model=model, limits=self.limits, options=self.options)
        engine = load_system_engine(self.engine or _known_engines()[0])
        refusals.refuse_for_engine(engine.name, task.options)
        refusals.refuse_limits(engine.name, task.limits)
        try:
            outcome = confirmed_outcome(task, engine)
        except InterruptError as interrupt:
            partial = with_findings(interrupt.outcome, ("errors",))
            raise InterruptedAnswerError(system_answer(self, task, partial)) from None
        return system_answer(self, task, with_findings(outcome, ("errors",)))


def system_answer(
    question: Question, task: SystemTask, outcome: Outcome, *, source: SourceFile | None = None
) -> Answer:
    """The answer about a system; a proof is its own evidence."""
    evidence = Invariant(outcome.proof) if isinstance(outcome, Holds) else None
    return make_answer(question, task.system, task.model, outcome, source=source, evidence=evidence)


def is_system(source: SourceFile | str | Path) -> bool:
    """Whether a file is a system for any number of processes, by its suffix."""
    text = source if isinstance(source, SourceFile) else SourceFile(str(source), "")
    return isinstance(language_of(text), SystemFrontend)


def parse_system(source: SourceFile) -> ParameterizedSystem:
    """The system in a file.

    Raises:
        InputError: with every problem found in the text.
    """
    return _frontend(source).parse(source)


def edit_sites(source: SourceFile) -> tuple[EditSite, ...]:
    """Where a system can be made stronger."""
    return _frontend(source).edit_sites(source)


def default_model(source: SourceFile) -> str:
    """The model checked when the user names none."""
    frontend = _frontend(source)
    return frontend.default_model(frontend.parse(source))


def _frontend(source: SourceFile) -> SystemFrontend:
    found = language_of(source)
    if isinstance(found, SystemFrontend):
        return found
    raise refusal(
        "W0406",
        f"`{source.path}` is a program, not a system for any number of processes",
        help="check it with `membar check`, or `membar.check` in Python",
    )


def load_system_engine(name: str) -> SystemEngine:
    """The engine for systems called `name`."""
    found = plugins.record("membar.engines", name, attribute="ENGINE")
    if isinstance(found, SystemEngine):
        return found
    raise refusal(
        "W0407",
        f"the engine {name} takes programs, not systems for any number of processes",
        help=f"engines for such systems: {', '.join(_known_engines())}",
    )


def _known_engines() -> tuple[str, ...]:
    return tuple(name for name in FOR_SYSTEMS if name in plugins.names("membar.engines"))


def confirmed_outcome(task: SystemTask, engine: SystemEngine, *, most_states: int = _MOST_STATES) -> Outcome:
    """The engine's outcome, confirmed independently.

    Of each instance that it is compared with at most `most_states` states are looked at, and no longer than
    the task's limit allows.

    Raises:
        InterruptError: Ctrl-C, with what was found until then.
    """
    start = time.monotonic()
    nothing = Run(model=task.model.name, engine=engine.name, algorithm="none", guarantee=_NOTHING)
    found: Outcome = Unknown(nothing, INTERRUPTED)
    try:
        with stage("during the search"):
            found = engine.run(replace(task, limits=task.limits.remaining()))
        with stage("while confirming the answer"):
            outcome = _confirm(found, task, start)
            if engine.can.runs_instances:
                return outcome
            return _compare_with_instances(outcome, task, start, most_states)
    except (EngineLimitError, LimitError) as limit:
        return Unknown(nothing, limit.reason)
    except InterruptError:
        raise
    except KeyboardInterrupt:
        if not isinstance(found, Unknown):
            reason = f"{INTERRUPTED} before the answer of the search, {WORDS[type(found)]}, was confirmed"
            found = reject_outcome(found, reason)
        raise InterruptError(found) from None


def _confirm(outcome: Outcome, task: SystemTask, start: float) -> Outcome:
    """The outcome, if its run replays and its proof is valid."""
    if isinstance(outcome, Violated) and outcome.processes is not None:
        mismatch = replay(task.system, task.model, outcome.processes)
        if mismatch is not None:
            reason = f"internal error, please report: the run does not replay ({mismatch})"
            return reject_outcome(outcome, reason)
    if isinstance(outcome, Holds):
        return _certify(outcome, task, start)
    return outcome


def reject_outcome(outcome: Outcome, reason: str) -> Unknown:
    """UNKNOWN instead of an outcome that was not confirmed."""
    return Unknown(replace(outcome.run, guarantee=_NOTHING), reason)


def replay(system: ParameterizedSystem, model: Model, run: ProcessRun) -> str | None:
    """Why a run is not a run of the system into an unsafe state under the model; None if it is one."""
    from membar.engines.instances import has_store_buffers  # noqa: PLC0415 - most answers have no run
    from membar.engines.instances.runs import mismatch  # noqa: PLC0415
    from membar.engines.instances.search import machine  # noqa: PLC0415

    if system.size not in (None, run.processes):
        return f"the system has {system.size} processes"
    return mismatch(machine(system, run.processes, buffered=has_store_buffers(model)), run)


def _certify(outcome: Holds, task: SystemTask, start: float) -> Outcome:
    """A proof that z3 has checked; otherwise UNKNOWN."""
    from membar.engines.instances import has_store_buffers  # noqa: PLC0415
    from membar.evidence.certificates.check import certify  # noqa: PLC0415 - brings z3 along

    limit = task.limits.seconds

    def should_stop() -> bool:
        return limit is not None and time.monotonic() - start > limit

    system = task.system if has_store_buffers(task.model) else sequential(task.system)
    certificate = certify(system, outcome.proof, should_stop=should_stop)
    if certificate.problem is not None and should_stop():
        return reject_outcome(outcome, f"{time_reason(limit)} while the proof was checked by z3")
    if certificate.problem is not None:
        return reject_outcome(outcome, f"the proof was not confirmed by z3: {certificate.problem}")
    note = (
        f"proof of {certificate.cubes} {'cube' if certificate.cubes == 1 else 'cubes'} confirmed by z3:"
        f" {certificate.obligations} obligations, {certificate.seconds:.2f} s"
    )
    return with_notes(outcome, note)


def _compare_with_instances(outcome: Outcome, task: SystemTask, start: float, most_states: int) -> Outcome:
    """The outcome, compared with those of instances; a disagreement is an internal error."""
    if not task.options.instances:
        return outcome
    instances = load_system_engine(FOR_INSTANCES[0])
    notes: list[str] = []
    for number in task.options.instances:
        if task.system.size not in (None, number):
            notes.append(f"{number} processes: the system has {task.system.size}")
            continue
        seconds = task.limits.seconds
        if seconds is not None:
            seconds = max(seconds - (time.monotonic() - start), 0.0)
        limits = replace(task.limits, states=task.limits.states or most_states, seconds=seconds)
        small = replace(task, limits=limits, options=replace(task.options, instances=(number,)))
        found = instances.run(small)
        if _disagree(outcome, found, number):
            reason = f"internal error, please report: {number} processes are {WORDS[type(found)]}"
            return reject_outcome(outcome, f"{reason}, but the answer was {WORDS[type(outcome)]}")
        if isinstance(outcome, Unknown) and isinstance(found, Violated):
            return _confirm(with_notes(found, f"for any number: {outcome.reason}"), task, start)
        notes.append(_note(found, number))
    return with_notes(outcome, *notes)


def _disagree(outcome: Outcome, instance: Outcome, number: int) -> bool:
    if isinstance(outcome, Holds):
        return isinstance(instance, Violated)
    if not isinstance(outcome, Violated) or outcome.processes is None:
        return False
    return outcome.processes.processes == number and isinstance(instance, HoldsWithin)


def _note(found: Outcome, number: int) -> str:
    states = found.run.statistics.states
    match found:
        case HoldsWithin():
            return f"{number} processes: safe, {states} states"
        case Violated():
            return f"{number} processes: an unsafe state is reached, {states} states"
        case Unknown(reason=reason):
            return f"{number} processes: not answered, {reason.removeprefix(f'{number} processes: ')}"
        case _:
            return f"{number} processes: {WORDS[type(found)]}"


def certificate_text(result: Answer) -> str:
    """The obligations of a proof as SMT-LIB.

    Raises:
        InputError: there is no proof.
    """
    from membar.engines.instances import has_store_buffers  # noqa: PLC0415
    from membar.evidence.certificates.check import script  # noqa: PLC0415 - brings z3 along

    if not isinstance(result.evidence, Invariant):
        raise refusal(
            "W0409", f"`{result.source.path}` has no proof to write", help=f"the verdict is {result.verdict}"
        )
    system = result.system if has_store_buffers(result.model) else sequential(result.system)
    return script(system, result.evidence.cubes)
