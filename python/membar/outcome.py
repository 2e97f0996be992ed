"""What an engine answers: one of four verdicts, each with what was established and how."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from membar.records import field, record

if TYPE_CHECKING:
    from membar.program.execution import Execution
    from membar.systems.events import EventCube
    from membar.systems.run import ProcessRun

# A final state: the observed terms by their labels, each with the number (or address name) shown.
FinalState: TypeAlias = tuple[tuple[str, int | str], ...]


@record(frozen=True, slots=True, kw_only=True)
class Statistics:
    """Counters of one run; None where they make no sense for the engine.

    `classes` are reads-from classes of executions; where they are counted, `executions` is None, and
    `blocked` and the counts of a condition are counts of classes too.
    Where interchangeable threads were explored up to symmetry, `symmetric` names their groups, and `explored`
    is the number of executions that were looked at; `executions` and `blocked` count all, whoever is who.
    """

    executions: int | None = None
    explored: int | None = None
    symmetric: tuple[tuple[str, ...], ...] | None = None
    classes: int | None = None
    blocked: int | None = None
    candidates: int | None = None
    duplicates: int | None = None
    states: int | None = None
    transitions: int | None = None
    nodes: int | None = None
    seconds: float = 0.0
    peak_bytes: int | None = None


@record(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of an operational run: who did what, and what memory and the buffers hold afterwards.

    `partner` is the thread that receives in the same step what `thread` sends.
    """

    thread: int
    action: str
    partner: int | None = None
    event: int | None = None
    memory: tuple[tuple[str, int], ...] = ()
    buffers: tuple[tuple[tuple[str, int], ...], ...] = ()


@record(frozen=True, slots=True, kw_only=True)
class Witness:
    """One execution that shows the verdict: replayable without a search.

    Attributes:
        execution: events, relations and final registers.
        final: the observed final state.
        steps: the order of steps with buffer contents, where the engine is operational.
        choices: per thread, the values it read or chose, in order: enough to run it again.
        message: what is wrong (or shown) here, in one line.
        cycle: where a run that goes on for ever comes back to: the steps from this one on are repeated; at
            the number of steps, nothing happens any more. None for a run that ends where it is shown.
        fair: what such a run treats fairly: `buffers`, `processes`.
    """

    execution: Execution
    final: FinalState
    choices: tuple[tuple[int, ...], ...] = ()
    steps: tuple[Step, ...] = ()
    message: str = ""
    cycle: int | None = None
    fair: tuple[str, ...] = ()


@record(frozen=True, slots=True, kw_only=True)
class Run:
    """What was done to reach a verdict.

    Attributes:
        model: name of the memory model.
        engine: which engine answered.
        algorithm: the engine's strategy in a few words.
        guarantee: what was established, in words: "all executions", "loops unrolled 4 times".
        checked: properties that were checked.
        unchecked: properties that apply to the language and were not checked.
        outcomes: the set of final states, sorted by their values, numbers before addresses.
        positive: executions that satisfy the final condition's formula.
        negative: executions that do not.
        flags: data races and flags raised by the model.
        notes: other things the user must know (loops cut, ignored options).
        executions: every execution found, where all were asked for (`--all`).
        statistics: counters.
    """

    model: str
    engine: str
    algorithm: str
    guarantee: str
    checked: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    outcomes: tuple[FinalState, ...] = ()
    positive: int = 0
    negative: int = 0
    flags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    executions: tuple[Witness, ...] = ()
    statistics: Statistics = field(default_factory=Statistics)


@record(frozen=True, slots=True)
class Holds:
    """Proved of everything that was asked; an `exists` condition carries its witness.

    Of a parameterized system, the cubes that prove it can be checked by others.
    """

    run: Run
    witness: Witness | None = None
    proof: tuple[EventCube, ...] = ()


@record(frozen=True, slots=True)
class HoldsWithin:
    """No violation up to a bound that cut something. `chosen_by_user`: the bound was given, not ours."""

    run: Run
    bound: str
    chosen_by_user: bool = False


@record(frozen=True, slots=True)
class Violated:
    """Refuted, with the execution that does it; a refuted `exists` has none.

    A parameterized system is refuted by a run of some number of processes instead.
    """

    run: Run
    property: str
    witness: Witness | None = None
    processes: ProcessRun | None = None


@record(frozen=True, slots=True)
class Unknown:
    """Not answered, and why."""

    run: Run
    reason: str


@record(frozen=True, slots=True)
class Explored:
    """No question was asked (`--property none`): only what the program can do."""

    run: Run
    complete: bool


class InterruptedAnswerError(KeyboardInterrupt):
    """Ctrl-C, with the answer as far as it was found; of which kind it is depends on the question."""

    def __init__(self, answer: Any) -> None:  # noqa: ANN401 - there are as many kinds as lanes
        super().__init__("interrupted")
        self.answer = answer


class InterruptError(KeyboardInterrupt):
    """Ctrl-C, with what was found until then."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__("interrupted")
        self.outcome = outcome


Outcome: TypeAlias = Holds | HoldsWithin | Violated | Unknown | Explored

WORDS: Mapping[type, str] = {
    Holds: "holds",
    HoldsWithin: "holds-within",
    Violated: "violated",
    Unknown: "unknown",
    Explored: "explored",
}
