"""LTL over DVE's expressions: how formulas are read, and what they say of runs."""

from __future__ import annotations

import pytest

import membar
from membar.diagnostics import InputError
from membar.program.temporal import Claim
from membar.properties.ltl.translation import formula_name
from membar.questions.outcome import Violated
from membar.questions.task import Options
from unit.languages.dve.texts import process, program, source, whole

LOOP = "process P { byte x; state a, b; init a; trans a -> b { effect x = 1; }, b -> a {}; }\n"
STAY = "process Q { state a; init a; trans a -> a {}; }\n"


def read(formula: str) -> str:
    text = "byte g, h;" + whole(process(local="byte x;"), system=f"system async; ltl {formula};")
    (claim,) = program(text).claims
    assert not isinstance(claim.body, Claim)
    return formula_name(claim.body)  # type: ignore[arg-type]  # a formula, as `ltl` gives


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("F P.a", "F (P.a)"),
        ("GF g == 1", "G F (g == 1)"),
        ("[]<> g == 1", "G F (g == 1)"),
        ("F g -> F h", "(!F g || F h)"),
        ("F g => F h", "(!F g || F h)"),
        ("F g imply F h", "(!F g || F h)"),
        ("F g or F h and X g", "(F g || (F h && X g))"),
        ("g U h", "(g U h)"),
        ("g U h R g", "(g U (h R g))"),
        ("not F P->x", "!F (P->x)"),
        ("F (g + h > 1)", "F (g + h > 1)"),
        ("F ((g + h) * 2 > 1)", "F ((g + h) * 2 > 1)"),
        ("(F g) and (g or h)", "(F g && (g || h))"),
        ("G (g -> F h)", "G (!g || F h)"),
    ],
)
def test_formulas_are_read(text: str, expected: str) -> None:
    assert read(text) == expected


def test_what_is_always_true_is_about_states() -> None:
    subject = program("byte g;" + whole(process(), system="system async; ltl G (P.a -> g == 0);"))
    assert not subject.claims
    (error,) = subject.errors
    assert "g == 0" in error.text


@pytest.mark.parametrize(
    ("formula", "holds"),
    [
        ("GF P.a", False),
        ("F P.a", True),
        ("GF (P.a or P.b)", True),
        ("F P.b", False),  # Q may go on alone forever
        ("G (P.b -> P->x == 1)", True),
        ("X P.b", False),
        ("F P.b -> F P->x == 1", True),
        ("FG P.a or GF P.b or FG P.b", True),
    ],
)
def test_formulas_of_runs(formula: str, *, holds: bool) -> None:
    options = Options(fair=frozenset())
    result = membar.check(
        source(whole(LOOP, STAY)), model="sc", engine="states", ltl=formula, options=options
    )
    assert isinstance(result.outcome, Violated) is not holds


@pytest.mark.parametrize("formula", ["G", "F (P.a", "F P.z", "P.a U", "F z", "F P.a )", "X [] "])
def test_bad_formulas_are_refused(formula: str) -> None:
    with pytest.raises(InputError) as caught:
        membar.check(source(whole(LOOP)), model="sc", ltl=formula)
    assert caught.value.diagnostics[0].code in ("W1002", "W1008")
