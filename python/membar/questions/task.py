"""The closed question handed to an engine."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final

from membar.limits import budget
from membar.records import field, record, replace

if TYPE_CHECKING:
    from collections.abc import Callable

    from membar.models.model import Model
    from membar.program.program import Program
    from membar.systems.system import ParameterizedSystem

# Engines count what they keep, not what they need on the way.
_FOR_ENGINES = 0.8
_LEAST_ROOM = 1 << 20


FAIRNESS: Final = frozenset({"buffers", "processes"})
"""What runs can be asked to treat fairly."""


@record(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of resources; None is no limit. Reaching one gives UNKNOWN.

    With a limit of `disk`, states that do not fit into memory are kept there; without one, nothing is.
    """

    seconds: float | None = None
    memory: int | None = None
    executions: int | None = None
    states: int | None = None
    disk: int | None = None

    def after(self, seconds: float) -> Limits:
        """The limits for what remains after so many seconds."""
        return self if self.seconds is None else replace(self, seconds=max(self.seconds - seconds, 0.01))

    def reason(self, stopped: str) -> str | None:
        """The reason of a search that stopped at one of the limits; None if it stopped at none."""
        match stopped:
            case "time":
                return budget.time_reason(self.seconds)
            case "executions":
                return budget.count_reason(self.executions, "execution")
            case "states":
                return budget.count_reason(self.states, "state")
            case "memory":
                return budget.memory_reason(self.memory)
            case "disk":
                return f"the disk limit of {budget.size_text(self.disk)} was reached"
            case "full disk":
                return "the end of the free disk space (in the directory that TMPDIR names) was reached"
            case _:
                return None

    def remaining(self) -> Limits:
        """The limits for what begins now: the remaining time and memory of the question."""
        now = budget.current()
        if now.remaining_seconds is None and now.memory is None:
            return self
        seconds, memory = self.seconds, self.memory
        if now.remaining_seconds is not None:
            seconds = now.remaining_seconds if seconds is None else min(seconds, now.remaining_seconds)
        if now.memory is not None:
            room = max(int(_FOR_ENGINES * now.memory) - budget.resident_bytes(), _LEAST_ROOM)
            memory = room if memory is None else min(memory, room)
        return replace(self, seconds=seconds, memory=memory)


@record(frozen=True, slots=True, kw_only=True)
class Unrolling:
    """How often each loop may be taken: exactly `exact` times, or deepening up to `deepest`."""

    exact: int | None = None
    deepest: int = 4
    chosen_by_user: bool = False

    @property
    def largest_bound(self) -> int:
        """The largest bound that may be tried."""
        return self.deepest if self.exact is None else self.exact


class Coherence(enum.Enum):
    """Which executions are distinguished: all, or only those with an observable difference.

    Executions that differ only in the order of writes form one *reads-from class*; the last write of a
    location counts as a difference where the final state shows the location.
    """

    ALL = "all"
    OBSERVED = "observed"


@record(frozen=True, slots=True, kw_only=True)
class Options:
    """Options that do not change the question, only how it is answered.

    Attributes:
        unrolling: loop bound.
        buffers: store-buffer bound of the operational models; None is the model's default.
        buffers_chosen_by_user: whether the bound was given.
        unbounded_buffers: store buffers have no bound; `buffers` does not count.
        algorithm: the engine's procedure, where it has several; None is its own choice.
        reductions_off: names of reductions switched off (`symmetry`, `await`, `prune`, …).
        coherence: whether an engine may answer by reads-from classes; then its counts are counts of classes.
        coherence_chosen_by_user: whether that was given.
        fair: what runs must treat fairly to count for claims about runs: `buffers` (every queue of stores is
            empty or flushed again and again), `processes` (every thread is unable to move or moves).
        symmetric: names of threads, or of processes with several instances, that the user declares to be
            identical (`states`).
        shortest: of several runs that show something a shortest is wanted (`states`), however long it takes.
        bitstate: a few bits stand for each state (`states`), so that some states are left out.
        jobs: worker threads.
        stops_early: end with the first failed assertion, where nothing but the verdict is asked for.
        all_executions: keep every execution as a witness, not only the first (`--all`).
        brab: guess invariants of parameterized systems that an instance of this many processes satisfies.
        instances: numbers of processes for which the answer about a parameterized system is checked again.
        progress: called now and then with a short text.
    """

    unrolling: Unrolling = field(default_factory=Unrolling)
    buffers: int | None = None
    buffers_chosen_by_user: bool = False
    unbounded_buffers: bool = False
    algorithm: str | None = None
    reductions_off: frozenset[str] = frozenset()
    coherence: Coherence = Coherence.ALL
    coherence_chosen_by_user: bool = False
    fair: frozenset[str] = frozenset({"buffers"})
    symmetric: tuple[str, ...] = ()
    shortest: bool = False
    bitstate: bool = False
    jobs: int = 1
    stops_early: bool = True
    all_executions: bool = False
    brab: int | None = None
    instances: tuple[int, ...] = ()
    progress: Callable[[str], None] | None = None


def repeats_are_one(options: Options) -> bool:
    """Whether executions are merged that differ only in how often a loop waited.

    Not if every execution is listed that takes its loops at most so often.
    """
    lists_repeats = options.all_executions and options.unrolling.exact is not None
    return "await" not in options.reductions_off and not lists_repeats


@record(frozen=True, slots=True, kw_only=True)
class Task:
    """A program, a model, the properties to check, options and limits."""

    program: Program
    model: Model
    properties: tuple[str, ...]
    limits: Limits = field(default_factory=Limits)
    options: Options = field(default_factory=Options)


@record(frozen=True, slots=True, kw_only=True)
class SystemTask:
    """A system for any number of processes, a model, options and limits; it states its own property."""

    system: ParameterizedSystem
    model: Model
    limits: Limits = field(default_factory=Limits)
    options: Options = field(default_factory=Options)
