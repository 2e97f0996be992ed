"""What a model claims, as laws that one program can refute.

Each law is about one key of a file of claims, or about all models (`fences`, `engines`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

from membar.languages.registry import load_model
from membar.models.evaluate import evaluator_of
from membar.models.mappings import apply_mapping, mapping_named
from membar.models.model import ANY_TAGS, GENERAL, HIDDEN, Model, Operational
from membar.models.plan import Plan
from membar.program.expr import Address, Register
from membar.program.operations import Fence, Load, Rmw
from membar.questions.model_tests import searches
from membar.questions.model_tests.cases import Case
from membar.questions.model_tests.programs import shared_accesses
from membar.questions.model_tests.sample import FENCE_WORDS, last_point, observing_all, with_operation
from membar.questions.outcome import FinalState
from membar.questions.reordered_use_after_free import without_load_buffering
from membar.records import record, replace

_ADDED: Final = "added"
_FEW_ACCESSES: Final = 4


@record(frozen=True, slots=True, kw_only=True)
class Law:
    """A law that every program must satisfy.

    Attributes:
        key: the claim it tests, as in the file of claims.
        says: the claim in words, for people.
        applies: whether a model claims it.
        refutation: why a program refutes it; nothing if it does not.
        is_about_c: whether its programs are C programs.
    """

    key: str
    says: str
    applies: Callable[[Model], bool]
    refutation: Callable[[Case], str]
    is_about_c: bool = False


def laws_for(model: Model) -> tuple[Law, ...]:
    """The laws that apply to a model."""
    return tuple(law for law in LAWS if law.applies(model))


def _has_axioms(model: Model) -> bool:
    return model.plan is not None


def _engines(case: Case) -> str:
    """The reference enumerates every candidate; it is slow, so one program in four is enough."""
    if case.seed % 4:
        raise searches.LawDoesNotApplyError
    found, expected = case.tally, case.reference()
    if found.outcomes != expected.outcomes:
        return "the search and the reference find different final states"
    counts = found.statistics.executions, expected.statistics.executions
    return (
        ""
        if counts[0] == counts[1]
        else f"the search finds {counts[0]} executions, the reference {counts[1]}"
    )


def _search(case: Case) -> str:
    return searches.difference_of_search(case.program, case.model, case.seconds)


def _claimed_answer(case: Case) -> str:
    """The engine with all its reductions, as users run it."""
    found = frozenset(case.explore(case.model).outcomes)
    return _difference_text("with its claims", found, "by the general search", case.states)


def _load_buffering(case: Case) -> str:
    return searches.difference_without_buffering(case.program, case.model, case.seconds)


def _buffered_loads(case: Case) -> str:
    return searches.difference_without_signs(case.program, case.model, case.seconds)


def _holds_of_executions(name: str) -> Callable[[Case], str]:
    """The law of `laws.cat` with this name, in every execution."""

    def refutation(case: Case) -> str:
        plan = _laws_in_cat()
        check = next(check for check in plan.checks if check.name == name)
        for witness in case.tally.kept:
            if not evaluator_of(plan).whole(witness.execution).holds(check):
                state = _states_text([witness.final])
                return f"the model allows an execution that breaks it; it ends in {state}"
        return ""

    return refutation


@cache
def _laws_in_cat() -> Plan:
    plan = load_model(str(Path(__file__).with_name("laws.cat"))).plan
    if plan is None:
        raise ValueError("laws.cat has axioms")
    return plan


def _sc(case: Case) -> str:
    return _missing(case.states_of(load_model("sc")), "sc", case.states, "the model")


def _within_tso(case: Case) -> str:
    return _missing(case.states, "the model", case.states_of(load_model("x86-tso")), "x86-tso")


def _store_buffers(case: Case) -> str:
    return _difference_text("the axioms allow", case.states, "the machine reaches", case.machine(case.model))


def _values(case: Case) -> str:
    guessing = replace(case.model, claims=replace(searches.without_claims(case.model).claims, may_guess=True))
    found = frozenset(case.explore(guessing).outcomes)
    return _missing(found, "the model, if reads may take any constant,", case.states, "without that")


def _fences(case: Case) -> str:
    """One more fence, anywhere."""
    if not case.features.fences:
        raise searches.LawDoesNotApplyError
    random = case.random
    thread = random.randrange(len(case.program.threads))
    fence = Fence(random.choice(case.features.fences))
    at = random.randint(0, last_point(case.program, thread))
    fenced = with_operation(case.program, fence, thread=thread, at=at)
    word = "+".join(sorted(fence.tags))
    where = f"a fence {word} in P{thread} before step {at}"
    return _missing(case.states_of(case.model, fenced), f"with {where} the model", case.states, "without it")


def _tags(case: Case) -> str:
    """A fence that the model does not define, between all steps of all threads."""
    fences = sorted(word for word in FENCE_WORDS if word not in case.model.tags)
    if not fences:
        raise searches.LawDoesNotApplyError
    word = case.random.choice(fences)
    program = case.program
    for thread in range(len(program.threads)):
        for at in reversed(range(1, last_point(program, thread))):
            program = with_operation(program, Fence(frozenset({word})), thread=thread, at=at)
    found = case.states_of(case.model, program)
    return _difference_text(f"with a fence {word} between all steps", found, "without them", case.states)


def _fair(case: Case) -> str:
    """One more read at the end of a thread that is never joined may return the final value of memory."""
    random = case.random
    started = [number for number, thread in enumerate(case.program.threads) if thread.started]
    thread = random.choice(started)
    place = random.choice(case.program.objects)
    load = Load(
        register=_ADDED, address=Address(place.name), size=place.size, tags=random.choice(case.features.loads)
    )
    at = last_point(case.program, thread)
    longer = observing_all(with_operation(case.program, load, thread=thread, at=at))
    label = f"{thread}:{_ADDED}"
    found = {frozenset(state) for state in case.states_of(case.model, longer)}
    for state in sorted(case.states):
        if frozenset({*state, (label, dict(state)[place.name])}) not in found:
            return (
                f"a read of {place.name} at the end of P{thread} cannot take the last value when it ends in"
                f" {_states_text([state])}"
            )
    return ""


def _write_backs(case: Case) -> str:
    """An RMW that writes back what it reads adds no final state, wherever it is inserted.

    In small programs it is tried everywhere, else somewhere.
    """
    if not case.features.rmws:
        raise searches.LawDoesNotApplyError
    places = [
        (thread, at, place)
        for thread in range(len(case.program.threads))
        for at in range(last_point(case.program, thread) + 1)
        for place in case.program.objects
    ]
    random = case.random
    is_small = shared_accesses(case.program) <= _FEW_ACCESSES
    for thread, at, place in places if is_small else [random.choice(places)]:
        read, write = case.features.rmws[0] if is_small else random.choice(case.features.rmws)
        operation = Rmw(
            register=_ADDED,
            address=Address(place.name),
            value=Register(_ADDED),
            size=place.size,
            read_tags=read,
            write_tags=write,
        )
        longer = with_operation(case.program, operation, thread=thread, at=at)
        where = (
            f"with an atomic operation on {place.name} in P{thread} before step {at} that writes what it"
            " reads, the model"
        )
        if problem := _missing(case.states_of(case.model, longer), where, case.states, "without it"):
            return problem
    return ""


def _right_mappings(case: Case) -> str:
    """rc11 allows everything that a mapped C program does, load buffering aside."""
    plan = case.model.plan
    if plan is None:
        return ""
    processor = replace(case.model, plan=without_load_buffering(plan))
    language = case.states_of(load_model("rc11"))
    for name in case.model.claims.right_mappings:
        states = case.states_of(processor, apply_mapping(case.program, mapping_named(name)))
        if problem := _missing(states, f"mapped by {name}, the model", language, "rc11"):
            return problem
    return ""


def _missing(states: Iterable[FinalState], who: str, others: frozenset[FinalState], whom: str) -> str:
    """States that are not among others, in words."""
    extra = [state for state in states if state not in others]
    return f"{who} allows {_states_text(extra)}, {whom} does not" if extra else ""


def _difference_text(
    left: str, ours: frozenset[FinalState], right: str, theirs: frozenset[FinalState]
) -> str:
    parts = [
        f"only {name}: {_states_text(states)}"
        for name, states in ((left, ours - theirs), (right, theirs - ours))
        if states
    ]
    return "; ".join(parts)


def _states_text(states: Iterable[FinalState]) -> str:
    texts = sorted("{" + "; ".join(f"{name}={value}" for name, value in state) + "}" for state in states)
    more = f" and {len(texts) - 3} more" if len(texts) > 3 else ""
    return ", ".join(texts[:3]) + more


def unused_tags(model: Model) -> tuple[str, ...]:
    """Tags that the model names and no check depends on, but for those in a set `no-effect`."""
    plan = model.plan
    if plan is None:
        return ()
    needed = set(_with_operands(plan, (check.slot for check in plan.checks)))
    excused = set(
        _with_operands(plan, (slot for name, slot in plan.names if name.replace("_", "-") == "no-effect"))
    )
    used = {plan.instructions[slot].name for slot in needed | excused}
    return tuple(sorted(model.tags - used))


def _with_operands(plan: Plan, roots: Iterable[int]) -> Iterator[int]:
    """Slots, and all slots that they are computed from; a fixpoint depends on all of its slots."""
    results = {variable: fixpoint.results for fixpoint in plan.fixpoints for variable in fixpoint.variables}
    todo, seen = [*roots], set[int]()
    while todo:
        slot = todo.pop()
        if slot not in seen:
            seen.add(slot)
            yield slot
            todo += [*plan.instructions[slot].args, *results.get(slot, ())]


LAWS: Final = (
    Law(
        key="engines",
        says="the search finds the same executions as the reference",
        applies=_has_axioms,
        refutation=_engines,
    ),
    Law(
        key="coherence",
        says="each location on its own behaves like a single variable",
        applies=lambda model: _has_axioms(model) and model.claims.is_coherent,
        refutation=_holds_of_executions("coherence"),
    ),
    Law(
        key="atomicity",
        says="no other write comes between the two halves of a read-modify-write",
        applies=lambda model: _has_axioms(model) and model.claims.is_atomic,
        refutation=_holds_of_executions("atomicity"),
    ),
    Law(
        key="sc-executions",
        says="everything that sc allows is allowed",
        applies=lambda model: model.claims.allows_sc,
        refutation=_sc,
    ),
    Law(
        key="fences",
        says="a fence never adds final states",
        applies=_has_axioms,
        refutation=_fences,
    ),
    Law(
        key="tags",
        says="fences that the model does not define have no effect",
        applies=lambda model: _has_axioms(model) and model.claims.tags == ANY_TAGS,
        refutation=_tags,
    ),
    Law(
        key="search",
        says="the claimed search finds the same executions as the general one",
        applies=lambda model: model.claims.search != GENERAL,
        refutation=_search,
    ),
    Law(
        key="answers",
        says="answers with all claims and reductions are those of the general search",
        applies=_has_axioms,
        refutation=_claimed_answer,
    ),
    Law(
        key="load-buffering",
        says="only programs with pairs of this relation have cycles of po and rf",
        applies=lambda model: bool(model.claims.load_buffering),
        refutation=_load_buffering,
    ),
    Law(
        key="buffered-loads",
        says="executions without cycles of po and rf show signs of those with cycles",
        applies=lambda model: model.claims.buffered_loads != HIDDEN,
        refutation=_buffered_loads,
    ),
    Law(
        key="write-backs",
        says="an atomic operation that writes what it reads adds no final states",
        applies=lambda model: model.claims.ignores_write_backs,
        refutation=_write_backs,
    ),
    Law(
        key="order",
        says="program order after reads, co, fr and rfe have no cycle together",
        applies=lambda model: model.claims.global_order,
        refutation=_holds_of_executions("order"),
    ),
    Law(
        key="fair",
        says="one more read can always return the last write",
        applies=lambda model: model.claims.fair,
        refutation=_fair,
    ),
    Law(
        key="self-justifying-values",
        says="no value comes out of thin air",
        applies=lambda model: _has_axioms(model) and not model.claims.may_guess,
        refutation=_values,
    ),
    Law(
        key="store-buffers",
        says="the axioms allow exactly what the machine with store buffers does",
        applies=lambda model: _has_axioms(model) and model.operational is not None,
        refutation=_store_buffers,
    ),
    Law(
        key="store-buffers",
        says="what the machine does is allowed by x86-tso",
        applies=lambda model: model.operational is Operational.CAM,
        refutation=_within_tso,
    ),
    Law(
        key="right-mappings",
        says="mapped C programs do no more than rc11 allows, load buffering aside",
        applies=lambda model: bool(model.claims.right_mappings),
        refutation=_right_mappings,
        is_about_c=True,
    ),
)
