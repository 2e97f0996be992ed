from __future__ import annotations

from dataclasses import replace

import pytest

from membar.models.plan import Check, CheckKind, CheckMode, Plan
from membar.program.condition import (
    TRUTH,
    And,
    Compare,
    Comparison,
    FinalCell,
    FinalCondition,
    FinalRegister,
    Formula,
    Implies,
    Not,
    Observed,
    Or,
    Quantifier,
)
from membar.program.expr import MASK, Address
from membar.program.program import MemoryObject, Program
from membar.questions.outcome import Explored, Holds, HoldsWithin, Outcome, Unknown, Violated
from membar.reports import herd
from membar.reports._parts.condition import condition_text, sorted_states, state_satisfies, state_text
from unit.reports.shapes import answer_about, equal, model, run, sb_answer, sb_program, sb_states


def test_the_block_is_herds() -> None:
    assert herd.render(sb_answer()) == (
        "Test SB Forbidden\n"
        "States 4\n"
        "0:EAX=0; 1:EAX=0;\n"
        "0:EAX=0; 1:EAX=1;\n"
        "0:EAX=1; 1:EAX=0;\n"
        "0:EAX=1; 1:EAX=1;\n"
        "No\n"
        "Witnesses\n"
        "Positive: 3 Negative: 1\n"
        "Condition ~exists (0:EAX=0 /\\ 1:EAX=0)\n"
        "Observation SB Sometimes 1 3\n"
        "Time SB 0.25\n"
        "\n"
    )


@pytest.mark.parametrize(
    ("quantifier", "counts", "outcome", "expected"),
    [
        (Quantifier.EXISTS, (1, 3), Holds, ("Allowed", "Ok", "Positive: 1 Negative: 3", "Sometimes 1 3")),
        (Quantifier.EXISTS, (0, 3), Holds, ("Allowed", "No", "Positive: 0 Negative: 3", "Never 0 3")),
        (Quantifier.NOT_EXISTS, (0, 4), Holds, ("Forbidden", "Ok", "Positive: 4 Negative: 0", "Never 0 4")),
        (Quantifier.FORALL, (2, 0), Holds, ("Required", "Ok", "Positive: 2 Negative: 0", "Always 2 0")),
        (Quantifier.FORALL, (2, 1), Holds, ("Required", "No", "Positive: 2 Negative: 1", "Sometimes 2 1")),
        (
            Quantifier.FORALL,
            (2, 0),
            HoldsWithin,
            ("Required", "Loop Ok", "Positive: 2 Negative: 0", "Always 2 0"),
        ),
        (
            Quantifier.EXISTS,
            (0, 3),
            Unknown,
            ("Allowed", "Unknown", "Positive: 0 Negative: 3", "Unknown 0 3"),
        ),
    ],
)
def test_counts_and_verdicts_follow_the_quantifier(
    quantifier: Quantifier,
    counts: tuple[int, int],
    outcome: type[Outcome],
    expected: tuple[str, str, str, str],
) -> None:
    facts = run(positive=counts[0], negative=counts[1], outcomes=sb_states())
    found = Holds(facts) if outcome is Holds else outcome(facts, "bound")  # type: ignore[arg-type]
    block = herd.render(answer_about(sb_answer().source, sb_program(quantifier), model(), found)).splitlines()
    kind, verdict, witnesses, seen = expected
    assert block[0] == f"Test SB {kind}"
    assert block[6] == verdict
    assert block[8] == witnesses
    assert f"Observation SB {seen}" in block


def test_an_undefined_program_is_called_undef_and_flagged() -> None:
    checks = tuple(
        Check(kind=CheckKind.EMPTY, slot=0, name=name, mode=mode)
        for name, mode in (("race", CheckMode.UNDEFINED_UNLESS), ("odd", CheckMode.FLAG))
    )
    plan = Plan(instructions=(), fixpoints=(), checks=checks)
    facts = run(flags=("race", "odd", "ours"), outcomes=sb_states(), positive=1, negative=3)
    answer = answer_about(
        sb_answer().source, sb_program(), replace(model(), plan=plan), Violated(facts, "races")
    )
    block = herd.render(answer).splitlines()
    assert block[6] == "Undef"
    assert [line for line in block if line.startswith("Flag")] == ["Flag *undef*", "Flag odd"]


def test_a_program_without_a_question_gets_herds_default() -> None:
    program = replace(sb_program(), condition=None)
    block = herd.render(
        answer_about(sb_answer().source, program, model(), Explored(run(positive=3), complete=True))
    )
    assert "Test SB Required\n" in block
    assert "Condition forall (true)\n" in block


ARRAY = MemoryObject(name="v", count=2, is_array=True)
X0, X1 = FinalRegister(0, "X0", 64), FinalRegister(1, "X1", 64)
CELL, ELEMENTS = FinalCell("x"), (FinalCell("v", 0), FinalCell("v", 1))


def asking(formula: Formula, observed: tuple[Observed, ...] = ()) -> Program:
    basic = (Observed(X0, "0:X0"), Observed(X1, "1:X1"), Observed(CELL, "x"))
    elements = tuple(Observed(e, f"v[{e.index}]") for e in ELEMENTS)
    return Program(
        name="t",
        language="AArch64",
        objects=(MemoryObject(name="x"), ARRAY),
        threads=(),
        condition=FinalCondition(
            quantifier=Quantifier.EXISTS, formula=formula, observed=observed or (*basic, *elements)
        ),
    )


A, B, C = equal(X0, 1), equal(CELL, 2), equal(X1, 0)


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (TRUTH, "true"),
        (Or(()), "false"),
        (A, "0:X0=1"),
        (And((A, And((B, C)))), "0:X0=1 /\\ [x]=2 /\\ 1:X1=0"),
        (And((A, Or((B, C)))), "0:X0=1 /\\ ([x]=2 \\/ 1:X1=0)"),
        (Or((And((A, B)), C)), "0:X0=1 /\\ [x]=2 \\/ 1:X1=0"),
        (Not(Or((A, B))), "not (0:X0=1 \\/ [x]=2)"),
        (Compare(X0, Comparison.NE, 1), "not (0:X0=1)"),
        (Implies(And((A, B)), C), "(0:X0=1 /\\ [x]=2) => 1:X1=0"),
        (equal(X0, MASK), "0:X0=-1"),
        (equal(X0, Address("x")), "0:X0=x"),
        (equal(X0, Address("v")), "0:X0=v"),
        (equal(X0, Address("v", 4)), "0:X0=v[1]"),
        (And((equal(ELEMENTS[0], 3), equal(ELEMENTS[1], 4))), "v[0]=3 /\\ v[1]=4"),
        (Compare(X0, Comparison.EQ, X1), "0:X0=1:X1"),
        (Compare(X0, Comparison.LE, 4), "0:X0<=4"),
    ],
)
def test_conditions_are_written_without_redundant_parentheses(formula: Formula, text: str) -> None:
    program = asking(formula)
    assert program.condition is not None
    assert condition_text(program, program.condition) == f"exists ({text})"


def test_an_array_shown_as_a_whole_is_written_in_braces() -> None:
    whole = tuple(Observed(e, f"v[{e.index}]", array="v") for e in ELEMENTS)
    formula = And((equal(ELEMENTS[0], 3), equal(ELEMENTS[1], 4)))
    program = asking(And((A, formula)), (Observed(X0, "0:X0"), *whole))
    assert program.condition is not None
    assert condition_text(program, program.condition) == "exists (0:X0=1 /\\ v={3,4})"
    assert state_text(program, (("0:X0", 1), ("v[0]", 3), ("v[1]", 4))) == "0:X0=1; v={3,4};"


def test_states_name_addresses_and_bracket_locations() -> None:
    program = asking(TRUTH)
    state = (("0:X0", "v[0]"), ("1:X1", -1), ("x", 2), ("v[0]", 0), ("v[1]", 1))
    assert state_text(program, state) == "0:X0=v; 1:X1=-1; [x]=2; v[0]=0; v[1]=1;"


def test_states_are_sorted_by_number_then_by_name() -> None:
    values: list[int | str] = ["z", 10, -1, "a", 9]
    states = tuple((("0:X0", value),) for value in values)
    assert [state[0][1] for state in sorted_states(states)] == [-1, 9, 10, "a", "z"]


@pytest.mark.parametrize(("value", "answer"), [(1, True), (0, False), ("x", False), ("nowhere", None)])
def test_a_shown_state_is_judged_by_what_it_shows(value: int | str, answer: bool | None) -> None:  # noqa: FBT001
    program = asking(A, (Observed(X0, "0:X0"),))
    assert state_satisfies(program, A, (("0:X0", value),)) is answer


def test_a_state_that_shows_too_little_is_not_judged() -> None:
    program = asking(A, (Observed(X1, "1:X1"),))
    assert state_satisfies(program, A, (("1:X1", 0),)) is None
