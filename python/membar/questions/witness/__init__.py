"""Confirms an SV-COMP witness: is there an execution of the program that follows it to a violation?

In interleavings the order of all waypoints counts; every model allows them. A witness that is marked as
explained by weak memory only is searched for on the model's own store-buffer machine, whose steps are ordered
too; then among the model's executions, in which only the order within each thread counts.

The execution that is found is replayed and judged like any other; if none is found, nothing is concluded.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from membar.diagnostics import EngineLimitError, refusal
from membar.engines.reference.candidates import skeleton
from membar.engines.reference.evidence import evidence
from membar.engines.reference.exploration_budget import Budget, LimitHitError
from membar.engines.reference.machine import Machine
from membar.engines.reference.trace import ChoiceError
from membar.engines.reference.witness_replay import replay, rerun
from membar.evidence.svcomp import PROPERTIES, SvcompWitness, specification
from membar.evidence.svcomp.places import Passing, Route, UnfollowableError, routes
from membar.evidence.svcomp.reading import read
from membar.languages.registry import language_of, load_model
from membar.models.evaluate import relation
from membar.models.model import Model, Operational
from membar.program.expand import expand
from membar.program.program import Program
from membar.program.remove_warnings import without_warnings
from membar.properties import PROPERTIES as ALL
from membar.properties.judge import judge
from membar.questions.answer import Answer, Reading, make_answer
from membar.questions.default_engines import FOR_WITNESSES, default_engine
from membar.questions.engine_answer import answer, default_model, load_engine
from membar.questions.outcome import Outcome, Run, Unknown, Violated, Witness, with_findings, with_notes
from membar.questions.programs import for_model, parse
from membar.questions.question import Question
from membar.questions.task import Limits, Options, Task
from membar.questions.witness.interleavings import following
from membar.questions.witness.watched import has_passed, restrict_to_route
from membar.records import record, replace

ALGORITHM = "executions that follow a witness"
GUARANTEE = "one execution, which follows the witness"
# Default limit of the search for interleavings: a good witness leads straight to its end.
SECONDS = 60.0
STATES = 200_000
MEMORY = 2 << 30


@record(frozen=True, slots=True, kw_only=True)
class WitnessConfirmation(Question):
    """VIOLATED, with an execution that follows a witness to its violation; or UNKNOWN: not confirmed.

    Attributes:
        confirm: the file of the witness.
        defines: macros for C, `NAME` or `NAME=VALUE`.
        mapping: the compiler's table for C; by default the model's own.
    """

    confirm: Path
    defines: Sequence[str] = ()
    mapping: str | None = None

    def answer(self) -> Answer:
        """The execution that was found, replayed."""
        text = self.source_with(defines=self.defines)
        language = language_of(text).name
        if language != "C":
            raise refusal("W1443", f"`{text.path}` is {language}, but SV-COMP witnesses are for C programs")
        guide = read(self.confirm)
        model = load_model(self.model, include_dirs=self.include_dirs) if self.model is not None else None
        if model is not None:
            text = text.compiled_for(self.mapping or model.claims.mapping)
        program = parse(text)
        model = model or load_model(default_model(program), include_dirs=self.include_dirs)
        followed = _Followed(
            program=without_warnings(for_model(program, model, mapping=self.mapping)),
            model=model,
            guide=guide,
            limits=self.limits,
            options=self.options,
        )
        if sha256(Path(text.path).read_bytes()).hexdigest() not in guide.hashes:
            outcome = _unknown(followed, self.confirm, "it is about a program with another SHA-256")
        else:
            outcome = _confirm(followed, text.path, self.confirm)
        reading = Reading(mapping=self.mapping)
        return make_answer(self, followed.program, model, outcome, source=text, reading=reading)


@record(frozen=True, slots=True, kw_only=True)
class _Followed:
    """A program under a model, with a guide through it."""

    program: Program
    model: Model
    guide: SvcompWitness
    limits: Limits
    options: Options

    @property
    def violated_property(self) -> str:
        """The property that the witness claims to be violated."""
        return PROPERTIES[self.guide.specification]

    @property
    def task(self) -> Task:
        """The same as a question about the program."""
        return Task(
            program=self.program,
            model=self.model,
            properties=(self.violated_property,),
            limits=self.limits,
            options=self.options,
        )


def _confirm(followed: _Followed, path: str, witness: Path) -> Outcome:
    reason = "no execution follows it to its target"
    try:
        for route in routes(followed.program, path, followed.guide):
            # No interleaving explains what is weak, unless stores wait in buffers on the way.
            has_order = not followed.guide.is_weak or followed.model.operational in _WITH_ORDER
            found = _follow_in_order(followed, route) if has_order else None
            if found is not None:
                return with_notes(found, f"the witness {witness} is confirmed: {_ORDERED}")
            if followed.guide.is_weak:
                found = _each_on_its_own(followed, route)
                if found is not None:
                    return with_notes(found, f"the witness {witness} is confirmed: {_UNORDERED}")
    except UnfollowableError as wrong:
        reason = str(wrong)
    except LimitHitError as hit:
        reason = f"{hit.reason} before an execution was found that follows it"
    except EngineLimitError as limit:
        reason = limit.reason
    if followed.guide.is_weak is False and followed.model.operational is not Operational.SC:
        reason += " (executions that only weak memory explains were not searched)"
    return _unknown(followed, witness, reason)


_ORDERED = "an execution passes all of its waypoints in their order"
_UNORDERED = (
    "in an execution each thread passes its own waypoints in their order; only weak memory explains it, so"
    " the order of different threads was not compared"
)


def _unknown(followed: _Followed, witness: Path, reason: str) -> Outcome:
    run = Run(
        model=followed.model.name,
        engine=FOR_WITNESSES[0],
        algorithm=ALGORITHM,
        guarantee="none",
    )
    outcome = Unknown(run, f"the witness {witness} is not confirmed: {reason}")
    return with_findings(outcome, (followed.violated_property,))


def _follow_in_order(followed: _Followed, route: Route) -> Violated | None:
    """The violation at the end of a run that passes the whole route in order."""
    own = followed.model.operational
    has_buffers = followed.guide.is_weak and own in _WITH_ORDER
    discipline = Operational.SC if own is None or not has_buffers else own
    machine = Machine(followed.program, discipline, None)
    limits = _limits(followed, states=STATES)
    keeps_steps = discipline is own and followed.violated_property != "races"
    shown: list[Violated] = []

    def is_shown(witness: Witness) -> bool:
        told = witness if keeps_steps else replace(witness, steps=())
        found = _judge(followed, route, told)
        shown.extend([found] if found is not None else [])
        return found is not None

    following(machine, route, Budget(limits, followed.options.progress), is_shown=is_shown)
    return shown[0] if shown else None


def _limits(followed: _Followed, *, states: int | None) -> Limits:
    """The user's limits, or our defaults."""
    if followed.limits == Limits():
        return Limits(seconds=SECONDS, memory=MEMORY, states=states)
    return followed.limits


_WITH_ORDER = frozenset({Operational.SC, Operational.TSO, Operational.PSO})


def _each_on_its_own(followed: _Followed, route: Route) -> Violated | None:
    """The violation of an execution in which each thread passes its own part of the route."""
    task = replace(
        followed.task,
        program=restrict_to_route(followed.program, route, followed.violated_property),
        properties=tuple(ALL),  # as `check` asks: some searches are only for that
        limits=_limits(followed, states=None),
    )
    engine = load_engine(default_engine(task.program, task.model, task.options))
    outcome = answer(task, engine)
    if isinstance(outcome, Unknown):
        raise LimitHitError(outcome.reason)
    if not isinstance(outcome, Violated) or outcome.witness is None:
        return None
    if not has_passed(outcome.witness, route):
        return None
    return _judge(followed, route, _of_program_itself(followed.program, outcome.witness))


def _of_program_itself(program: Program, witness: Witness) -> Witness:
    """An execution of the watched program as one of the program itself: the same values, its own text."""
    try:
        traces = rerun(program, witness)
    except ChoiceError:
        return witness
    own = skeleton(expand(program), traces).execution
    return replace(witness, execution=replace(own, rf=witness.execution.rf, co=witness.execution.co))


def _judge(followed: _Followed, route: Route, witness: Witness) -> Violated | None:
    """The verdict about one execution, if it violates the property of the witness at its target."""
    if replay(followed.program, followed.model, witness) is not None:
        return None
    outcome = judge(followed.task, evidence(followed.program, followed.model, witness))
    outcome = replace(outcome, run=replace(outcome.run, guarantee=GUARANTEE, algorithm=ALGORITHM))
    if not isinstance(outcome, Violated) or outcome.witness is None:
        return None
    if specification(outcome.property, outcome.witness.message) != followed.guide.specification:
        return None
    if outcome.property == "races" and not _race(followed, route.targets, outcome.witness):
        return None
    return outcome


def _race(followed: _Followed, targets: tuple[Passing, ...], witness: Witness) -> bool:
    """Whether the two targets race in an execution."""
    if followed.model.plan is None:
        return False
    events = witness.execution.events
    places = [
        (target.thread, {followed.program.threads[target.thread].edges[edge].span for edge in target.edges})
        for target in targets
    ]
    for pair in relation(followed.model.plan, witness.execution, "race"):
        ends = [events[number] for number in pair]
        if all(
            end.thread == who and end.span in spans for end, (who, spans) in zip(ends, places, strict=True)
        ):
            return True
    return False
