"""The outcome of an engine: one of four verdicts, each with its evidence and its guarantee."""

from __future__ import annotations

import enum
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from membar.records import field, record, replace

if TYPE_CHECKING:
    from membar.program.execution import Execution
    from membar.systems.events import EventCube
    from membar.systems.run import ProcessRun

# A final state: the observed terms by their labels, each with the number (or address name) shown.
FinalState: TypeAlias = tuple[tuple[str, int | str], ...]


@record(frozen=True, slots=True, kw_only=True)
class Statistics:
    """Counters of one run; None where they do not apply to the engine.

    `executions` are complete; those that fail (an assertion, an access to no location) are `failed`, and
    those that the loop bound truncated are `truncated`, where these are listed too.
    `classes` are reads-from classes of executions; where they are counted, `executions` is None, and
    `blocked` and the counts of a condition are counts of classes too.
    Where interchangeable threads were explored up to symmetry, `symmetric` names their groups, and `explored`
    is the number of executions that were looked at; `executions` and `blocked` count all, whoever is who.
    """

    executions: int | None = None
    failed: int | None = None
    truncated: int | None = None
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
    """One step of an operational run: its thread and action, and memory and buffers afterwards.

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
        cycle: where a run that goes on forever comes back to: the steps from this one on are repeated; at
            the number of steps, nothing more happens. None for a run that ends where it is shown.
        fair: what such a run treats fairly: `buffers`, `processes`.
    """

    execution: Execution
    final: FinalState
    choices: tuple[tuple[int, ...], ...] = ()
    steps: tuple[Step, ...] = ()
    message: str = ""
    cycle: int | None = None
    fair: tuple[str, ...] = ()


class Verdict(enum.StrEnum):
    """The verdict about one property."""

    HOLDS = "holds"
    WITHIN = "holds-within"
    VIOLATED = "violated"
    UNKNOWN = "unknown"
    NOT_CHECKED = "not-checked"

    @property
    def is_answer(self) -> bool:
        """Whether the property holds, perhaps within a bound, or is violated."""
        return self in (Verdict.HOLDS, Verdict.WITHIN, Verdict.VIOLATED)


@record(frozen=True, slots=True)
class Finding:
    """The answer about one property.

    Attributes:
        property: its name.
        verdict: what was established about it.
        reason: what is violated, the bound, or why there is no answer.
        witness: the execution that shows it, if one does.
        is_warning: it does not count for the verdict about the program, nor for the exit code.
        claim: the name of the claim that it is about, where the property is `claims`.
    """

    property: str
    verdict: Verdict
    reason: str = ""
    witness: Witness | None = None
    is_warning: bool = False
    claim: str = ""

    def subject(self) -> str:
        """The property, and the claim that it is about."""
        return f"{self.property} {self.claim}" if self.claim else self.property


@record(frozen=True, slots=True, kw_only=True)
class Run:
    """What was done to reach a verdict.

    Attributes:
        model: name of the memory model.
        engine: which engine answered.
        algorithm: the engine's strategy in a few words.
        guarantee: what was established, in words: "all executions", "loops unrolled 4 times".
        findings: one answer for each property that applies, and for each that was asked for by name.
        outcomes: the set of final states, sorted by their values, numbers before addresses.
        lists_outcomes: whether these are all that were reached; engines that look only for what was asked do
            not list them without a question about them.
        positive: executions that satisfy the final condition's formula.
        negative: executions that do not.
        flags: data races and flags raised by the model.
        is_limited: whether a limit (time, memory, executions, states) ended the search.
        notes: other things the user must know (loops cut, ignored options).
        executions: every execution found, where all were asked for (`--all`); the message of one that fails
            or was truncated says so, and is empty for a complete one.
        statistics: counters.
    """

    model: str
    engine: str
    algorithm: str
    guarantee: str
    findings: tuple[Finding, ...] = ()
    outcomes: tuple[FinalState, ...] = ()
    lists_outcomes: bool = True
    positive: int = 0
    negative: int = 0
    is_limited: bool = False
    flags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    executions: tuple[Witness, ...] = ()
    statistics: Statistics = field(default_factory=Statistics)

    @property
    def checked(self) -> tuple[str, ...]:
        """The properties that were answered; warnings aside."""
        answered = (item for item in self.findings if item.verdict.is_answer)
        return tuple(dict.fromkeys(item.property for item in answered if not item.is_warning))

    @property
    def unchecked(self) -> tuple[str, ...]:
        """The properties that apply, or were selected, and have no answer."""
        return tuple(dict.fromkeys(item.property for item in self.findings if not item.verdict.is_answer))

    def finding(self, name: str) -> Finding | None:
        """The answer about a property; None if it was not selected and does not apply."""
        return next((item for item in self.findings if item.property == name), None)


@record(frozen=True, slots=True)
class Holds:
    """Proved for everything that was asked; an `exists` condition has a witness.

    Of a parameterized system, the cubes that prove it can be checked by others.
    """

    run: Run
    witness: Witness | None = None
    proof: tuple[EventCube, ...] = ()


@record(frozen=True, slots=True)
class HoldsWithin:
    """No violation within a bound that truncated the search. `chosen_by_user`: the user gave the bound."""

    run: Run
    bound: str
    chosen_by_user: bool = False


@record(frozen=True, slots=True)
class Violated:
    """Refuted, with the execution that shows it; a refuted `exists` has none.

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
    """No property was checked (`--property none`): only the behaviour of the program."""

    run: Run
    complete: bool


FIRST_VIOLATION = "the first violation was reached"
INTERRUPTED = "interrupted (Ctrl-C)"
"""Why there is no more to say."""


class InterruptedAnswerError(KeyboardInterrupt):
    """Ctrl-C, with the partial answer; its kind depends on the question."""

    def __init__(self, answer: Any) -> None:  # noqa: ANN401 - there are as many kinds as lanes
        super().__init__("interrupted")
        self.answer = answer


class InterruptError(KeyboardInterrupt):
    """Ctrl-C, with the partial outcome."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__("interrupted")
        self.outcome = outcome


def with_notes(outcome: Outcome, *notes: str) -> Outcome:
    """The outcome with further notes."""
    return replace(outcome, run=replace(outcome.run, notes=(*outcome.run.notes, *notes)))


def with_findings(
    outcome: Outcome, asked: Collection[str], *, unchecked: Collection[str] = (), why: str = ""
) -> Outcome:
    """The outcome of an engine that answers everything at once, with a finding for each property.

    Those `unchecked` would apply too, but this engine cannot check them, which is `why`.
    """
    others = (Finding(name, Verdict.NOT_CHECKED, why) for name in unchecked if name not in asked)
    findings = (*_findings_of(outcome, asked), *others)
    return replace(outcome, run=replace(outcome.run, findings=findings))


def reject_witness(outcome: Holds | Violated, reason: str) -> Unknown:
    """UNKNOWN instead of an outcome whose witness does not replay."""
    findings = tuple(
        replace(item, verdict=Verdict.UNKNOWN, reason=reason, witness=None)
        if item.witness is not None and item.witness == outcome.witness
        else item
        for item in outcome.run.findings
    )
    return Unknown(replace(outcome.run, findings=findings), reason)


def weaken_findings(run: Run, verdict: Verdict, reason: str) -> Run:
    """The run with another verdict for all properties that hold, perhaps within a bound."""
    findings = tuple(
        replace(item, verdict=verdict, reason=reason)
        if item.verdict in (Verdict.HOLDS, Verdict.WITHIN)
        else item
        for item in run.findings
    )
    return replace(run, findings=findings)


def _findings_of(outcome: Outcome, asked: Collection[str]) -> tuple[Finding, ...]:
    match outcome:
        case Holds():
            return tuple(Finding(name, Verdict.HOLDS) for name in asked)
        case HoldsWithin(bound=bound):
            return tuple(Finding(name, Verdict.WITHIN, bound) for name in asked)
        case Unknown(reason=reason):
            return tuple(Finding(name, Verdict.UNKNOWN, reason) for name in asked)
        case Violated(property=broken, witness=witness):
            names = dict.fromkeys((broken, *asked))
            return tuple(
                Finding(name, Verdict.VIOLATED, "" if witness is None else witness.message, witness)
                if name == broken
                else Finding(name, Verdict.NOT_CHECKED, STOPPED)
                for name in names
            )
        case Explored():
            return tuple(Finding(name, Verdict.NOT_CHECKED, NOT_ASKED) for name in asked)


STOPPED = "the search stopped at the first violation"
NOT_ASKED = "not asked"

Outcome: TypeAlias = Holds | HoldsWithin | Violated | Unknown | Explored

WORDS: Mapping[type, str] = {
    Holds: "holds",
    HoldsWithin: "holds-within",
    Violated: "violated",
    Unknown: "unknown",
    Explored: "explored",
}
