"""What `.cub` texts mean: the system that the front end builds, construct by construct."""

from __future__ import annotations

from fractions import Fraction

import pytest

from membar.languages.cubicle.elaborate import parse
from membar.source import SourceFile
from membar.systems.mapping import sequential
from membar.systems.system import AnyValue, Assign, AssignAll, ParameterizedSystem, SymbolKind
from membar.systems.terms import (
    BOOL,
    Access,
    Basic,
    Comparison,
    Constructor,
    Linear,
    Literal,
    ProcessConstant,
    ProcessVariable,
    number,
)

HEAD = """type loc = A | B
type data
array P[proc] : loc
array M[proc,proc] : bool
var X : int
var Y : real
var D : data
var T : proc
const K : int
"""
TAIL = "init (p) { P[p] = A }\nunsafe (p q) { P[p] = B && P[q] = B }\n"
P, Q, R = (ProcessVariable(name) for name in "pqr")


def system(text: str, *, head: str = HEAD, tail: str = TAIL) -> ParameterizedSystem:
    return parse(SourceFile("t.cub", head + tail + text))


def at(process: ProcessVariable, point: str) -> Literal:
    kind = system("").types[0]
    assert not isinstance(kind, Basic)
    return Literal(Access("P", (process,)), Comparison.EQUAL, Constructor(kind, point))  # type: ignore[arg-type]


def guards(formula: str) -> list[tuple[Literal, ...]]:
    found = system(f"transition t (p q) requires {{ {formula} }} {{ }}")
    return [transition.guard for transition in found.transitions]


def test_declarations() -> None:
    found = system("")
    assert [(s.name, s.dimensions, s.kind) for s in found.symbols] == [
        ("P", 1, SymbolKind.VARIABLE),
        ("M", 2, SymbolKind.VARIABLE),
        ("X", 0, SymbolKind.VARIABLE),
        ("Y", 0, SymbolKind.VARIABLE),
        ("D", 0, SymbolKind.VARIABLE),
        ("T", 0, SymbolKind.VARIABLE),
        ("K", 0, SymbolKind.CONSTANT),
    ]
    assert found.symbol["M"].type == BOOL
    assert not found.is_weak
    assert not found.outsiders


@pytest.mark.parametrize(
    ("formula", "literal"),
    [
        ("X < 3", Literal(Access("X"), Comparison.LESS, number(3))),
        ("X > 3", Literal(number(3), Comparison.LESS, Access("X"))),
        ("X >= -3", Literal(number(-3), Comparison.AT_MOST, Access("X"))),
        ("not X < 3", Literal(number(3), Comparison.AT_MOST, Access("X"))),
        ("not (X <> 3)", Literal(Access("X"), Comparison.EQUAL, number(3))),
        ("p < q", Literal(P, Comparison.LESS, Q)),
        ("T <> p", Literal(Access("T"), Comparison.DIFFERENT, P)),
        ("Y = 1.5", Literal(Access("Y"), Comparison.EQUAL, number(Fraction(3, 2), Basic.REAL))),
        ("M[p,q] = True", Literal(Access("M", (P, Q)), Comparison.EQUAL, Constructor(BOOL, "True"))),
        (
            "X = X - 2 * K + 1 + X",
            Literal(
                Access("X"),
                Comparison.EQUAL,
                Linear(
                    Basic.INT,
                    Fraction(1),
                    ((Fraction(2), Access("X")), (Fraction(-2), Access("K"))),
                ),
            ),
        ),
        ("X = X + 0", Literal(Access("X"), Comparison.EQUAL, Access("X"))),
    ],
)
def test_literals(formula: str, literal: Literal) -> None:
    assert guards(formula) == [(literal,)]


def test_operators_bind_as_documented() -> None:
    a, b, c = at(P, "A"), at(P, "B"), at(Q, "A")
    assert guards("P[p] = A && P[p] = B || P[q] = A") == [(a, b), (c,)]
    assert guards("P[p] = A || P[p] = B && P[q] = A") == [(a,), (b, c)]
    assert guards("(P[p] = A || P[p] = B) && P[q] = A") == [(a, c), (b, c)]
    assert guards("not P[p] <> A && P[q] = A") == [(a, c)]


def test_implications_equivalences_and_conditionals() -> None:
    a, c = at(P, "A"), at(Q, "A")
    not_a = Literal(a.left, Comparison.DIFFERENT, a.right)
    not_c = Literal(c.left, Comparison.DIFFERENT, c.right)
    assert guards("P[p] = A => P[q] = A") == [(not_a,), (c,)]
    assert guards("P[p] = A <=> P[q] = A") == [(a, c), (not_a, not_c)]
    assert guards("not (P[p] = A <=> P[q] = A)") == [(a, not_c), (not_a, c)]
    assert guards("if P[p] = A then P[q] = A else false") == [(a, c)]
    assert guards("true") == [()]
    assert guards("false") == []


def test_predicates_are_macros() -> None:
    text = (
        "predicate here(x, v) { P[x] = v }\npredicate both(x, y) { here(x, A) && here(y, B) }\n"
        "transition t (p q) requires { both(q, p) } { }"
    )
    assert system(text).transitions[0].guard == (at(Q, "A"), at(P, "B"))


def test_universal_guards_are_over_all_others() -> None:
    only = system("transition t (p) requires { forall_other r. (P[r] = A || P[r] = B) } { }").transitions[0]
    assert only.guard == ()
    assert only.universal[0].variable == R
    assert only.universal[0].alternatives == ((at(R, "A"),), (at(R, "B"),))


def test_forall_includes_the_parameters_it_does_not_exclude() -> None:
    one = system("transition t (p q) requires { forall r. P[r] = A } { }").transitions[0]
    assert one.guard == (at(P, "A"), at(Q, "A"))
    assert one.universal[0].alternatives == ((at(R, "A"),),)
    other = system("transition t (p q) requires { forall r <> p. P[r] = A } { }").transitions[0]
    assert other.guard == (at(Q, "A"),)


def test_exists_becomes_a_parameter() -> None:
    only = system("transition t (p) requires { exists_other r. P[r] = B } { }").transitions[0]
    assert (only.parameters, only.declared) == ((P, R), 1)
    assert only.guard == (at(R, "B"),)
    either = system("transition t (p) requires { exists r. P[r] = B } { }").transitions
    assert [(one.parameters, one.guard) for one in either] == [((P,), (at(P, "B"),)), ((P, R), (at(R, "B"),))]


def test_what_holds_of_all_others_holds_of_those_that_exist() -> None:
    text = "transition t (p) requires { (exists_other r. P[r] = B) && forall_other k. X = 0 } { }"
    only = system(text).transitions[0]
    assert only.guard == (at(R, "B"), Literal(Access("X"), Comparison.EQUAL, number(0)))
    assert only.universal[0].variable == ProcessVariable("k")


def test_two_that_exist_may_be_one() -> None:
    text = "transition t (p) requires { (exists_other r. P[r] = A) && (exists_other k. P[k] = B) } { }"
    found = system(text).transitions
    k = ProcessVariable("k")
    assert [one.parameters for one in found] == [(P, R), (P, R, k)]
    assert found[0].guard == (at(R, "A"), at(R, "B"))


def test_updates() -> None:
    text = """transition t (p q) { let n = X + 1 in
      P[p] := B; P[q] := A; X := n; D := ?; T := . ; M[r,s] := case | r = p && s = q : True | _ : M[r,s] }"""
    found = system(text).transitions[0].updates
    kind = at(P, "A").right
    assert isinstance(kind, Constructor)
    assert found[:5] == (
        Assign("P", (P,), Constructor(kind.type, "B")),
        Assign("P", (Q,), Constructor(kind.type, "A")),
        Assign("X", (), Linear(Basic.INT, Fraction(1), ((Fraction(1), Access("X")),))),
        Assign("D", (), AnyValue()),
        Assign("T", (), AnyValue()),
    )
    assert isinstance(found[5], AssignAll)
    assert [len(case.condition) for case in found[5].cases] == [2, 0]


def test_bound_names_may_shadow_parameters() -> None:
    found = system("transition t (p) { P[p] := case | p = p : A | _ : B }").transitions[0].updates[0]
    assert isinstance(found, AssignAll)
    assert found.binders == (ProcessVariable("p'"),)


def test_fixed_processes() -> None:
    text = "number_procs 2\narray P[proc] : bool\ninit () { P[#1] = True }\nunsafe () { P[#2] = True }\n"
    found = parse(SourceFile("t.cub", text))
    assert found.size == 2
    assert found.unsafe[0].literals[0].left == Access("P", (ProcessConstant(2),))


def test_a_value_that_is_no_process() -> None:
    assert system("", tail=TAIL.replace("P[p] = A }", "P[p] = A && T <> p }")).outsiders


WEAK = """array P[proc] : bool
weak var X : int
weak array F[proc] : bool
init (p) { X = 0 && F[p] = False }
unsafe (p q) { P[p] = True && q@X = 1 && p@P[q] = True }
"""


@pytest.mark.parametrize(
    ("body", "fence", "atomic"),
    [
        ("requires { X = 0 } { }", False, False),
        ("{ X := 1 }", False, False),
        ("requires { X = 0 } { X := 1 }", False, True),
        ("{ X := X - 1 }", False, True),
        ("requires { fence() } { X := 1 }", True, False),
        ("requires { forall_other q. F[q] = False && fence() } { }", True, False),
        ("requires { P[p] = True } { P[p] := False; F[p] := True }", False, False),
        ("{ F[k] := case | k = p : True }", False, False),
        ("{ F[k] := case | F[k] = False : True }", False, True),
        ("{ P[p] := F[p] }", False, False),
    ],
)
def test_weak_transitions(body: str, fence: bool, atomic: bool) -> None:  # noqa: FBT001 - a table of cases
    found = parse(SourceFile("t.cub", WEAK + f"transition t ([p]) {body}")).transitions[0]
    assert (found.fence, found.atomic, found.acting) == (fence, atomic, P)


def test_disjuncts_share_whether_a_transition_is_atomic() -> None:
    text = WEAK + "transition t ([p]) requires { P[p] = True || X = 0 } { X := 1 }"
    assert [one.atomic for one in parse(SourceFile("t.cub", text)).transitions] == [True, True]


def test_points_of_view() -> None:
    found = parse(SourceFile("t.cub", WEAK))
    assert found.is_weak
    read, register = found.unsafe[0].literals[1].left, found.unsafe[0].literals[2].left
    assert (read, register) == (Access("X", (), Q), Access("P", (Q,)))
    plain = sequential(found)
    assert not plain.is_weak
    assert plain.unsafe[0].literals[1].left == Access("X")
