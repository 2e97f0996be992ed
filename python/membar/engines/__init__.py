"""Engines: one file each, exporting `ENGINE`.

An `Engine` answers a `Task` about a program, a `SystemEngine` a `SystemTask` about a parameterized system;
both with an `Outcome`.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING

from membar.diagnostics import EngineLimitError
from membar.questions.outcome import Outcome
from membar.questions.task import SystemTask, Task
from membar.records import record

if TYPE_CHECKING:
    from membar.models.model import Model


class Space(enum.Enum):
    """What an engine explores."""

    EXECUTIONS = "executions"
    STATES = "states"


@record(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What an engine can answer, and what its answers may claim.

    Attributes:
        models: whether it can answer under a model.
        properties: the properties that it looks for; of some programs not all.
        options: the options that it looks at, as the command line calls them.
        explores: what it explores for a task; limits count that, and machines with store buffers, whose
            states these are, refuse the fences that they do not know themselves.
        lists_all: whether it can list executions (`--all`) of a program without a final condition.
        uses_disk: whether it moves states to disk when memory is full (`--limit disk`).
        runs_instances: whether it runs systems with a few processes, with which answers about any number are
            compared.
        holds: when HOLDS may be said; otherwise it is HOLDS WITHIN a bound, or UNKNOWN.
        violated: when VIOLATED may be said.
    """

    models: Callable[[Model], bool]
    properties: frozenset[str]
    options: frozenset[str] = frozenset()
    explores: Callable[[Task], Space] | Space
    lists_all: bool = True
    uses_disk: bool = False
    runs_instances: bool = False
    holds: str
    violated: str

    def space(self, task: Task | None) -> Space | None:
        """What it explores for a task; None if that depends on the task, and there is none."""
        if isinstance(self.explores, Space):
            return self.explores
        return None if task is None else self.explores(task)


def has_axioms(model: Model) -> bool:
    """Whether a model is axiomatic."""
    return model.plan is not None


def has_store_buffers(model: Model) -> bool:
    """Whether a model has a machine with store buffers, or none."""
    return model.operational is not None


def extension(engine: str, instead: str = "") -> ModuleType:
    """The core, for an engine; `instead` says what else the user can do without it.

    Raises:
        EngineLimitError: it is not installed.
    """
    try:
        from membar import _core  # everything but the fast engines works without it
    except ImportError:
        raise EngineLimitError(
            f"the engine {engine} needs membar's Rust core, which this installation lacks{instead}"
        ) from None
    return _core


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
