"""Whether a witness of SV-COMP is one: is there an execution of the program that follows it to a violation?

Among interleavings the order of all waypoints counts; every model has their executions. A witness that says
of itself that only weak memory explains it is looked for on the model's own store-buffer machine, whose steps
have an order too; then among the model's executions, in which each thread has its own order only.

What is found is replayed, and judged like any other execution; nothing is concluded from what is not found.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from membar.diagnostics import EngineLimitError
from membar.engines.reference.budget import Budget, LimitHitError
from membar.engines.reference.candidates import skeleton
from membar.engines.reference.evidence import evidence
from membar.engines.reference.machine import Machine
from membar.engines.reference.replay import replay, rerun
from membar.engines.reference.trace import ChoiceError
from membar.evidence.svcomp import PROPERTIES, Guide, specification
from membar.evidence.svcomp.places import Passing, Route, UnfollowableError, routes
from membar.evidence.svcomp.reading import problem, read
from membar.models.evaluate import relation
from membar.models.model import Model, Operational
from membar.program.expand import expand
from membar.program.program import Program
from membar.program.warnings import without_warnings
from membar.properties import PROPERTIES as ALL
from membar.properties.judge import judge
from membar.questions import api
from membar.questions.confirmation.interleavings import following
from membar.questions.confirmation.watched import has_passed, watched
from membar.questions.outcome import Outcome, Run, Unknown, Violated, Witness, with_findings
from membar.questions.task import Limits, Options, Task
from membar.records import record, replace
from membar.source import SourceFile

ENGINE = "reference"
ALGORITHM = "executions that follow a witness"
GUARANTEE = "one execution, which follows the witness"
# How long interleavings are searched where nobody says: a good witness leads straight to its end.
SECONDS = 60.0
STATES = 200_000
MEMORY = 2 << 30


@record(frozen=True, slots=True, kw_only=True)
class _Question:
    """A program under a model, with a guide through it."""

    program: Program
    model: Model
    guide: Guide
    limits: Limits
    options: Options

    @property
    def broken(self) -> str:
        """The property that is said to be violated."""
        return PROPERTIES[self.guide.specification]

    @property
    def task(self) -> Task:
        """The same as a question about the program."""
        return Task(
            program=self.program,
            model=self.model,
            properties=(self.broken,),
            limits=self.limits,
            options=self.options,
        )


def confirm(
    file: Path,
    witness: Path,
    *,
    model: str | None = None,
    limits: Limits | None = None,
    options: Options | None = None,
    include_dirs: Sequence[Path] = (),
    defines: Sequence[str] = (),
    mapping: str | None = None,
) -> api.Result:
    """VIOLATED, with an execution that follows the witness to its violation; or UNKNOWN: not confirmed.

    Raises:
        InputError: the program or the witness is not valid input.
        OSError: a file cannot be read.
    """
    text = SourceFile.read(file)
    language = api.language_of(text).name
    if language != "C":
        raise problem("W1443", f"`{file}` is {language}, and SV-COMP's witnesses are about C programs")
    guide = read(witness)
    text = replace(
        text,
        defines=(*text.defines, *defines),
        include_dirs=(*text.include_dirs, *map(str, include_dirs)),
    )
    program = api.parse(text)
    chosen = api.load_model(model or api.default_model(program), include_dirs=include_dirs)
    question = _Question(
        program=without_warnings(api.for_model(program, chosen, mapping=mapping)),
        model=chosen,
        guide=guide,
        limits=limits or Limits(),
        options=options or Options(),
    )
    if sha256(file.read_bytes()).hexdigest() not in guide.hashes:
        outcome = _unconfirmed(question, witness, "it is about a program with another SHA-256")
    else:
        outcome = _confirmed(question, text.path, witness)
    return api.Result(text, question.program, chosen, outcome, mapping)


def _confirmed(question: _Question, path: str, witness: Path) -> Outcome:
    reason = "no execution follows it to its target"
    try:
        for route in routes(question.program, path, question.guide):
            # No interleaving explains what is weak, unless stores wait in buffers on the way.
            has_order = not question.guide.is_weak or question.model.operational in _WITH_ORDER
            found = _interleaved(question, route) if has_order else None
            if found is not None:
                return _noted(found, f"the witness {witness} is confirmed: {_ORDERED}")
            if question.guide.is_weak:
                found = _each_on_its_own(question, route)
                if found is not None:
                    return _noted(found, f"the witness {witness} is confirmed: {_UNORDERED}")
    except UnfollowableError as wrong:
        reason = str(wrong)
    except LimitHitError as hit:
        reason = f"{hit.reason} before an execution was found that follows it"
    except EngineLimitError as limit:
        reason = limit.reason
    if question.guide.is_weak is False and question.model.operational is not Operational.SC:
        reason += " (executions that only weak memory explains were not searched)"
    return _unconfirmed(question, witness, reason)


_ORDERED = "an execution passes all of its waypoints in their order"
_UNORDERED = (
    "in an execution each thread passes its own waypoints in their order; only weak memory explains it, so"
    " the order of different threads was not compared"
)


def _noted(outcome: Violated, note: str) -> Outcome:
    return replace(outcome, run=replace(outcome.run, notes=(*outcome.run.notes, note)))


def _unconfirmed(question: _Question, witness: Path, reason: str) -> Outcome:
    run = Run(
        model=question.model.name,
        engine=ENGINE,
        algorithm=ALGORITHM,
        guarantee="nothing was established",
    )
    outcome = Unknown(run, f"the witness {witness} is not confirmed: {reason}")
    return with_findings(outcome, (question.broken,))


def _interleaved(question: _Question, route: Route) -> Violated | None:
    """The violation at the end of a run that passes the whole route in order."""
    own = question.model.operational
    has_buffers = question.guide.is_weak and own in _WITH_ORDER
    discipline = Operational.SC if own is None or not has_buffers else own
    machine = Machine(question.program, discipline, None)
    limits = _limits(question, states=STATES)
    keeps_steps = discipline is own and question.broken != "races"
    shown: list[Violated] = []

    def is_shown(witness: Witness) -> bool:
        told = witness if keeps_steps else replace(witness, steps=())
        found = _judged(question, route, told)
        shown.extend([found] if found is not None else [])
        return found is not None

    following(machine, route, Budget(limits, question.options.progress), is_shown=is_shown)
    return shown[0] if shown else None


def _limits(question: _Question, *, states: int | None) -> Limits:
    """The user's limits; ours where there are none."""
    if question.limits == Limits():
        return Limits(seconds=SECONDS, memory=MEMORY, states=states)
    return question.limits


_WITH_ORDER = frozenset({Operational.SC, Operational.TSO, Operational.PSO})


def _each_on_its_own(question: _Question, route: Route) -> Violated | None:
    """The violation of an execution in which each thread passes its own part of the route."""
    task = replace(
        question.task,
        program=watched(question.program, route, question.broken),
        properties=tuple(ALL),  # as `check` asks: some searches are only for that
        limits=_limits(question, states=None),
    )
    engine = api.load_engine(api.default_engine(task.program, task.model, task.options))
    outcome = api.answer(task, engine)
    if isinstance(outcome, Unknown):
        raise LimitHitError(outcome.reason)
    if not isinstance(outcome, Violated) or outcome.witness is None:
        return None
    if not has_passed(outcome.witness, route):
        return None
    return _judged(question, route, _unwatched(question.program, outcome.witness))


def _unwatched(program: Program, witness: Witness) -> Witness:
    """An execution of the watched program as one of the program itself: the same values, its own words."""
    try:
        traces = rerun(program, witness)
    except ChoiceError:
        return witness
    own = skeleton(expand(program), traces).execution
    return replace(witness, execution=replace(own, rf=witness.execution.rf, co=witness.execution.co))


def _judged(question: _Question, route: Route, witness: Witness) -> Violated | None:
    """The verdict about one execution, if it violates what the witness says, where it says so."""
    if replay(question.program, question.model, witness) is not None:
        return None
    outcome = judge(question.task, evidence(question.program, question.model, witness))
    outcome = replace(outcome, run=replace(outcome.run, guarantee=GUARANTEE, algorithm=ALGORITHM))
    if not isinstance(outcome, Violated) or outcome.witness is None:
        return None
    if specification(outcome.property, outcome.witness.message) != question.guide.specification:
        return None
    if outcome.property == "races" and not _race(question, route.targets, outcome.witness):
        return None
    return outcome


def _race(question: _Question, targets: tuple[Passing, ...], witness: Witness) -> bool:
    """Whether the two targets race in an execution."""
    if question.model.plan is None:
        return False
    events = witness.execution.events
    places = [
        (target.thread, {question.program.threads[target.thread].edges[edge].span for edge in target.edges})
        for target in targets
    ]
    for pair in relation(question.model.plan, witness.execution, "race"):
        ends = [events[number] for number in pair]
        if all(
            end.thread == who and end.span in spans for end, (who, spans) in zip(ends, places, strict=True)
        ):
            return True
    return False
