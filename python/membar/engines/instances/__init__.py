"""Instances: every state of a system with a few processes, by brute force. The specification of `cubes`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from membar.diagnostics import EngineLimitError
from membar.engines import Capabilities, Space, SystemEngine
from membar.models.model import Model, Operational
from membar.questions.outcome import HoldsWithin, Outcome, Run, Statistics, Unknown, Violated
from membar.questions.task import SystemTask

if TYPE_CHECKING:
    from membar.engines.instances.search import Exploration

DEFAULT = (2, 3)
_UNSAFE = "errors"


def has_store_buffers(model: Model) -> bool:
    """Whether the model has store buffers.

    Raises:
        EngineLimitError: it is neither sc nor x86-tso.
    """
    match model.operational:
        case Operational.SC:
            return False
        case Operational.TSO:
            return True
        case _:
            reason = f"parameterized systems run under sc and x86-tso, not under {model.name}"
            raise EngineLimitError(reason)


def sizes(task: SystemTask) -> tuple[int, ...]:
    """The numbers of processes to look at."""
    if task.system.size is not None:
        return (task.system.size,)
    return task.options.instances or DEFAULT


def _run(task: SystemTask) -> Outcome:
    from membar.engines.instances.search import explore, machine

    has_buffers = has_store_buffers(task.model)
    start = time.perf_counter()
    deadline = None if task.limits.seconds is None else time.monotonic() + task.limits.seconds
    numbers = sizes(task)
    states = 0
    problems: list[str] = []
    for number in numbers:
        found = explore(
            machine(task.system, number, buffered=has_buffers),
            most_states=task.limits.states,
            deadline=deadline,
            tick=_progress_callback(task.options.progress, number),
        )
        states += found.states
        if found.run is not None:
            seconds = time.perf_counter() - start
            run = _describe_run(task, f"a run of {number} processes", states, seconds)
            return Violated(run, _UNSAFE, processes=found.run)
        problems += _problems(found, number)
    guarantee = f"all runs of {' or '.join(map(str, numbers))} processes"
    run = _describe_run(task, guarantee, states, time.perf_counter() - start)
    if problems:
        return Unknown(run, "; ".join(problems))
    return HoldsWithin(run, guarantee, chosen_by_user=bool(task.options.instances or task.system.size))


def _problems(found: Exploration, number: int) -> list[str]:
    if found.limit is not None:
        return [f"{number} processes: {found.limit}"]
    if not found.is_exact:
        return [f"{number} processes: only a few values of arbitrary numbers were tried"]
    return []


def _progress_callback(progress: Callable[[str], None] | None, number: int) -> Callable[[int], None] | None:
    if progress is None:
        return None
    return lambda states: progress(f"{number} processes: {states} states")


def _describe_run(task: SystemTask, guarantee: str, states: int, seconds: float) -> Run:
    return Run(
        model=task.model.name,
        engine="instances",
        algorithm="breadth-first search of all states",
        guarantee=guarantee,
        statistics=Statistics(states=states, seconds=seconds),
    )


ENGINE = SystemEngine(
    name="instances",
    title="parameterized systems with a few processes, state by state, by brute force",
    can=Capabilities(
        models=lambda model: model.name in ("sc", "x86-tso"),
        properties=frozenset({"errors"}),
        explores=Space.STATES,
        runs_instances=True,
        holds="never: HOLDS WITHIN the numbers of processes that were tried",
        violated="the run replays",
    ),
    run=_run,
)
