"""Engines: one file each, exporting `ENGINE`.

An `Engine` answers a `Task` about a program, a `SystemEngine` a `SystemTask` about a parameterized system;
both with an `Outcome`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from membar.questions.outcome import Outcome
from membar.questions.task import SystemTask, Task
from membar.records import record

if TYPE_CHECKING:
    from membar.models.model import Model


@record(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What an engine can answer, and what its answers may claim.

    Attributes:
        models: whether it can answer under a model.
        properties: the properties that it looks for; of some programs not all.
        options: the options that it looks at, as the command line calls them.
        counts: what a limit can count: `executions`, `states`.
        holds: when HOLDS may be said; otherwise it is HOLDS WITHIN a bound, or UNKNOWN.
        violated: when VIOLATED may be said.
    """

    models: Callable[[Model], bool]
    properties: frozenset[str]
    options: frozenset[str] = frozenset()
    counts: frozenset[str] = frozenset()
    holds: str
    violated: str


def has_axioms(model: Model) -> bool:
    """Whether a model is axiomatic."""
    return model.plan is not None


def has_store_buffers(model: Model) -> bool:
    """Whether a model has a machine with store buffers, or none."""
    return model.operational is not None


@record(frozen=True, slots=True, kw_only=True)
class Engine:
    """A way to answer tasks.

    Attributes:
        name: what `--engine` calls it.
        title: one line for `--help`.
        can: what it can answer.
        run: answers a task; raises `EngineLimitError` for what it cannot hold.
    """

    name: str
    title: str
    can: Capabilities
    run: Callable[[Task], Outcome]


@record(frozen=True, slots=True, kw_only=True)
class SystemEngine:
    """A way to answer tasks about systems of any number of processes.

    Attributes:
        name: what `--engine` calls it.
        title: one line for `--help`.
        can: what it can answer.
        run: answers a task; raises `EngineLimitError` for what it cannot hold.
    """

    name: str
    title: str
    can: Capabilities
    run: Callable[[SystemTask], Outcome]
