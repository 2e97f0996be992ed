"""Options that would have no effect on the answer about a file are refused."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final

from membar.diagnostics import Diagnostic, InputError
from membar.models.model import Operational
from membar.questions.task import Options

if TYPE_CHECKING:
    from membar.program.program import Program
    from membar.questions.task import Limits, Task

_BY_STATES: Final = ("states", "buffers", "cubes", "instances")
_BY_EXECUTIONS: Final = ("graphs",)
_RUN_BY_STATES: Final = ("Promela", "DVE")


def refuse_without_effect(task: Task, engine: str, given: Collection[str]) -> None:
    """Refuses options that change nothing about a program under a model.

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
        *_about_lists(task, engine),
        *_about_explanations(task, given),
    )
    for message, help_ in found:
        raise InputError(Diagnostic(code="W0442", message=message, help=help_))
    refuse_limits(engine, task.limits)


def refuse_limits(engine: str, limits: Limits) -> None:
    """Refuses a limit on what an engine does not count.

    Raises:
        InputError: there is one.
    """
    for message, help_ in _about_limits(engine, limits):
        raise InputError(Diagnostic(code="W0442", message=message, help=help_))


def _about_runs(program: Program, options: Options) -> Iterator[tuple[str, str]]:
    if options.fair != Options().fair and not program.asks_about_states:
        message = f"--fair does not apply to {program.name}: it claims nothing about runs"
        yield message, "--ltl, `ltl` formulas, `never` claims and property processes do"


def _about_buffers(task: Task, given: Collection[str]) -> Iterator[tuple[str, str]]:
    """Elsewhere than in Promela and DVE, a bound of the buffers also asks for a machine instead of axioms."""
    if task.model.operational is not Operational.SC or task.program.language not in _RUN_BY_STATES:
        return
    options = task.options
    bounds = ["--buffers"] if options.buffers_chosen_by_user or options.unbounded_buffers else []
    for option in (*bounds, *(each for each in ("--atomic", "--atomic-rule") if each in given)):
        message = f"{option} does not apply to {task.model.name}: it has no store buffers"
        yield message, "take a model with store buffers: x86-tso, pso or cam"


def _about_lists(task: Task, engine: str) -> Iterator[tuple[str, str]]:
    if task.options.all_executions and engine == "states" and task.program.condition is None:
        message = f"--all does not apply to {task.program.name}: without a final condition, the engine states"
        yield f"{message} lists nothing", "--engine graphs lists executions, where the model has axioms"


def _about_explanations(task: Task, given: Collection[str]) -> Iterator[tuple[str, str]]:
    if "--explain" not in given:
        return
    help_ = "it says which axiom of the model forbids what a final condition asks about"
    if task.program.condition is None:
        yield f"--explain does not apply to {task.program.name}: it has no final condition", help_
    elif task.model.plan is None:
        yield f"--explain does not apply to {task.model.name}: it has no axioms", help_


def _about_limits(engine: str, limits: Limits) -> Iterator[tuple[str, str]]:
    if limits.executions is not None and engine in _BY_STATES:
        yield f"--limit executions does not apply to the engine {engine}", "--limit states=N does"
    if limits.states is not None and engine in _BY_EXECUTIONS:
        yield f"--limit states does not apply to the engine {engine}", "--limit executions=N does"
