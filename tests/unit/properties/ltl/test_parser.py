"""`--ltl`: formulas about a program."""

from __future__ import annotations

import pytest

import membar
from membar.diagnostics import InputError
from membar.program import temporal as t
from membar.program.predicate import AtPoint, CellValue, Observable, RegisterValue
from membar.properties.ltl.parser import formula_of
from membar.properties.ltl.translation import formula_name
from membar.source import SourceFile

TEXT = "byte x, y, a[2]; active [2] proctype P() { byte k; k = x; cs: x = 1 }"
PROGRAM = membar.parse(SourceFile("test.pml", TEXT))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("G(P_0.cs -> F P_1.cs)", "G (!(P_0.cs) || F (P_1.cs))"),
        ("[] <> x", "G F x"),
        ("x U y U x", "(x U (y U x))"),
        ("x -> y -> x", "(!x || (!y || x))"),
        ("G x U y", "(G x U y)"),
        ("x W y", "(y R (x || y))"),
        ("X !x && y", "(X !x && y)"),
        ("F (a[1] + 1 > 2)", "F (a[1] + 1 > 2)"),
        ("true U x == 1", "F (x == 1)"),
        ("x <-> G y", "((x && G y) || (!x && !G y))"),
        ("always (x implies eventually y)", "G (!x || F y)"),
        ("x until y release x", "(x U (y R x))"),
        ("x /\\ next y \\/ not x", "((x && X y) || !x)"),
        ("x = 1 & y | FALSE", "(((x = 1) && y) || false)"),
        ("x xor X y", "!((x && X y) || (!x && !X y))"),
        ("H Y x S O y", "(!(true S !Y x) S (true S y))"),
        ("x T Z y", "!(!x S !!Y !y)"),
    ],
)
def test_formulas(text: str, expected: str) -> None:
    assert formula_name(formula_of(text, PROGRAM)) == expected


@pytest.mark.parametrize("text", ["G", "next", "G && next", "G == 1 U next", "G next", "F G", "next G"])
def test_operators_are_names_where_no_operand_follows(text: str) -> None:
    program = membar.parse(SourceFile("test.pml", "byte G, next; active proctype P() { G = next }"))
    found = {seen for part in t.subformulas(formula_of(text, program)) if isinstance(part, t.Atom)
             for _, seen in part.predicate.reads}  # fmt: skip
    assert found <= {CellValue("G"), CellValue("next")}
    assert found


@pytest.mark.parametrize("text", ["F W.c", "W:c W W.c", "X W@l", "x U W.l"])
def test_a_process_may_be_called_like_an_operator(text: str) -> None:
    program = membar.parse(SourceFile("test.pml", "byte x; active proctype W() { byte c; c = 1; l: x = 1 }"))
    formula_of(text, program)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("x", CellValue("x")),
        ("a[1]", CellValue("a", 1)),
        ("P_1.k", RegisterValue(1, "k")),
        ("P[1]:k", RegisterValue(1, "k")),
        ("0:k", RegisterValue(0, "k")),
        ("P[0]@cs", AtPoint(0, frozenset({1}))),
        ("P_0.cs", AtPoint(0, frozenset({1}))),
    ],
)
def test_names(text: str, seen: Observable) -> None:
    found = formula_of(text, PROGRAM)
    assert isinstance(found, t.Atom)
    assert [item for _, item in found.predicate.reads] == [seen]


@pytest.mark.parametrize(
    ("text", "value"),
    [("x + 1 > 2", 1), ("x * 2 <= y", 0), ("-x < 0", 1), ("x - y == 2 - y", 1), ("!x + 1", 1)],
)
def test_predicates_compute_with_signed_numbers(text: str, value: int) -> None:
    found = formula_of(text, PROGRAM)
    predicate = found.predicate if isinstance(found, t.Atom) else None
    if predicate is not None:
        assert predicate.holds(lambda seen: 2 if seen == CellValue("x") else 1) is bool(value)


@pytest.mark.parametrize(
    ("text", "code", "column"),
    [
        ("G(", "W0410", 3),
        ("x $ y", "W0410", 3),
        ("x y", "W0410", 3),
        ("(x", "W0410", 3),
        ("z", "W0411", 1),
        ("a", "W0411", 1),
        ("a[2]", "W0411", 1),
        ("Q.cs", "W0411", 1),
        ("P_0.nowhere", "W0411", 5),
        ("5:k", "W0411", 1),
        ("(" * 100, "W0410", 61),
        ("1 + G x", "W0410", 1),
        ("G x == 1", "W0410", 1),
    ],
)
def test_mistakes_are_located(text: str, code: str, column: int) -> None:
    with pytest.raises(InputError) as caught:
        formula_of(text, PROGRAM)
    (found,) = caught.value.diagnostics
    assert found.primary is not None
    assert (found.code, found.primary.span.column) == (code, column)


@pytest.mark.parametrize(("formula", "verdict"), [("G F P_0.cs", "violated"), ("G (x < 100)", "holds")])
def test_a_formula_from_the_command_line_is_checked(formula: str, verdict: str) -> None:
    result = membar.check(SourceFile("test.pml", TEXT), model="sc", ltl=formula)
    assert result.verdict == verdict
