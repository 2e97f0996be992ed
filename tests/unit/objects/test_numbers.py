"""Numbers without bound, run with 64 bits: what does not fit is noticed, and what is not noticed fits."""

from __future__ import annotations

import random

import pytest

import membar
from membar.languages.objects.parser import parse_text
from membar.objects.algebra import evaluate_term
from membar.objects.client import Size
from membar.objects.lowering import _expression
from membar.objects.overflow import fitting_term, only_counts
from membar.objects.terms import Binary, BinaryOp, Choice, Number, Space, Term, Unary, UnaryOp, Variable
from membar.program.expr import MASK, evaluate, signed
from membar.source import SourceFile

NAMES = ("a", "b")
EDGES = (0, 1, -1, 2, 3, 7, 1 << 31, (1 << 31) + 1, 1 << 32, 1 << 61, 1 << 62, (1 << 62) + 1, (1 << 63) - 1)


def around_an_edge(rng: random.Random) -> int:
    value = rng.choice(EDGES) + rng.choice((0, 0, 1, -1))
    return max(-(1 << 63), min((1 << 63) - 1, rng.choice((1, -1)) * value))


def any_term(rng: random.Random, depth: int) -> Term:
    if depth == 0 or rng.random() < 0.15:
        if rng.random() < 0.4:
            return Number(rng.choice((1, -1)) * rng.choice((*EDGES, 1 << 63, 1 << 70)))
        return Variable(Space.LOCAL, rng.choice(NAMES), "f")
    match rng.randrange(6):
        case 0:
            return Unary(rng.choice(list(UnaryOp)), any_term(rng, depth - 1))
        case 1:
            return Choice(*(any_term(rng, depth - 1) for _ in range(3)))
        case 2:
            op = rng.choice((BinaryOp.DIV, BinaryOp.REM))
            return Binary(
                op, any_term(rng, depth - 1), Number(rng.choice([each for each in EDGES if each > 0]))
            )
        case _:
            ops = [each for each in BinaryOp if each not in (BinaryOp.DIV, BinaryOp.REM)]
            ops += [BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL] * 4
            return Binary(rng.choice(ops), any_term(rng, depth - 1), any_term(rng, depth - 1))


def test_where_nothing_is_noticed_64_bits_are_enough() -> None:
    rng = random.Random(3)
    fits = lost = 0
    for _ in range(4000):
        term = any_term(rng, 3)
        values = {name: around_an_edge(rng) for name in NAMES}
        registers = {f"f.{name}": value & MASK for name, value in values.items()}
        wrapped = signed(evaluate(_expression(term), registers, {}))
        exact = evaluate_term(term, lambda variable, values=values: values[variable.name])  # type: ignore[misc]
        if evaluate(_expression(fitting_term(term)), registers, {}):
            fits += 1
            assert wrapped == exact, (term, values)
        elif wrapped != exact:
            lost += 1
    assert fits > 1000
    assert lost > 200


def test_no_needless_alarm_for_numbers_that_are_not_huge() -> None:
    term = Binary(BinaryOp.MUL, Variable(Space.LOCAL, "a", "f"), Variable(Space.LOCAL, "b", "f"))
    assert evaluate(_expression(fitting_term(term)), {"f.a": 1 << 31, "f.b": -(1 << 31) & MASK}, {})


def asked(code: str, specified: str, model: str = "sc", calls: int = 1) -> membar.Answer:
    text = f"object o; {code} specification {{ {specified} }}"
    return membar.check(SourceFile("o.obj", text), client=Size(1, calls), model=model)


OUTSIDE = [
    ("operation f() { return 9223372036854775807 + 1; }", "operation f() { return 9223372036854775808; }"),
    ("operation f() { return 9223372036854775808; }", "operation f() { return 9223372036854775808; }"),
    (
        "shared x = 9223372036854775808; operation f() { local t; 1: t = x; return t; }",
        "operation f() { return 9223372036854775808; }",
    ),
    (
        "private p = 9223372036854775808; operation f() { return p; }",
        "operation f() { return 9223372036854775808; }",
    ),
    (
        "shared x = 9223372036854775807; operation f() { local t; 1: t = x + 1; return t; }",
        "operation f() { return 9223372036854775808; }",
    ),
    (
        "shared x = 9223372036854775807; operation f() { local t; 1: fetch_add(x, 1); 2: t = x; return t; }",
        "operation f() { return 9223372036854775808; }",
    ),
    (
        "shared x = 4611686018427387905;"
        "operation f() { local t; 1: t = x; if (t * 4 > 0) return 1; return 0; }",
        "operation f() { return 1; }",
    ),
    (
        "shared b[2] = 5; operation f() { local t, i; i = 2305843009213693952; 1: t = b[i]; return t; }",
        "operation f() { return 5; }",
    ),
    (
        "shared x = 4611686018427387905; operation f(a) { local t; 1: t = x; t = 0 - t; t = t - t - t - t;"
        "2: x = t; return t; }",
        "operation f(a) { return 9223372036854775810; }",
    ),
]


@pytest.mark.parametrize(("code", "specified"), OUTSIDE)
@pytest.mark.parametrize("model", ["sc", "armv8"])
def test_what_does_not_fit_has_no_verdict(code: str, specified: str, model: str) -> None:
    found = asked(code, specified, model)
    assert found.verdict == "unknown"
    assert "64 bits" in getattr(found.outcome, "reason", "")


def test_large_numbers_that_fit_have_one() -> None:
    code = "shared x = 4000000000000000000; operation f() { local t; 1: t = x; return t - 1; }"
    assert asked(code, "operation f() { return 3999999999999999999; }").verdict == "holds-within"
    assert asked(code, "operation f() { return 3999999999999999998; }").verdict == "violated"


COUNTING = [
    ("operation f(a) { local t; 1: t = x + a; 2: x = t - 1; return t % 2; }", True),
    ("operation f(a) { local t; 1: fetch_add(x, a); 2: t = x; while (t > 3) t = t - 1; }", True),
    ("operation f(a) { local t; 1: t = x; 2: x = t + t; }", False),
    ("operation f(a) { local t; 1: t = x; 2: x = t * 2; }", False),
    ("operation f(a) { local u; 1: u = x; 2: fetch_add(x, u); }", False),
    ("operation f(a) { local t, u; 1: t = x; u = t; 2: x = t + u; }", False),
    ("operation f(a) { local t; 1: t = x; 2: x = t + 99999999; }", False),
    ("operation f(a) { 1: x = 99999999999; }", False),
    ("operation f(a) requires a + p > 0 { p = a; }", True),
    ("operation f(a) requires p + p > 0 { p = a; }", False),
    ("operation f(a) { 1: x = b[a * 2]; }", True),
    ("operation f(a) { local t; 1: t = b[t * t]; }", False),
]


@pytest.mark.parametrize(("code", "expected"), COUNTING)
def test_code_that_only_counts_is_not_watched(code: str, *, expected: bool) -> None:
    about = parse_text(SourceFile("o.obj", f"object o; shared x, b[2]; private p; {code}"))
    assert only_counts(about) is expected


def test_remembering_a_loss_adds_no_dependency() -> None:
    """Load buffering: the store after a load of a watched line is not ordered after it."""
    text = """object o; shared x, y;
        operation f() { local t; 1: t = x; 2: y = 1; return t + t; }
        operation g() { local t; 3: t = y; 4: x = 1; return t + t; }
        specification { state a, b;
            operation f() { b = 1; return a + a; }
            operation g() { a = 1; return b + b; } }"""
    found = membar.check(SourceFile("o.obj", text), client=Size(2, 1), model="armv8")
    assert found.verdict == "violated"
    assert found.refutation is not None
    assert [call.result for call in found.refutation.history.calls] == [2, 2]
