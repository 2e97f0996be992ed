"""The question: syntax, names, and the order of what is observed."""

from __future__ import annotations

from random import Random

import pytest

from membar.diagnostics import InputError, Label, error
from membar.languages.litmus import condition_cache, condition_parser
from membar.languages.litmus.condition_parser import condition
from membar.languages.litmus.final_state_columns import natural_order
from membar.program.condition import (
    TRUTH,
    And,
    Compare,
    Comparison,
    FinalCell,
    FinalCondition,
    FinalRegister,
    Implies,
    Not,
    Or,
    Quantifier,
)
from membar.program.expr import Address
from membar.source import Span
from unit.languages.litmus.texts import found_in, message_of, read


class AnyNames:
    """Knows every register but `ZZ`, every location but `nowhere`."""

    def register(self, thread: int, name: str, span: Span) -> FinalRegister:
        if name == "ZZ":
            raise error("W0111", "unknown register", span)
        return FinalRegister(thread, name)

    def cell(self, name: str, index: int | None, span: Span) -> FinalCell:
        if name == "nowhere":
            raise error("W0104", "unknown location", span)
        return FinalCell(name, index or 0)

    def address(self, name: str, index: int | None, span: Span) -> Address:
        if name == "nowhere":
            raise error("W0104", "unknown location", span)
        return Address(name, 4 * (index or 0))


def ask(question: str, state: str = "int v[2];") -> FinalCondition:
    return condition(read(f"X86 t\n{{{state}}}\nP0 ;\n{question}"), AnyNames())


def eq(name: str, value: int) -> Compare:
    return Compare(FinalCell(name), Comparison.EQ, value)


A, B, C = eq("a", 1), eq("b", 1), eq("c", 1)


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("a=1", A),
        ("(a=1)", A),
        ("true", TRUTH),
        ("false", Or(())),
        ("a=1 /\\ b=1 /\\ c=1", And((A, B, C))),
        ("a=1 /\\ b=1 \\/ c=1", Or((And((A, B)), C))),
        ("a=1 /\\ (b=1 \\/ c=1)", And((A, Or((B, C))))),
        ("~a=1 /\\ b=1", And((Not(A), B))),
        ("not (a=1 \\/ b=1)", Not(Or((A, B)))),
        ("not ~a=1", Not(Not(A))),
        ("a=1 => b=1 => c=1", Implies(A, Implies(B, C))),
        ("a=1 \\/ b=1 => c=1", Implies(Or((A, B)), C)),
        ("a==1", A),
        ("a!=1", Compare(FinalCell("a"), Comparison.NE, 1)),
        ("a<>1", Compare(FinalCell("a"), Comparison.NE, 1)),
        ("a<1", Compare(FinalCell("a"), Comparison.LT, 1)),
        ("a<=1", Compare(FinalCell("a"), Comparison.LE, 1)),
        ("a > -1", Compare(FinalCell("a"), Comparison.GT, -1)),
        ("[a]>=0x10", Compare(FinalCell("a"), Comparison.GE, 16)),
        ("0:EAX=1", Compare(FinalRegister(0, "EAX"), Comparison.EQ, 1)),
        ("P1:EAX = 1", Compare(FinalRegister(1, "EAX"), Comparison.EQ, 1)),
        ("0: X1 = 1", Compare(FinalRegister(0, "X1"), Comparison.EQ, 1)),
        ("P1_r0=1", eq("P1_r0", 1)),
        ("0:X0=x", Compare(FinalRegister(0, "X0"), Comparison.EQ, Address("x"))),
        ("0:X0=&x", Compare(FinalRegister(0, "X0"), Comparison.EQ, Address("x"))),
        ("0:X0=v[1]", Compare(FinalRegister(0, "X0"), Comparison.EQ, Address("v", 4))),
        ("0:r1=1:r2", Compare(FinalRegister(0, "r1"), Comparison.EQ, FinalRegister(1, "r2"))),
        ("a=[b]", Compare(FinalCell("a"), Comparison.EQ, FinalCell("b"))),
        ("v[1]=1", Compare(FinalCell("v", 1), Comparison.EQ, 1)),
        (
            "v={1,2}",
            And((Compare(FinalCell("v"), Comparison.EQ, 1), Compare(FinalCell("v", 1), Comparison.EQ, 2))),
        ),
    ],
)
def test_formulas(text: str, formula: object) -> None:
    found = ask(f"exists {text}")
    assert found.formula == formula
    assert found.quantifier is Quantifier.EXISTS


@pytest.mark.parametrize(
    ("text", "quantifier"),
    [
        ("exists (a=1)", Quantifier.EXISTS),
        ("~exists (a=1);", Quantifier.NOT_EXISTS),
        ("~ exists a=1", Quantifier.NOT_EXISTS),
        ("forall (a=1)", Quantifier.FORALL),
        ("final (a=1);\nwith\ntso: ~exists;\ncc: exists;", Quantifier.EXISTS),
        ("exists (a=1);\n<<\nshow 0 / 1 # x.tex\n>>\n<<\nshow\n>>\n", Quantifier.EXISTS),
        ("exists (a=1) (* << (* *) *)", Quantifier.EXISTS),
        ("regions: a:A, b:B\nforall (a=1)", Quantifier.FORALL),
    ],
)
def test_quantifiers_and_endings(text: str, quantifier: Quantifier) -> None:
    found = ask(text)
    assert (found.quantifier, found.formula) == (quantifier, A)


def test_no_question_asks_for_all() -> None:
    assert ask("") == FinalCondition(quantifier=Quantifier.FORALL, formula=TRUTH)
    assert [item.label for item in ask("locations [x; 0:EAX]").observed] == ["0:EAX", "x"]


def test_observed_registers_then_locations_then_elements() -> None:
    found = ask(
        "locations [x;1:X10;0:X2;v;v[1];p*;]\nexists (1:X9=1 /\\ b=1 /\\ 0:X2=0 /\\ w[1]=2 /\\ [a]=1)",
        "int v[2]; int w[2];",
    )
    labels = [(item.label, item.array) for item in found.observed]
    assert labels == [
        ("0:X2", None),
        ("1:X9", None),
        ("1:X10", None),
        ("a", None),
        ("b", None),
        ("p", None),
        ("v[0]", "v"),
        ("v[1]", "v"),
        ("x", None),
        ("v[1]", None),
        ("w[1]", None),
    ]


def test_a_filter_is_kept_and_shows_nothing() -> None:
    found = ask("filter (0:r1=1)\nexists (a=1)")
    assert found.filter == Compare(FinalRegister(0, "r1"), Comparison.EQ, 1)
    assert [item.label for item in found.observed] == ["a"]


def test_natural_order() -> None:
    assert sorted(["X10", "X2", "SP", "X1"], key=natural_order) == ["SP", "X1", "X2", "X10"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("exists", ("W0108", 4, 7)),
        ("exists (a=1", ("W0108", 4, 12)),
        ("exists (a)", ("W0108", 4, 10)),
        ("exists a=", ("W0108", 4, 10)),
        ("exists a=1 b=1", ("W0108", 4, 12)),
        ("exists a=1 /\\", ("W0108", 4, 14)),
        ("exists 0:=1", ("W0108", 4, 10)),
        ("exists 0 EAX=1", ("W0108", 4, 10)),
        ("exists a=1 @", ("W0108", 4, 12)),
        ("exists v=1", ("W0108", 4, 10)),
        ("exists v={1}", ("W0108", 4, 10)),
        ("exists v<{1,2}", ("W0108", 4, 8)),
        ("exists a=1 <<", ("W0108", 4, 12)),
        ("locations x exists a=1", ("W0108", 4, 11)),
        ("locations [x y] exists a=1", ("W0110", 4, 14)),
        ("scopes: (0)\nexists a=1", ("W0110", 4, 1)),
        ('exists 0:r1=instr:"NOP"', ("W0110", 4, 13)),
        ("exists nowhere=1", ("W0104", 4, 8)),
        ("exists 0:r1=nowhere", ("W0104", 4, 13)),
        ("exists 0:ZZ=1", ("W0111", 4, 8)),
        ("exists a=0x100000000", ("W0112", 4, 10)),
        ("exists a=-2147483649", ("W0112", 4, 10)),
        ("exists " + "(" * 5000 + "a=1", ("W0108", 4, 108)),
        ("exists " + "~" * 5000 + "a=1", ("W0108", 4, 108)),
    ],
)
def test_broken_questions(text: str, found: tuple[str, int, int]) -> None:
    assert found_in(lambda: ask(text)) == [found]


def test_all_unknown_names_are_reported() -> None:
    assert len(found_in(lambda: ask("exists (nowhere=1 /\\ 0:ZZ=1 /\\ [nowhere]=2)"))) == 3


def test_messages_say_what_was_expected() -> None:
    assert message_of(lambda: ask("exists (a=1")) == "expected `)`, `/\\` or `\\/`, found the end"


PIECES = (
    *("0:EAX", "1:r0", "0 : EBX", "x", "y.z", "[x]", "[ y ]", "v", "[v]", "v[1]", "P1:EAX", "0:ZZ"),
    *("nowhere", "0x1:EAX", "12345678901:EAX", "0:%a", "not", "true", "5", "0:[x]", "[0:EAX]"),
)  # fmt: skip
SIGNS = ("=", "=", "=", " = ", "==", "!=", "=>", "<", ":")
VALUES = (
    "0",
    "1",
    "01",
    "0x1",
    "1u",
    "-1",
    "5000000000",
    "99999999999999999999",
    "x",
    "1:r0",
    "{1,2}",
    "",
    "1x",
)
LINKS = ("/\\", " /\\ ", "\\/", "=>", ") /\\ (", ";", "/\\ ~", "\n/\\ (* *) ", ")", "")


def random_question(random: Random) -> str:
    parts = [random.choice(("", "filter ", "locations [x;] ")) if random.random() < 0.3 else "", "exists ("]
    if parts[0] == "filter ":
        parts[0] = "filter (x=1 /\\ 0:EAX=1) "
    for _ in range(random.randrange(1, 5)):
        likely = random.random() < 0.7
        parts.append(random.choice(PIECES[:7] if likely else PIECES))
        parts.append(random.choice(SIGNS[:4] if likely else SIGNS))
        parts.append(random.choice(VALUES[:3] if likely else VALUES))
        parts.append(random.choice(LINKS[:3] if likely else LINKS))
    parts.append("0:EAX=1)")
    return "".join(parts)


def answer_to(question: str) -> object:
    condition_cache.forget()
    try:
        return ask(question)
    except InputError as problem:
        return [
            (
                item.code,
                item.message,
                item.primary and _placed(item.primary),
                item.help,
            )
            for item in problem.diagnostics
        ]


def test_comparisons_read_as_a_whole_are_those_read_word_by_word(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(7)
    questions = [random_question(random) for _ in range(3000)]
    whole = [answer_to(text) for text in questions]
    assert sum(isinstance(found, FinalCondition) for found in whole) > 500
    assert sum(isinstance(found, list) for found in whole) > 500
    monkeypatch.setattr(condition_parser._Reader, "_plain_comparison", lambda *_: None)
    for text, found in zip(questions, whole, strict=True):
        assert answer_to(text) == found, text


def _placed(label: Label) -> tuple[int, int, str]:
    return label.span.start, label.span.end, label.text
