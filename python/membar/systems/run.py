"""A run of a parameterized system with a concrete number of processes: the witness of a violation.

It contains every choice (initial values, `?`, flushes), so that it can be replayed without a search. Values
are stored as they are shown: `True`, `#2`, `-1`.
"""

from __future__ import annotations

from typing import TypeAlias

from membar.records import record

# A cell (`X`, `A[1]`) and its value.
Shown: TypeAlias = tuple[str, str]


@record(frozen=True, slots=True, kw_only=True)
class ProcessStep:
    """One step: a transition of some processes, or a flush of the oldest entry of one buffer.

    Attributes:
        transition: its number in the system; None for a flush.
        name: the transition's name; "" for a flush.
        processes: those that stand for the transition's parameters; the one whose buffer is flushed.
        reads: what the acting process read from weak memory.
        chosen: what was assigned by `?`.
        memory: all variables and cells afterwards.
        buffers: per process, its pending writes afterwards, the oldest first; each may be of several cells.
    """

    transition: int | None
    name: str
    processes: tuple[int, ...]
    reads: tuple[Shown, ...] = ()
    chosen: tuple[Shown, ...] = ()
    memory: tuple[Shown, ...] = ()
    buffers: tuple[tuple[tuple[Shown, ...], ...], ...] = ()


@record(frozen=True, slots=True, kw_only=True)
class ProcessRun:
    """A run of `processes` processes into a bad state.

    Attributes:
        processes: how many there are, numbered from 1.
        initial: all variables and cells at the beginning.
        steps: in order.
        unsafe: which of the system's unsafe cubes is reached.
        culprits: the processes that stand for its parameters.
        views: what the readers of weak memory in that cube see.
    """

    processes: int
    initial: tuple[Shown, ...]
    steps: tuple[ProcessStep, ...]
    unsafe: int
    culprits: tuple[int, ...]
    views: tuple[Shown, ...] = ()
