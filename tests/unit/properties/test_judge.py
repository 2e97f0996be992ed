from __future__ import annotations

from typing import Any

import pytest

from membar.models.model import Model
from membar.program.condition import TRUTH, FinalCell, FinalCondition, Observed, Quantifier
from membar.program.execution import Execution
from membar.program.expr import FALSE, Address
from membar.program.operations import Assert, Lock, Operation
from membar.program.program import Edge, MemoryObject, Program, Thread
from membar.properties import PROPERTIES
from membar.properties.judge import Tally, is_settled, judge
from membar.questions.outcome import Explored, Holds, HoldsWithin, Outcome, Unknown, Violated, Witness
from membar.questions.task import Options, Task, Unrolling

WITNESS = Witness(execution=Execution(events=(), po=frozenset(), rf=(), co=()), final=())
OTHER = Witness(execution=Execution(events=(), po=frozenset(), rf=(), co=()), final=(("x", 1),))
ALL = frozenset({"condition", "assertions", "races", "deadlock"})
LIMIT = "the time limit of 1 s was reached"
ASSERT = Assert(FALSE)
LOCK = Lock(address=Address("x"), size=4)


def subject(quantifier: Quantifier | None, *operations: Operation) -> Program:
    condition = None
    if quantifier is not None:
        condition = FinalCondition(
            quantifier=quantifier, formula=TRUTH, observed=(Observed(FinalCell("x"), "x"),)
        )
    thread = Thread(
        name="T", entry=0, edges=tuple(Edge(source=0, target=1, operations=(op,)) for op in operations)
    )
    return Program(
        name="p",
        language="Program",
        objects=(MemoryObject(name="x"),),
        threads=(thread,),
        condition=condition,
    )


def verdict(
    program: Program,
    *,
    properties: tuple[str, ...] = tuple(PROPERTIES),
    language_model: bool = False,
    options: Options | None = None,
    looked_for: frozenset[str] = ALL,
    **found: Any,
) -> Outcome:
    model = Model(name="m", title="", documentation="", language_model=language_model)
    task = Task(program=program, model=model, properties=properties, options=options or Options())
    return judge(task, Tally(engine="e", algorithm="a", looked_for=looked_for, **found))


NOTHING: dict[str, Any] = {}
POSITIVE: dict[str, Any] = {"positive": 1, "positive_witness": WITNESS}
NEGATIVE: dict[str, Any] = {"negative": 1, "negative_witness": OTHER}
CUT: dict[str, Any] = {"loops_cut": 4}
HELD: dict[str, Any] = {"buffers_held": 2}
STOPPED: dict[str, Any] = {"limit": LIMIT}
UNFIT: dict[str, Any] = HELD | {"unfit": "a step never happens"}


@pytest.mark.parametrize(
    ("quantifier", "found", "expected", "witness"),
    [
        # exists: HOLDS carries the witness, whatever was not looked at
        (Quantifier.EXISTS, POSITIVE, Holds, WITNESS),
        (Quantifier.EXISTS, POSITIVE | NEGATIVE, Holds, WITNESS),
        (Quantifier.EXISTS, POSITIVE | CUT, Holds, WITNESS),
        (Quantifier.EXISTS, POSITIVE | HELD, Holds, WITNESS),
        (Quantifier.EXISTS, POSITIVE | STOPPED, Holds, WITNESS),
        (Quantifier.EXISTS, POSITIVE | UNFIT, Holds, WITNESS),
        (Quantifier.EXISTS, NEGATIVE | UNFIT, Unknown, None),
        (Quantifier.FORALL, POSITIVE | UNFIT, Unknown, None),
        (Quantifier.FORALL, NEGATIVE | UNFIT, Violated, OTHER),
        (Quantifier.EXISTS, NEGATIVE, Violated, None),
        (Quantifier.EXISTS, NOTHING, Violated, None),
        (Quantifier.EXISTS, NEGATIVE | CUT, Unknown, None),
        (Quantifier.EXISTS, NEGATIVE | HELD, Unknown, None),
        (Quantifier.EXISTS, NEGATIVE | STOPPED, Unknown, None),
        # ~exists: VIOLATED carries it
        (Quantifier.NOT_EXISTS, POSITIVE | NEGATIVE, Violated, WITNESS),
        (Quantifier.NOT_EXISTS, POSITIVE | CUT | STOPPED, Violated, WITNESS),
        (Quantifier.NOT_EXISTS, NEGATIVE, Holds, None),
        (Quantifier.NOT_EXISTS, NEGATIVE | CUT, HoldsWithin, None),
        (Quantifier.NOT_EXISTS, NEGATIVE | HELD, HoldsWithin, None),
        (Quantifier.NOT_EXISTS, NEGATIVE | STOPPED, Unknown, None),
        (Quantifier.NOT_EXISTS, NEGATIVE | STOPPED | CUT, Unknown, None),
        # forall: an ending that does not satisfy it
        (Quantifier.FORALL, POSITIVE | NEGATIVE, Violated, OTHER),
        (Quantifier.FORALL, NEGATIVE | CUT | STOPPED, Violated, OTHER),
        (Quantifier.FORALL, POSITIVE, Holds, None),
        (Quantifier.FORALL, POSITIVE | CUT, HoldsWithin, None),
        (Quantifier.FORALL, POSITIVE | STOPPED, Unknown, None),
        # no question of its own: nothing bad was found
        (None, POSITIVE, Holds, None),
        (None, CUT, HoldsWithin, None),
        (None, HELD, HoldsWithin, None),
        (None, STOPPED, Unknown, None),
        (None, STOPPED | HELD, Unknown, None),
    ],
)
def test_every_verdict(
    quantifier: Quantifier | None, found: dict[str, Any], expected: type[Outcome], witness: Witness | None
) -> None:
    outcome = verdict(subject(quantifier), **found)
    assert type(outcome) is expected
    if isinstance(outcome, Holds | Violated):
        assert outcome.witness is witness
    if isinstance(outcome, Violated):
        assert outcome.property == "condition"


@pytest.mark.parametrize("more", [NOTHING, CUT, HELD, STOPPED])
def test_a_broken_property_is_violated_whatever_was_not_looked_at(more: dict[str, Any]) -> None:
    for name, field, program, language_model in (
        ("assertions", "failed_assertion", subject(None, ASSERT), False),
        ("races", "race", subject(None), True),
        ("deadlock", "deadlock", subject(None, LOCK), False),
    ):
        found: dict[str, Any] = {field: WITNESS, **more}
        outcome = verdict(program, language_model=language_model, **found)
        assert isinstance(outcome, Violated)
        assert (outcome.property, outcome.witness) == (name, WITNESS)


def test_races_are_flags_for_a_program_with_a_question() -> None:
    outcome = verdict(subject(Quantifier.FORALL), language_model=True, race=WITNESS, flags={"other"})
    assert isinstance(outcome, Holds)
    assert outcome.run.flags == ("data-race", "other")


def test_races_that_were_asked_for_by_name_break_a_program_with_a_question() -> None:
    outcome = verdict(subject(Quantifier.FORALL), properties=("races",), language_model=True, race=WITNESS)
    assert isinstance(outcome, Violated)
    assert outcome.property == "races"


def test_races_are_flags_under_a_machine_model() -> None:
    outcome = verdict(subject(None), language_model=False, race=WITNESS)
    assert isinstance(outcome, Holds)
    assert outcome.run.flags == ("data-race",)


def test_a_property_that_was_not_asked_for_is_not_judged() -> None:
    outcome = verdict(subject(None, ASSERT, LOCK), properties=("assertions",), deadlock=WITNESS)
    assert isinstance(outcome, Holds)
    assert (outcome.run.checked, outcome.run.unchecked) == (
        ("assertions",),
        ("deadlock",),
    )


def test_a_programs_own_question_is_always_answered() -> None:
    outcome = verdict(subject(Quantifier.EXISTS), properties=("races",), **POSITIVE)
    assert isinstance(outcome, Holds)
    assert outcome.run.checked == ("condition", "races")


def test_what_an_engine_cannot_check_is_named() -> None:
    able = frozenset({"condition", "assertions"})
    outcome = verdict(subject(None, ASSERT, LOCK), looked_for=able)
    assert isinstance(outcome, Unknown)
    assert outcome.reason == "the engine e cannot check deadlock of this program"
    assert (outcome.run.checked, outcome.run.unchecked) == (
        ("assertions",),
        ("deadlock",),
    )
    unable = verdict(subject(None, LOCK), properties=("deadlock",), looked_for=able)
    assert isinstance(unable, Unknown)
    assert "cannot check deadlock" in unable.reason


@pytest.mark.parametrize("properties", [(), ("none",)])
def test_without_a_question_there_is_no_verdict(properties: tuple[str, ...]) -> None:
    outcome = verdict(subject(Quantifier.EXISTS), properties=properties, **POSITIVE)
    assert outcome == Explored(outcome.run, complete=True)
    assert outcome.run.checked == ()
    stopped = verdict(subject(None), properties=properties, **STOPPED)
    assert stopped == Explored(stopped.run, complete=False)


@pytest.mark.parametrize(
    ("found", "loops", "buffers", "bound", "chosen"),
    [
        (CUT, False, False, "loops unrolled 4 times", False),
        (CUT, True, False, "loops unrolled 4 times", True),
        ({"loops_cut": 1}, True, False, "loops unrolled once", True),
        (HELD, True, False, "store buffers of at most 2 entries", False),
        (HELD, False, True, "store buffers of at most 2 entries", True),
        ({"buffers_held": 1}, False, True, "store buffers of at most 1 entry", True),
        (CUT | HELD, True, False, "loops unrolled 4 times and store buffers of at most 2 entries", False),
        (CUT | HELD, True, True, "loops unrolled 4 times and store buffers of at most 2 entries", True),
    ],
)
def test_a_bound_is_named_and_whose_it_is(
    found: dict[str, Any], bound: str, *, loops: bool, buffers: bool, chosen: bool
) -> None:
    options = Options(unrolling=Unrolling(chosen_by_user=loops), buffers_chosen_by_user=buffers)
    outcome = verdict(subject(None), options=options, **found)
    assert isinstance(outcome, HoldsWithin)
    assert (outcome.bound, outcome.chosen_by_user) == (bound, chosen)
    assert outcome.run.guarantee == bound


def test_a_step_that_never_happens_leaves_the_question_open() -> None:
    outcome = verdict(subject(None), **UNFIT)
    assert isinstance(outcome, Unknown)
    assert outcome.reason == "a step never happens"
    assert outcome.run.notes == ()
    explored = verdict(subject(None), properties=(), **UNFIT)
    assert explored == Explored(explored.run, complete=False)
    assert explored.run.notes == ("a step never happens",)


def test_guarantees_say_what_was_enumerated() -> None:
    assert verdict(subject(None)).run.guarantee == "all executions"
    assert verdict(subject(None), unit="states").run.guarantee == "all states"
    assert (
        verdict(subject(None), **STOPPED).run.guarantee
        == "only the executions found before the time limit of 1 s"
    )


def test_outcomes_are_sorted_by_value_with_addresses_last() -> None:
    found = {(("x", 10),), (("x", "y"),), (("x", -1),), (("x", 2),)}
    outcome = verdict(subject(None), outcomes=found)
    assert [value for ((_, value),) in outcome.run.outcomes] == [-1, 2, 10, "y"]


@pytest.mark.parametrize(
    ("quantifier", "found", "settled"),
    [
        (Quantifier.EXISTS, POSITIVE | CUT, False),  # the assertion may fail beyond the bound
        (Quantifier.EXISTS, NEGATIVE | CUT, False),
        (Quantifier.EXISTS, NEGATIVE | CUT | STOPPED, True),
        (Quantifier.NOT_EXISTS, NEGATIVE | CUT, False),
        (Quantifier.NOT_EXISTS, NEGATIVE, True),
        (None, CUT | {"failed_assertion": WITNESS}, True),
    ],
)
def test_deepening_stops_when_the_verdict_stands(
    quantifier: Quantifier | None, found: dict[str, Any], *, settled: bool
) -> None:
    task = Task(
        program=subject(quantifier, ASSERT),
        model=Model(name="m", title="", documentation=""),
        properties=tuple(PROPERTIES),
    )
    assert is_settled(task, Tally(engine="e", algorithm="a", looked_for=ALL, **found)) is settled
