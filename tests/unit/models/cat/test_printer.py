"""Printing then parsing gives back the syntax."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membar.models.cat import syntax as cat
from membar.models.cat.elaborate import LIBRARY
from membar.models.cat.lexer import KEYWORDS, UNSUPPORTED
from membar.models.cat.parser import parse
from membar.models.load import FOLDER
from membar.models.plan import CheckKind, CheckMode, Op
from membar.source import SourceFile
from unit.models.cat.printer import print_expr, print_file
from unit.models.compiled import expr, source

HERE = source("").span(0, 0)
RESERVED = KEYWORDS.keys() | UNSUPPORTED.keys()

UNARY = [Op.COMPLEMENT, Op.INVERSE, Op.PLUS, Op.STAR, Op.OPTIONAL, Op.IDENTITY]
BINARY = [Op.UNION, Op.SEQUENCE, Op.DIFFERENCE, Op.INTERSECTION, Op.PRODUCT]
MODES = [*((mode, False) for mode in CheckMode), (CheckMode.FLAG, True)]


@st.composite
def names(draw: st.DrawFn, pattern: str = r"_?[A-Za-z][A-Za-z0-9_.]{0,3}(-[a-z])?'?") -> str:
    return draw(st.from_regex(pattern, fullmatch=True).filter(lambda name: name not in RESERVED))


@st.composite
def patterns(draw: st.DrawFn) -> cat.Pattern:
    if draw(st.booleans()):
        return cat.Pattern((draw(names()),), False, HERE)
    count = draw(st.sampled_from([0, 2, 3]))
    return cat.Pattern(tuple(draw(names()) for _ in range(count)), True, HERE)


@st.composite
def conditions(draw: st.DrawFn, depth: int = 2) -> cat.Condition:
    inner = conditions(depth - 1)
    match draw(st.integers(0, 3)) if depth else 0:
        case 1:
            return cat.Not(draw(inner), HERE)
        case 2:
            return cat.Both(draw(inner), draw(inner), HERE)
        case 3:
            return cat.Either(draw(inner), draw(inner), HERE)
        case _:
            return cat.Variant(draw(st.sampled_from(["v", "cos-opt"])), HERE)


@st.composite
def bindings(draw: st.DrawFn, depth: int) -> tuple[cat.Binding, ...]:
    result = []
    for _ in range(draw(st.integers(1, 2))):
        parameters = tuple(draw(st.lists(patterns(), max_size=2)))
        target = cat.Pattern((draw(names()),), False, HERE) if parameters else draw(patterns())
        result.append(cat.Binding(target, parameters, draw(exprs(depth)), HERE))
    return tuple(result)


@st.composite
def leaves(draw: st.DrawFn) -> cat.Expr:
    match draw(st.integers(0, 5)):
        case 0:
            return cat.Tag(draw(names("[A-Za-z][a-z.]{0,3}")), HERE)
        case 1:
            return cat.EmptyRelation(HERE)
        case 2:
            return cat.Everything(HERE)
        case 3:
            return cat.SetOf((), HERE)
        case _:
            return cat.Name(draw(names()), HERE)


@st.composite
def exprs(draw: st.DrawFn, depth: int = 3) -> cat.Expr:
    if depth == 0:
        return draw(leaves())
    inner = exprs(depth - 1)
    match draw(st.integers(0, 16)):
        case 0 | 1 | 2:
            return cat.Unary(draw(st.sampled_from(UNARY)), draw(inner), HERE)
        case 3 | 4 | 5:
            return cat.Binary(draw(st.sampled_from(BINARY)), draw(inner), draw(inner), HERE)
        case 6:
            return cat.Add(draw(inner), draw(inner), HERE)
        case 7 | 8:
            return cat.Apply(draw(inner), draw(inner), HERE)
        case 9:
            return cat.SetOf(tuple(draw(st.lists(inner, max_size=3))), HERE)
        case 10:
            return cat.Tuple(tuple(draw(inner) for _ in range(draw(st.sampled_from([0, 2, 3])))), HERE)
        case 11:
            return cat.Fun(draw(patterns()), draw(inner), HERE)
        case 12:
            return cat.Let(draw(bindings(depth - 1)), draw(st.booleans()), draw(inner), HERE)
        case 13:
            return cat.Try(draw(inner), draw(inner), HERE)
        case 14:
            return cat.If(draw(conditions()), draw(inner), draw(inner), HERE)
        case 15:
            clauses = [cat.Clause(draw(leaves()), draw(inner), HERE) for _ in range(draw(st.integers(1, 2)))]
            return cat.Match(draw(inner), tuple(clauses), HERE)
        case _:
            return draw(leaves())


@st.composite
def axioms(draw: st.DrawFn) -> cat.Axiom:
    mode, is_assertion = draw(st.sampled_from(MODES))
    return cat.Axiom(
        kind=draw(st.sampled_from(list(CheckKind))),
        body=draw(exprs(2)),
        name=draw(st.none() | names()),
        is_negated=draw(st.booleans()),
        mode=mode,
        is_assertion=is_assertion,
        span=HERE,
    )


@st.composite
def statements(draw: st.DrawFn, *, is_inner: bool = False) -> cat.Statement:
    label = st.none() | names()
    match draw(st.integers(0, 6 if is_inner else 8)):
        case 0 | 1:
            return cat.Define(draw(bindings(2)), draw(st.booleans()), HERE)
        case 2:
            items = [(draw(exprs(2)), draw(label)) for _ in range(draw(st.integers(1, 2)))]
            return cat.Show(tuple(items), HERE)
        case 3:
            return cat.Unshow(tuple(draw(st.lists(names(), min_size=1, max_size=2))), HERE)
        case 4:
            return cat.Include(draw(names()), HERE)
        case 5:
            return cat.Call(draw(names()), draw(exprs(2)), draw(label), HERE)
        case 6:
            return cat.From(draw(names()), draw(exprs(2)), HERE)
        case 7:
            return cat.When(draw(conditions()), draw(blocks()), draw(blocks()), HERE)
        case 8:
            return cat.Procedure(draw(names()), draw(patterns()), draw(blocks()), HERE)
        case number:
            raise AssertionError(number)


@st.composite
def blocks(draw: st.DrawFn) -> tuple[cat.Statement, ...]:
    return tuple(draw(st.lists(statements(is_inner=True), max_size=2)))


@given(exprs())
def test_expressions_print_and_parse(given_expr: cat.Expr) -> None:
    assert expr(print_expr(given_expr)) == given_expr


@given(st.lists(statements() | axioms(), max_size=3))
def test_files_print_and_parse(items: list[cat.Statement]) -> None:
    file = cat.CatFile((), tuple(items))
    assert parse(source(print_file(file))) == file


@pytest.mark.parametrize("path", [*FOLDER.glob("*.cat"), *LIBRARY.glob("*.cat")], ids=lambda path: path.name)
def test_shipped_files_print_and_parse(path: Path) -> None:
    file = parse(SourceFile.read(path))
    assert parse(source(print_file(file))) == file


def test_no_needless_parentheses() -> None:
    text = "po & (R | W) * M ; [F] \\ rf^-1 | ~(r+) | f (x, y) z+"
    assert print_expr(expr(text)) == text
