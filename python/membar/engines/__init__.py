"""Engines: one file each, exporting `ENGINE`.

An `Engine` answers a `Task` about a program, a `SystemEngine` a `SystemTask` about a parameterized system;
both with an `Outcome`.
"""

from __future__ import annotations

from collections.abc import Callable

from membar.questions.outcome import Outcome
from membar.questions.task import SystemTask, Task
from membar.records import record


@record(frozen=True, slots=True, kw_only=True)
class Engine:
    """A way to answer tasks.

    Attributes:
        name: what `--engine` calls it.
        title: one line for `--help`.
        run: answers a task; raises `EngineLimitError` for what it cannot hold.
    """

    name: str
    title: str
    run: Callable[[Task], Outcome]


@record(frozen=True, slots=True, kw_only=True)
class SystemEngine:
    """A way to answer tasks about systems of any number of processes.

    Attributes:
        name: what `--engine` calls it.
        title: one line for `--help`.
        run: answers a task; raises `EngineLimitError` for what it cannot hold.
    """

    name: str
    title: str
    run: Callable[[SystemTask], Outcome]
