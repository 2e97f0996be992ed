"""The answer to a question of any kind: the verdict, its guarantee, and the evidence for it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

from membar.questions.outcome import (
    WORDS,
    Finding,
    Holds,
    HoldsWithin,
    Outcome,
    Statistics,
    Unknown,
    Violated,
    Witness,
)
from membar.records import field, record

if TYPE_CHECKING:
    from membar.models.model import Model
    from membar.objects.history import History
    from membar.objects.linearize import Verdict
    from membar.objects.orders import Ordering
    from membar.objects.proof.findings import Failure
    from membar.objects.syntax import ConcurrentObject
    from membar.program.program import Program
    from membar.questions.campaign import TestAnswer
    from membar.questions.question import Question
    from membar.source import SourceFile
    from membar.systems.events import EventCube
    from membar.systems.run import ProcessRun
    from membar.systems.system import ParameterizedSystem

    Subject: TypeAlias = Program | ParameterizedSystem | ConcurrentObject


@record(frozen=True, slots=True)
class Refutation:
    """A history that no order of its calls explains, and how far one can be explained."""

    history: History
    verdict: Verdict


@record(frozen=True, slots=True, kw_only=True)
class ClientRun:
    """An execution of a client that shows what is wrong with an object.

    Attributes:
        program: the client, as the model sees it.
        model: the model of the execution: that of the question, with a clock where the order needs one.
        witness: the execution.
        refutation: its history, which nothing explains; None where something else is wrong (a race).
    """

    program: Program
    model: Model
    witness: Witness | None
    refutation: Refutation | None = None


@record(frozen=True, slots=True, kw_only=True)
class RaceRun:
    """An execution with a race under a model that defines races, although the model of the question does not.

    Attributes:
        program: the program, as the model that judges the race sees it.
        model: the model that judges it.
        witness: the execution.
    """

    program: Program
    model: Model
    witness: Witness


@record(frozen=True, slots=True)
class Invariant:
    """Cubes of states that no run reaches, closed backwards: independent tools can check the proof."""

    cubes: tuple[EventCube, ...]


@record(frozen=True, slots=True, kw_only=True)
class Obligations:
    """The obligations of a proof of linearizability.

    Attributes:
        failure: the obligation that was not discharged; None: all were.
        thread: where the thread is that takes its step, in words.
        other: where the other thread is; "" if it speaks of none.
        inferred: invariants that were found, in the object language; "" where none were looked for.
        discharged: how many obligations of each kind, (1) to (4), were discharged.
    """

    failure: Failure | None = None
    thread: str = ""
    other: str = ""
    inferred: str = ""
    discharged: tuple[tuple[int, int], ...] = ()


@record(frozen=True, slots=True, kw_only=True)
class Reading:
    """How the input was read, besides its text; a replay needs it.

    Attributes:
        mapping: the compiler's table, if it is not the model's own.
        ltl: what was claimed of all runs, where the language has no words for it.
        labels: what was asked about labels of the text.
        weaker_dependencies: whether dependencies that a compiler may remove were removed.
    """

    mapping: str | None = None
    ltl: str | None = None
    labels: tuple[str, ...] = ()
    weaker_dependencies: bool = False


@record(frozen=True, slots=True)
class Comparison:
    """One question asked under several models, or by several engines.

    Attributes:
        columns: an answer for each model and engine.
        differences: where engines disagree about one model, in words: these are internal errors.
    """

    columns: tuple[Answer, ...]
    differences: tuple[str, ...] = ()


@record(frozen=True, slots=True)
class TestAnswers:
    """The answers about many tests, in order."""

    tests: tuple[TestAnswer, ...]


# An execution, a run with its steps or a lasso is a `Witness`.
Evidence: TypeAlias = (
    "Witness | ClientRun | RaceRun | ProcessRun | Invariant | Obligations | Comparison | TestAnswers | None"
)


@record(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to one question. Prints and draws itself in Jupyter.

    Attributes:
        question: what was asked.
        source: the text that was asked about, with what options write into it.
        subject: what it means: a program, a system for any number of processes, or a concurrent object.
        model: the memory model.
        outcome: the engine's verdict, and what it did to reach it.
        evidence: what shows the verdict to others; None where nothing does.
        reading: how the text was read.
    """

    question: Question
    source: SourceFile
    subject: Subject
    model: Model
    outcome: Outcome
    evidence: Evidence = None
    reading: Reading = field(default_factory=Reading)

    @property
    def verdict(self) -> str:
        """`holds`, `holds-within`, `violated`, `unknown`; `explored` if no property was checked."""
        return WORDS[type(self.outcome)]

    @property
    def guarantee(self) -> str:
        """What was established, in words."""
        return self.outcome.run.guarantee

    @property
    def reason(self) -> str:
        """Why there is no verdict, or within which bound it holds."""
        match self.outcome:
            case Unknown(reason=reason):
                return reason
            case HoldsWithin(bound=bound):
                return bound
            case _:
                return ""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """One answer for each property."""
        return self.outcome.run.findings

    @property
    def notes(self) -> tuple[str, ...]:
        """Other information for the user."""
        return self.outcome.run.notes

    @property
    def flags(self) -> tuple[str, ...]:
        """Data races and flags of the model."""
        return self.outcome.run.flags

    @property
    def statistics(self) -> Statistics:
        """The engine's counters."""
        return self.outcome.run.statistics

    @property
    def engine(self) -> str:
        """Which engine answered."""
        return self.outcome.run.engine

    @property
    def witness(self) -> Witness | None:
        """The execution that shows the verdict, if one does."""
        return self.outcome.witness if isinstance(self.outcome, Holds | Violated) else None

    @property
    def processes(self) -> ProcessRun | None:
        """The run of some processes that shows a violation, if there is one."""
        return self.outcome.processes if isinstance(self.outcome, Violated) else None

    @property
    def refutation(self) -> Refutation | None:
        """The history that refutes an object, if there is one."""
        return self.evidence.refutation if isinstance(self.evidence, ClientRun) else None

    @property
    def columns(self) -> tuple[Answer, ...]:
        """The answers that a comparison shows side by side; empty for other questions."""
        return self.evidence.columns if isinstance(self.evidence, Comparison) else ()

    @property
    def tests(self) -> tuple[TestAnswer, ...]:
        """The answers about the tests of a campaign; empty for other questions."""
        return self.evidence.tests if isinstance(self.evidence, TestAnswers) else ()

    @property
    def judging(self) -> Model:
        """The model of the witness: that of the question, with a clock where the order of calls needs one.

        Where it defines no races, another one shows them.
        """
        return self.evidence.model if isinstance(self.evidence, ClientRun | RaceRun) else self.model

    @property
    def program(self) -> Program:
        """The program that the witness is about: the one that was read, or a client of an object.

        Raises:
            TypeError: the text is no program.
        """
        from membar.program.program import Program  # noqa: PLC0415 - not for other subjects

        evidence = self.evidence
        found = evidence.program if isinstance(evidence, ClientRun | RaceRun) else self.subject
        if not isinstance(found, Program):
            raise TypeError(f"`{self.source.path}` is not a program")
        return found

    @property
    def system(self) -> ParameterizedSystem:
        """The system for any number of processes.

        Raises:
            TypeError: the text is none.
        """
        from membar.systems.system import ParameterizedSystem  # noqa: PLC0415 - not for other subjects

        if not isinstance(self.subject, ParameterizedSystem):
            raise TypeError(f"`{self.source.path}` is not a system for any number of processes")
        return self.subject

    @property
    def order(self) -> Ordering | None:
        """For an object, when one call precedes another."""
        return getattr(self.question, "ordering", None)

    def render(self, name: str = "terminal") -> str:
        """The answer in the format of a report: `terminal`, `json`, `html`, `herd`, `svg`, `dot`.

        Raises:
            InputError: there is no such report.
        """
        rendered: str = import_module("membar.reports").load_report(name).render(self)
        return rendered

    def __repr__(self) -> str:
        name, verdict = self.source.path[-60:], self.verdict.replace("-", " ").upper()
        why = self.reason if len(self.reason) <= 60 else f"{self.reason[:57]}..."
        return f"<{name}: {verdict} under {self.model.name}{f' ({why})' if why else ''}>"

    def _repr_html_(self) -> str:
        from html import escape  # noqa: PLC0415 - only for notebooks

        text = import_module("membar.reports.terminal").render(self, columns=100, replays=False)
        return f"<pre>{escape(text)}</pre>{self._repr_svg_() or ''}"

    def _repr_svg_(self) -> str | None:
        drawn: str | None = import_module("membar.reports.pictures").of_answer(self)
        return drawn


def make_answer(
    question: Question,
    subject: Subject,
    model: Model,
    outcome: Outcome,
    *,
    source: SourceFile | None = None,
    evidence: Evidence = None,
    reading: Reading | None = None,
) -> Answer:
    """The answer with an outcome; by default the evidence is what the engine found."""
    return Answer(
        question=question,
        source=source or question.source,
        subject=subject,
        model=model,
        outcome=outcome,
        evidence=evidence_in(outcome) if evidence is None else evidence,
        reading=reading or Reading(),
    )


def evidence_in(outcome: Outcome) -> Evidence:
    """The evidence for a verdict in what an engine found."""
    match outcome:
        case Violated(processes=run) if run is not None:
            return run
        case Holds(proof=cubes) if cubes:
            return Invariant(cubes)
        case Holds(witness=witness) | Violated(witness=witness):
            return witness
        case _:
            return None
