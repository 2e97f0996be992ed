from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membar.diagnostics import InputError
from membar.languages.mbp import FRONTEND
from membar.program.condition import (
    TRUTH,
    And,
    Compare,
    Comparison,
    FinalCell,
    FinalRegister,
    Implies,
    Not,
    Observed,
    Or,
    Quantifier,
)
from membar.program.expr import Address, Binary, BinaryOp, Constant, Register
from membar.program.operations import Assume, Load, Store
from membar.program.program import Program
from membar.program.validate import validate
from membar.source import SourceFile

PAGE = Path(__file__).resolve().parents[4] / "docs" / "reference" / "program-text.md"
EXAMPLES = re.findall(r"```\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def read(text: str) -> Program:
    return FRONTEND.parse(SourceFile("p.mbp", text))


def test_the_documentations_example_means_store_buffering() -> None:
    program = read(EXAMPLES[0])
    validate(program)
    assert len(EXAMPLES[0].splitlines()) == 10
    store, load = program.threads[0].edges
    assert store.operations == (Store(address=Address("x"), value=Constant(1), size=4),)
    assert load.operations == (Load(register="r0", address=Address("y"), size=4),)
    assert program.condition is not None
    assert program.condition.quantifier is Quantifier.EXISTS
    assert program.condition.observed == (
        Observed(FinalRegister(0, "r0"), "0:r0"),
        Observed(FinalRegister(1, "r0"), "1:r0"),
    )


def test_the_documentations_fragments_are_right() -> None:
    declarations = "program p\nmemory x : i32\nmemory y : i32\nmemory v : u8[2]\nmemory p : u64\n"
    main = "thread P0 { 0 -> 1: spawn P1 }\n"
    validate(read(declarations + main + EXAMPLES[1] + EXAMPLES[2] + EXAMPLES[3]))


def condition(text: str) -> object:
    program = read(f"program p memory x : i32[2] memory y : i32 thread T {{ }} exists {text}")
    assert program.condition is not None
    return program.condition.formula


X = Compare(FinalCell("x"), Comparison.EQ, 1)
Y = Compare(FinalCell("y"), Comparison.NE, -2)
R = Compare(FinalRegister(0, "r", 8, signed=False), Comparison.GE, FinalCell("x", 1))


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        (r"x = 1 /\ y != -2 \/ u8(0:r) >= x[1]", Or((And((X, Y)), R))),
        (r"x = 1 \/ y != -2 /\ u8(0:r) >= x[1]", Or((X, And((Y, R))))),
        (r"x = 1 => y != -2 => u8(0:r) >= x[1]", Implies(X, Implies(Y, R))),
        (r"not x = 1 /\ y != -2", And((Not(X), Y))),
        (r"(x = 1 /\ y != -2) /\ x = 1", And((And((X, Y)), X))),
        (r"/\ x = 1", And((X,))),
        (r"true \/ false", Or((TRUTH, Or(())))),
        (r"x = 0x1", X),
        (r"y = &(x + 4)", Compare(FinalCell("y"), Comparison.EQ, Address("x", 4))),
    ],
)
def test_formulas(text: str, formula: object) -> None:
    assert condition(text) == formula


def test_operators_bind_as_in_c() -> None:
    program = read("program p thread T { 0 -> 1: assume a + 1 == b * 2 & c }")
    (op,) = program.threads[0].edges[0].operations
    a, b, c, one, two = Register("a"), Register("b"), Register("c"), Constant(1), Constant(2)
    equation = Binary(BinaryOp.EQ, Binary(BinaryOp.ADD, a, one), Binary(BinaryOp.MUL, b, two))
    assert op == Assume(Binary(BinaryOp.AND, equation, c))


def test_operators_of_one_row_associate_to_the_left() -> None:
    program = read("program p thread T { 0 -> 1: assume 3 - 2 - 1 }")
    (op,) = program.threads[0].edges[0].operations
    left = Binary(BinaryOp.SUB, Constant(3), Constant(2))
    assert op == Assume(Binary(BinaryOp.SUB, left, Constant(1)))


def test_spans_point_at_the_text() -> None:
    program = read("program p\nmemory x : i32 = 1\nthread T {\n  0 -> 1: store [&x] := 1\n}\n")
    (edge,) = program.threads[0].edges
    assert edge.span is not None
    assert (edge.span.line, edge.span.column, edge.span.text) == (4, 3, "0 -> 1: store [&x] := 1")
    assert program.objects[0].span is not None
    assert program.objects[0].span.text == "memory x : i32 = 1"


@pytest.mark.parametrize(
    ("text", "code", "at"),
    [
        ("", "W0502", ""),
        ("memory x : i32", "W0502", "memory"),
        ("program p @", "W0501", "@"),
        ('program "p', "W0501", '"p'),
        ('program "\\q"', "W0501", '"\\q"'),
        ("program p thread T { 0 -> 1: r := 12ab }", "W0501", "12ab"),
        ("program p memory x : int", "W0502", "int"),
        ("program p memory x : i24", "W0503", "i24"),
        ("program p memory load : i32", "W0502", "load"),
        ("program p thread T { 0 -> 1: r := 99999999999999999999 }", "W0503", "99999999999999999999"),
        ("program p thread T { 0 -> 1: r := i65(s) }", "W0503", "i65"),
        ("program p thread T { 0 -> 1: store [&x] 1 }", "W0502", "1"),
        ("program p thread T { 0 -> 1: r := load [&x }", "W0502", "}"),
        ("program p thread T { 0 -> 1: r := a ? b : c }", "W0502", "?"),
        ("program p thread T { 0 -> 1: r := 1 s := 2 }", "W0502", "s"),
        ("program p thread T { 0 -> x }", "W0502", "x"),
        ("program p thread T { 0 -> 1: r := &(x * 4) }", "W0502", "*"),
        ("program p thread T { 0 -> 1", "W0502", ""),
        ("program p channel c : 1", "W0502", ""),
        ("program p exists x = 1", "W0505", "x"),
        ("program p exists 0:r = 1", "W0505", "0:r"),
        ("program p memory x : i32[2] exists x[2] = 1", "W0505", "x[2]"),
        ("program p memory x : i32 exists x = &y", "W0505", "&y"),
        ("program p memory x : i32 exists x == 1", "W0502", "=="),
        ("program p memory x : i32 exists x = 1 observe x observe x", "W0502", "observe"),
        ("program p memory x : i32 exists x = 1 memory y : i32", "W0502", "memory"),
        ("program p thread T { } }", "W0502", "}"),
    ],
)
def test_bad_text_is_located(text: str, code: str, at: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    diagnostic = caught.value.diagnostics[0]
    assert diagnostic.code == code
    assert diagnostic.primary is not None
    assert diagnostic.primary.text
    assert diagnostic.primary.span.text == at


def test_reading_goes_on_after_a_mistake() -> None:
    text = """program p
      memory x : int
      memory y : i32
      thread T {
        0 -> 1: store [&y] {A} := 1
        1 -> 2: fence {A}; bad
        2 -> 3: r := load [&y]
        3 -> : r := 1
      }
      exists y = 1
    """
    with pytest.raises(InputError) as caught:
        read(text)
    lines = [d.primary.span.line for d in caught.value.diagnostics if d.primary is not None]
    assert lines == [2, 5, 7, 8]


def test_a_keyword_as_a_name_gets_a_hint() -> None:
    with pytest.raises(InputError) as caught:
        read("program p thread T { 0 -> 1: r := when }")
    assert caught.value.diagnostics[0].help == '`when` is a keyword; as a name it is written "when"'


PIECES = [*sorted(set(re.findall(r"[A-Za-z0-9_]+|[^\sA-Za-z0-9_]", "".join(EXAMPLES)))), ":=", "->", "exists"]


@given(words=st.lists(st.sampled_from(PIECES), max_size=20), break_at=st.integers(0, 60))
def test_any_text_is_read_or_refused_with_a_place(words: list[str], break_at: int) -> None:
    tokens = EXAMPLES[0].split("#")[0].split() + EXAMPLES[0].split("\n", 1)[1].split()
    try:
        read(" ".join([*tokens[:break_at], *words, *tokens[break_at:]]))
    except InputError as problem:
        assert all(d.primary is not None for d in problem.diagnostics)  # noqa: PT017 - accepting is fine too
