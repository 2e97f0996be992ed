"""`ltl` formulas, `never` claims and `--error`: states that must not be, and claims about runs."""

from __future__ import annotations

import pytest

import membar
from membar.program import temporal as t
from membar.program.predicate import AtPoint, CellValue, Observable, RegisterValue
from membar.properties.ltl.translation import formula_name
from unit.languages.promela.texts import check, program, source

TWO = "byte x; active [2] proctype P() { byte k; k = x; in: x = 1 }\n"


def formula(text: str) -> str:
    (claim,) = program(f"byte p, q, r; active proctype P() {{ L: skip }}\nltl f {{ {text} }}").claims
    assert not isinstance(claim.body, t.ForbiddenRuns)
    return formula_name(claim.body)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<> p", "F p"),
        ("[] <> p", "G F p"),
        ("eventually p", "F p"),
        ("always eventually p", "G F p"),
        ("p U q", "(p U q)"),
        ("p V q", "(p R q)"),
        ("X p", "X p"),
        ("[] p U q", "G (p U q)"),
        ("!(<> p)", "!F p"),
        ("<> p && q", "(F p && q)"),
        ("<> p -> <> q", "(!F p || F q)"),
        ("<> P@L", "F (P@L)"),
        ("[] (p -> <> q)", "G (!p || F q)"),
        ("p W (X q)", "(X q R (p || X q))"),
        ("p until q || r", "((p U q) || r)"),
    ],
)
def test_formulas_are_read_as_spin_reads_them(text: str, expected: str) -> None:
    assert formula(text) == expected


def test_always_without_more_is_about_states() -> None:
    found = program(f"{TWO} ltl safe {{ [] (x < 2) }} ltl live {{ <> (x == 1) }}")
    assert [predicate.text for predicate in found.errors] == ["!(x < 2)"]
    assert [claim.name for claim in found.claims] == ["live"]


@pytest.mark.parametrize(("claim", "verdict"), [("<> (x == 1)", "holds"), ("<> (x == 7)", "violated")])
def test_claims_about_runs_are_checked(claim: str, verdict: str) -> None:
    assert check(f"{TWO} ltl live {{ {claim} }}").verdict == verdict


def test_an_engine_that_cannot_check_claims_about_runs_says_so() -> None:
    result = check(f"{TWO} ltl live {{ <> (x == 1) }}", unbounded=True)
    assert result.verdict == "unknown"
    assert "live" in str(getattr(result.outcome, "reason", ""))


def test_a_formula_names_variables_and_labels_of_processes() -> None:
    (predicate,) = program(f"{TWO} ltl f {{ [] !(P[0]@in && P[1]:k == 1 && x == 0) }}").errors
    kinds = [seen for _, seen in predicate.reads]
    assert kinds == [AtPoint(0, frozenset({1})), RegisterValue(1, "k"), CellValue("x")]


@pytest.mark.parametrize(
    ("asked", "verdict"),
    [
        ("P[0]@in && P[1]@in", "violated"),
        ("P_0.in && P_1.in", "violated"),
        ("P_0.k == 1 && P_1.k == 1", "holds"),
        ("P@in && x == 1", "violated"),
        ("x == 2", "holds"),
    ],
)
def test_error_asks_for_a_state(asked: str, verdict: str) -> None:
    assert membar.check(source(TWO), model="sc", error=asked).verdict == verdict


def test_unbounded_buffers_look_at_states() -> None:
    assert check(f"{TWO} ltl f {{ [] !(P[0]@in && P[1]@in) }}", unbounded=True).verdict == "violated"
    assert check(f"{TWO} ltl f {{ [] (x < 2) }}", unbounded=True).verdict == "holds"
    assert check(f"{TWO} ltl f {{ [] (x < 1) }}", unbounded=True).verdict == "violated"


def never(text: str) -> t.ForbiddenRuns:
    (claim,) = program(f"byte p, q; active proctype P() {{ skip }}\nnever {{ {text} }}").claims
    assert isinstance(claim.body, t.ForbiddenRuns)
    return claim.body


def edges(claim: t.ForbiddenRuns) -> list[tuple[int, int, str]]:
    return [(edge.source, edge.target, edge.guard.text) for edge in claim.edges]


def test_a_never_claim_is_an_automaton() -> None:
    claim = never("T0: do :: p -> goto accept :: true od; accept: do :: !q od")
    assert claim.states == ("T0", "accept")
    assert edges(claim) == [(0, 1, "p"), (0, 0, "true"), (1, 1, "!q")]
    assert claim.accepting == (frozenset({1}),)
    assert not claim.ends_are_errors


def test_the_end_of_a_never_claim_is_an_error() -> None:
    claim = never("do :: p -> break :: else od")
    assert edges(claim) == [(0, 1, "p"), (0, 0, "else")]
    assert claim.ends_are_errors
    assert claim.states[1] == "end"


def test_else_in_a_claim_is_where_no_other_option_holds() -> None:
    claim = never("do :: p && q -> break :: else od")
    guard = claim.edges[1].guard
    for p, q in ((0, 0), (0, 1), (1, 0), (1, 1)):
        values: dict[Observable, int] = {CellValue("p"): p, CellValue("q"): q}
        assert guard.holds(values.__getitem__) is not bool(p and q)


def test_an_assertion_in_a_claim_ends_it() -> None:
    claim = never("do :: atomic { p -> assert(!p) } :: true od")
    assert claim.ends_are_errors
    ways = {edge.target: edge.guard for edge in claim.edges if edge.target != edge.source}
    (guard,) = ways.values()
    assert guard.holds(lambda _: 1)
    assert not guard.holds(lambda _: 0)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("byte x; active proctype P() { do :: x = 1; progress: x = 0 :: x = 2 od }\n"
         "never { do :: true :: np_ -> break od; accept: do :: np_ od }", "violated"),
        ("byte x; active proctype P() { do :: progress: x = 1 od }\n"
         "never { do :: true :: np_ -> break od; accept: do :: np_ od }", "holds"),
        ("byte x; active [2] proctype P() { x = 1 }\nltl f { [] (x == 0 || _last < 2) }", "holds"),
        ("byte x; active [2] proctype P() { x = 1 }\nltl f { [] !(_last == 1) }", "violated"),
        ("byte x; active [2] proctype P() { x = _last; assert(x < 2) }\nltl f { <> (_last == 1) }", "holds"),
        ("byte i; active [2] proctype P() { L: i = 1; M: skip }\nltl f { [] !(P[i]@M && i == 0) }", "holds"),
        ("byte i; active [2] proctype P() { L: i = 1; M: skip }\nltl f { [] !P[i]@M }", "violated"),
        ("active [2] proctype P() { L: skip; M: skip }\n"
         "ltl f { [] (pc_value(0) == pc_value(1)) }", "violated"),
    ],
)  # fmt: skip
def test_claims_speak_of_all_processes(text: str, verdict: str) -> None:
    assert membar.check(source(text), model="sc", properties=("claims",), fair=()).verdict == verdict


def test_each_use_of_an_inline_has_its_own_labels() -> None:
    text = """byte x;
    inline add(n) { if :: x > 3 -> goto out :: else fi; x = x + n; out: skip }
    active proctype P() { add(3); add(2); add(2); d_step { add(1); add(1) } assert(x == 5) }
    ltl f { <> P@out }"""
    found = membar.check(source(text), model="sc", properties=("claims", "assertions"))
    assert found.verdict == "holds"


def test_a_comparison_that_spin_takes_apart_is_noted() -> None:
    text = "byte x; active proctype P() { x = 1 }\nltl f { [] x >= 0 }\nltl g { [] (x >= 0) }"
    notes = [note for note in membar.check(source(text), model="sc").notes if "SPIN" in note]
    assert notes == [
        "`[] x >= 0` is read as `[] (x >= 0)`; SPIN 6.5 compares a constant there: use parentheses"
    ]


def test_a_claim_is_answered_beside_a_failing_assertion() -> None:
    text = "byte x; active proctype P() { do :: x = 1 - x; assert(x == 0) od }\n"
    result = check(f"{text}ltl safe {{ [] (x < 2) }} ltl low {{ [] (x < 1) }} ltl live {{ []<> (x == 1) }}")
    found = {item.claim or item.property: str(item.verdict) for item in result.findings}
    assert found == {"safe": "holds", "low": "violated", "live": "holds", "assertions": "violated"}


def test_a_bound_on_processes_counts_only_where_it_is_reached() -> None:
    text = "byte x; proctype W() { x > 0 } active proctype P() { do :: %s -> run W() :: break od }"
    for guard, verdict in (("_nr_pr < 5", "holds"), ("true", "holds-within")):
        result = membar.check(source(text % guard), model="sc", properties=("assertions",))
        assert result.verdict == verdict


@pytest.mark.parametrize(
    ("engine", "text"),
    [
        ("states", "proctype P() { skip } init { do :: run P() :: break od }"),
        ("states", "proctype P() { end: false } init { atomic { do :: run P() :: break od } }"),
        ("reference", "proctype P() { end: false } init { atomic { do :: run P() :: break od } }"),
    ],
)
def test_runs_come_to_an_end_where_processes_are_a_stack(engine: str, text: str) -> None:
    for more, verdict in (("break", "holds-within"), ("run P()", "unknown")):
        given = source(text.replace("break", more))
        result = membar.check(given, engine=engine, model="sc", properties=("deadlock",))
        assert result.verdict == verdict
