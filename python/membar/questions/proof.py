"""Is a concurrent object linearizable, for any number of threads and calls?

Text → ConcurrentObject → transition system of one thread under the model → obligations → z3 → Outcome. A
failed obligation refutes the annotations, not the object: the answer is UNKNOWN, with the two states.
"""

from __future__ import annotations

import time
from typing import Final

from membar.diagnostics import EngineLimitError, refusal
from membar.languages import ObjectFrontend
from membar.languages.registry import language_of, load_model
from membar.limits.budget import LimitError
from membar.models.model import Model
from membar.objects.orders import Ordering, require_meaning
from membar.objects.proof.claims import Claims, claims
from membar.objects.proof.findings import Failure
from membar.objects.proof.findings import Proof as Discharged
from membar.objects.syntax import ConcurrentObject, Specification
from membar.objects.systems import buffered, relaxed
from membar.objects.systems.moves import ThreadSystem
from membar.objects.terms import PendingCount, subterms
from membar.questions import refusals
from membar.questions.answer import Answer, Obligations, make_answer
from membar.questions.default_engines import FOR_OBJECTS
from membar.questions.outcome import (
    Holds,
    HoldsWithin,
    Outcome,
    Run,
    Statistics,
    Unknown,
    with_findings,
)
from membar.questions.question import Question
from membar.questions.task import Limits
from membar.records import record, replace
from membar.source import SourceFile

ENGINE: Final = FOR_OBJECTS[0]
PROPERTY: Final = "linearizability"
REAL_TIME: Final = Ordering.REAL_TIME.value
_FOR_INVARIANTS: Final = 0.8  # of the time limit
_NOTHING: Final = "none"
_ALGORITHM: Final = "obligations per step"
_WITH_BUFFERS: Final = {"sc": False, "x86-tso": True}
_RELAXED: Final = {
    "xc": relaxed.Rules(speculates=False),
    "armv8": relaxed.Rules(speculates=True, eliminates=True),
}


@record(frozen=True, slots=True, kw_only=True)
class Proof(Question):
    """Whether an object is linearizable, by its annotations.

    The model is `sc`, `x86-tso`, `xc` or `armv8`; by default x86-tso.

    Attributes:
        engine: `objects`.
        order: `causal` and `flush`: an operation lasts until all that its thread stored before its return is
            in memory; `real-time`: until it returns. Under xc and armv8 only `causal`.
        infer: look for invariants, besides those of the text.
    """

    engine: str | None = None
    order: str = Ordering.CAUSAL.value
    infer: bool = False

    def answer(self) -> Answer:
        """The answer that the obligations allow."""
        if self.engine not in (None, ENGINE):
            raise refusal(
                "W1317", f"the engine {self.engine} cannot verify objects", help=f"--engine {ENGINE}"
            )
        refusals.refuse_limits(ENGINE, self.limits)
        text, order = self.source, self.order
        frontend = _frontend(text)
        about = frontend.parse(text)
        model = load_model(self.model or frontend.default_model)
        specification = _specification_of(about)
        system = system_of(about, model, order=order)
        clock = _Clock(self.limits)
        failure, inferred, given_up, proof = None, "", "", Discharged()
        try:
            if self.infer:
                inferred, given_up = _infer_invariants(system, specification, clock)
                about = frontend.parse(replace(text, text=f"{text.text}\n{inferred}"))
                system = system_of(about, model, order=order)
            proof, system = _prove(system, specification, clock, order)
            outcome = verdict_of(proof, about, model.name, order)
            if given_up and isinstance(outcome, Unknown):
                outcome = replace(outcome, reason=f"no invariants: {given_up}; without them {outcome.reason}")
            failure = proof.failures[0] if proof.failures else None
        except (EngineLimitError, LimitError) as limit:
            outcome = Unknown(_run(model.name, _NOTHING, clock.seconds), given_up or limit.reason)
        evidence = _evidence(system, failure, inferred, proof)
        return make_answer(self, about, model, with_findings(outcome, (PROPERTY,)), evidence=evidence)


def _evidence(system: ThreadSystem, failure: Failure | None, inferred: str, proof: Discharged) -> Obligations:
    controls = (None, None) if failure is None else (failure.obligation.control, failure.other)
    thread, other = ("" if control is None else system.described(control) for control in controls)
    discharged = tuple(sorted(proof.discharged.items()))
    return Obligations(failure=failure, thread=thread, other=other, inferred=inferred, discharged=discharged)


def parse_object(source: SourceFile) -> ConcurrentObject:
    """The object in a file.

    Raises:
        InputError: with every problem found in the text.
    """
    return _frontend(source).parse(source)


def _frontend(source: SourceFile) -> ObjectFrontend:
    found = language_of(source)
    if isinstance(found, ObjectFrontend):
        return found
    raise refusal(
        "W1314", f"`{source.path}` is not an object (.obj)", help="file names of objects end in .obj"
    )


def system_of(about: ConcurrentObject, model: Model, *, order: str = "causal") -> ThreadSystem:
    """A thread of the object under the model.

    Raises:
        InputError: there is no such system for the model, or the order has no meaning under it.
    """
    if model.name in _WITH_BUFFERS:
        is_buffered, in_real_time = _WITH_BUFFERS[model.name], order == REAL_TIME
        return buffered.system(about, name=model.name, is_buffered=is_buffered, in_real_time=in_real_time)
    if model.name in _RELAXED:
        require_meaning(Ordering(order), model.name)
        return relaxed.system(about, name=model.name, rules=_RELAXED[model.name])
    raise refusal(
        "W1315",
        f"objects have no transition system under {model.name}",
        help=f"they have one under {', '.join((*_WITH_BUFFERS, *_RELAXED))}",
    )


def rules_of(model: Model) -> relaxed.Rules | None:
    """The rules by which a model reorders lines; None if it does not."""
    return _RELAXED.get(model.name)


def default_model(source: SourceFile) -> str:
    """The model checked when the user names none."""
    return _frontend(source).default_model


class _Clock:
    """The deadline."""

    def __init__(self, limits: Limits) -> None:
        self._start = time.monotonic()
        self._limit = limits.seconds

    @property
    def seconds(self) -> float:
        """How long it has taken."""
        return time.monotonic() - self._start

    def is_over(self) -> bool:
        """Whether the time is up."""
        return self._limit is not None and self.seconds > self._limit

    def is_late(self) -> bool:
        """Whether the remaining time is needed to report what fails."""
        return self._limit is not None and self.seconds > self._limit * _FOR_INVARIANTS


def _infer_invariants(system: ThreadSystem, specification: Specification, clock: _Clock) -> tuple[str, str]:
    """Invariants, or why none were found."""
    from membar.objects.infer.inference import infer  # noqa: PLC0415 - brings z3 along

    try:
        return infer(system, specification, should_stop=clock.is_late), ""
    except EngineLimitError as limit:
        return "", f"{limit.reason} while inferring invariants" if clock.is_late() else limit.reason


def _prove(
    system: ThreadSystem, specification: Specification, clock: _Clock, order: str
) -> tuple[Discharged, ThreadSystem]:
    """The strongest proof, and the system that it is about.

    Where buffers can grow forever, stores are summarised; and where that proves nothing, the bound stays.
    """
    from membar.objects.proof.discharge import prove  # noqa: PLC0415 - brings z3 along

    claimed = claims(system.about)
    if not _WITH_BUFFERS.get(system.name) or _counts(claimed):
        return prove(system, claimed, specification, should_stop=clock.is_over), system
    proof = prove(system, claimed, specification, should_stop=clock.is_over, until_cut=True)
    if not proof.cut:
        return proof, system
    any_length = buffered.summarized_system(system.about, name=system.name, in_real_time=order == REAL_TIME)
    try:
        summary = prove(any_length, claimed, specification, should_stop=clock.is_over)
        why = _reason(summary.failures[0]) if summary.failures else ""
    except EngineLimitError as limit:
        if clock.is_over():
            raise
        summary, why = Discharged(cut=True), limit.reason
    if not summary.cut and not summary.failures:
        return summary, any_length
    proof = prove(system, claimed, specification, should_stop=clock.is_over)
    proof.unbounded = why
    return proof, system


def _counts(claimed: Claims) -> bool:
    """Whether something mentions the number of pending stores, which summaries do not track."""
    return any(
        isinstance(part, PendingCount)
        for each in (*claimed.invariants, *claimed.between)
        for part in subterms(each.formula)
    )


def _specification_of(about: ConcurrentObject) -> Specification:
    """The specification of an object that has everything that a proof needs."""
    missing = [operation.name for operation in about.operations
               if not any(point.operation == operation.name for point in about.points)]  # fmt: skip
    help_text = "add it, or check bounded clients: --client 2,2"
    if about.specification is None:
        message = f"`{about.source.path}` has no specification to prove"
        raise refusal("W1316", message, help=help_text)
    if missing:
        message = (
            f"`{about.source.path}` does not say where {' and '.join(missing)} take effect (`linearize`)"
        )
        raise refusal("W1316", message, help=help_text)
    return about.specification


def verdict_of(proof: Discharged, about: ConcurrentObject, model: str, order: str) -> Outcome:
    """The verdict that the obligations allow."""
    notes = (
        f"{proof.obligations} obligations discharged by z3, the slowest in {proof.slowest:.2f} s;"
        f" a thread has {len(proof.controls)} control states",
    )
    if proof.failures:
        run = _run(model, _NOTHING, proof.seconds, notes)
        return Unknown(run, _reason(proof.failures[0]))
    run = _run(model, _guarantee(model, order), proof.seconds, notes)
    missed = [line.label for _, line in about.lines() if line.label not in proof.lines]
    if proof.cut and missed:
        run = _run(model, _NOTHING, proof.seconds, notes)
        within = _length(proof, about, model)
        return Unknown(run, f"the line with label {missed[0]} never executes within {within}")
    if proof.cut:
        bound = _length(proof, about, model)
        return HoldsWithin(run, bound, chosen_by_user=False)
    if proof.beyond:
        more = f"processors allow more: --client 2,2 --model {model} checks that, and may refute the object"
        run = replace(run, notes=(*notes, more))
        return HoldsWithin(
            run, f"the transition system of Winter, Smith and Derrick: {proof.beyond}", chosen_by_user=False
        )
    return Holds(run)


def _length(proof: Discharged, about: ConcurrentObject, model: str) -> str:
    """The bound on the length of sequences, in words."""
    if model in _RELAXED:
        return f"at most {relaxed.longest(about)} lines issued and not yet executed"
    bound = f"store buffers of at most {buffered.LONGEST} entries"
    return f"{bound}; for buffers of any length, {proof.unbounded}" if proof.unbounded else bound


def _reason(failure: Failure) -> str:
    obligation = failure.obligation
    step = obligation.text if obligation.move is None else f"the step `{obligation.text}`"
    where = f"obligation ({obligation.number}) fails in {step}"
    return f"{where}: z3 gave up" if failure.goal is None else f"{where}: {failure.goal.text}"


def _guarantee(model: str, order: str) -> str:
    lasting = "when it returns"
    if _WITH_BUFFERS.get(model) and order != REAL_TIME:
        lasting = "when everything that its thread stored before returning is in memory"
    if model in _RELAXED:
        lasting = "when all of its lines have executed"
    return (
        "any number of threads and calls, for operation-race-free clients: each operation takes"
        f" effect in one step, in program order, between its call and its end; it ends {lasting}"
        f" (order {order})"
    )


def _run(model: str, guarantee: str, seconds: float, notes: tuple[str, ...] = ()) -> Run:
    return Run(
        model=model,
        engine=ENGINE,
        algorithm=_ALGORITHM,
        guarantee=guarantee,
        notes=notes,
        statistics=Statistics(seconds=seconds),
    )
