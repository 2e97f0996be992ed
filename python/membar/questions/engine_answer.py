"""The answer of an engine, confirmed by the reference semantics; `default_engines.py` chooses the engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from membar import plugins
from membar.diagnostics import EngineLimitError, InputError, refusal
from membar.engines import Engine, Space
from membar.languages import DEFAULT_MODELS
from membar.languages.registry import NO_ORDER, words_of, words_of_all
from membar.limits.budget import AFTER_INTERRUPT, LimitError, limit_resources, stage
from membar.models.model import Model
from membar.program.access import COMPILED, NO_LOCATION, with_line
from membar.program.atomicity import has_wide_steps
from membar.program.dependencies import tags_of
from membar.program.grace_periods import GRACE_PERIODS
from membar.program.operations import Tags
from membar.program.program import Edge, Program
from membar.properties import EVERY
from membar.properties.judge import properties_asked
from membar.questions.outcome import (
    INTERRUPTED,
    Finding,
    Holds,
    InterruptError,
    Outcome,
    Run,
    Unknown,
    Violated,
    reject_witness,
    with_findings,
)
from membar.questions.task import Task
from membar.records import replace


def default_model(program: Program) -> str:
    """The model checked when the user names none."""
    return "sc" if program.is_joint else DEFAULT_MODELS.get(program.language, "sc")


@cache
def load_engine(name: str) -> Engine:
    """The engine for programs called `name`."""
    found = plugins.record("membar.engines", name, attribute="ENGINE")
    if isinstance(found, Engine):
        return found
    raise refusal(
        "W0407",
        f"the engine {name} takes systems for any number of processes, not programs",
        help="such systems are `.cub` files",
    )


def answer(task: Task, engine: Engine) -> Outcome:
    """The engine's outcome, after the reference semantics has replayed its witness."""
    reason = _undefined_grace_period(task.program, task.model)
    if reason is None and not _runs_buffers(task, engine):
        reason = _why_not(task)
    if reason is None:
        try:
            with stage("during the search"):
                outcome = engine.run(replace(task, limits=task.limits.remaining()))
            return confirm_witness(outcome, task)
        except (EngineLimitError, LimitError) as limit:
            reason = limit.reason
        except InputError as problem:
            reason = _unexplored_access(problem, task, engine)
            if reason is None:
                raise
        except InterruptError:
            raise
        except KeyboardInterrupt:
            raise InterruptError(Unknown(_nothing_found(task, engine), INTERRUPTED)) from None
    return with_findings(Unknown(_nothing_found(task, engine), reason), properties_asked(task))


def _unexplored_access(problem: InputError, task: Task, engine: Engine) -> str | None:
    """The error of a C program that accesses no location, for store-buffer machines, which stop there."""
    is_stray = problem.diagnostics[0].code == NO_LOCATION and task.program.language in COMPILED
    if not is_stray or not _runs_buffers(task, engine):
        return None
    return f"the engine {engine.name} stopped: {with_line(problem.diagnostics[0])}"


def _why_not(task: Task) -> str | None:
    """Why axioms cannot express the program; None if they can."""
    program, model = task.program, task.model
    if (
        program.mixed_atomics
        and model.operational is None
        and not model.language_model
        and has_wide_steps(program)
    ):
        from membar.questions.mixed_sizes import reason_of  # noqa: PLC0415 - few programs of C

        return reason_of(program, model)
    return undefined_annotations(program, model)


def _nothing_found(task: Task, engine: Engine) -> Run:
    return Run(model=task.model.name, engine=engine.name, algorithm="none", guarantee="none")


def _runs_buffers(task: Task, engine: Engine) -> bool:
    """Whether the engine runs store buffers: such engines reject undefined fences themselves."""
    return task.model.operational is not None and engine.can.space(task) is Space.STATES


def confirm_witness(outcome: Outcome, task: Task, *, is_interrupted: bool = False) -> Outcome:
    """The outcome if its witness replays in the remaining time (after Ctrl-C, a moment)."""
    if isinstance(outcome, Holds | Violated) and outcome.witness is not None:
        from membar.engines.reference.witness_replay import replay  # noqa: PLC0415 - most answers have no witness

        try:
            left = AFTER_INTERRUPT if is_interrupted else None
            with limit_resources(seconds=left, memory=None), stage("while replaying the witness"):
                mismatch = replay(task.program, task.model, outcome.witness)
        except LimitError as limit:
            return reject_witness(outcome, INTERRUPTED if is_interrupted else limit.reason)
        if mismatch is not None:
            reason = f"internal error, please report: the witness does not replay ({mismatch})"
            return reject_witness(outcome, reason)
    return outcome


def undefined_annotations(program: Program, model: Model) -> str | None:
    """The first ordering annotation that the model does not define, in words; None if it defines all."""
    if model.claims.any_tags or model.plan is None:  # without axioms, the simulator knows its fences
        return None
    known = model.tags
    if program.tags <= known:
        return None
    for tags, edge in annotations_of(program):
        if tags <= known:
            continue
        words = words_of(program.language)
        for tag in sorted(tags - model.tags):
            meaning = words[tag] if tag in words else words_of_all().get(tag, "")
            if not meaning.startswith(NO_ORDER):
                place = f" (line {edge.span.line})" if edge.span else ""
                return f"the model {model.name} does not define the ordering annotation `{tag}`{place}"
    return None


def _undefined_grace_period(program: Program, model: Model) -> str | None:
    """Reports a grace period that the model does not define, in words; None if it defines all.

    Other fences that a model does not define may order nothing there; a grace period without a meaning would
    not wait for critical sections.
    """
    if GRACE_PERIODS.isdisjoint(program.tags):
        return None
    known = frozenset[str]() if model.plan is None else model.tags
    for tags, edge in annotations_of(program):
        if missing := GRACE_PERIODS & tags - known:
            name = "synchronize_rcu" if "Sync-rcu" in missing else "synchronize_srcu"
            place = f" (line {edge.span.line})" if edge.span else ""
            return f"the model {model.name} does not define what `{name}` waits for{place}"
    return None


def annotations_of(program: Program) -> Iterator[tuple[Tags, Edge]]:
    """The ordering annotations of each operation of the program, with its step."""
    for thread in program.threads:
        for edge in thread.edges:
            for operation in edge.operations:
                yield tags_of(operation), edge


def add_findings(outcome: Outcome, more: Iterable[Finding]) -> Outcome:
    """The outcome with other findings, in the order of reports, replacing those for the same properties."""
    findings = (*outcome.run.findings, *more)
    found = {(item.property, item.claim): item for item in findings}
    order = [*EVERY]
    in_order = tuple(sorted(found.values(), key=lambda item: order.index(item.property)))
    return replace(outcome, run=replace(outcome.run, findings=in_order))
