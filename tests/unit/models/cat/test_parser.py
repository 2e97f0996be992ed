"""Precedence, statements, headers."""

from __future__ import annotations

import lark
import pytest

from membar.diagnostics import InputError
from membar.models.cat import syntax as cat
from membar.models.cat.parser import _GRAMMAR, _Words, parse
from membar.models.plan import CheckKind, CheckMode
from unit.models.compiled import expr, source


@pytest.mark.parametrize(
    ("text", "grouped"),
    [
        ("a | b ; c", "a | (b ; c)"),
        ("a ; b | c", "(a ; b) | c"),
        ("a ; b \\ c", "a ; (b \\ c)"),
        ("a \\ b \\ c", "(a \\ b) \\ c"),
        ("a \\ b & c", "a \\ (b & c)"),
        ("a & b \\ c", "(a & b) \\ c"),
        ("a | b | c", "a | (b | c)"),
        ("a ; b ; c", "a ; (b ; c)"),
        ("po & W * R", "po & (W * R)"),
        ("W * R & po", "(W * R) & po"),
        ("a ++ b | c", "(a ++ b) | c"),
        ("a ; b ++ c", "(a ; b) ++ c"),
        ("a ; b+", "a ; (b+)"),
        ("~a & b", "(~a) & b"),
        ("~a^-1", "~(a^-1)"),
        ("~~a", "~(~a)"),
        ("W * ~R", "W * (~R)"),
        ("f x ; g y", "(f x) ; (g y)"),
        ("f(x)+", "(f(x))+"),
        ("f x^-1", "(f x)^-1"),
        ("f x y", "(f x) y"),
        ("a*^-1+?", "(((a*)^-1)+)?"),
        ("[A] ; po ; [B]", "[A] ; (po ; [B])"),
        ("try a with b | c", "try a with (b | c)"),
        ("fun x -> x | a", "fun x -> (x | a)"),
        ("let x = a in x ; b", "let x = a in (x ; b)"),
        ('if "v" then a else b | c', 'if "v" then a else (b | c)'),
        ("begin a | b end ; c", "(a | b) ; c"),
        ("(f)(x, y)", "f (x, y)"),
    ],
)
def test_precedence(text: str, grouped: str) -> None:
    assert expr(text) == expr(grouped)


def test_groupings_differ() -> None:
    assert expr("(a | b) ; c") != expr("a | b ; c")
    assert expr("(a \\ b) \\ c") != expr("a \\ (b \\ c)")


@pytest.mark.parametrize("text", ["~a+", "~a*", "~a?", "~A * B", "A * B * C"])
def test_what_cat_gives_no_priority_needs_parentheses(text: str) -> None:
    with pytest.raises(InputError) as caught:
        expr(text)
    assert caught.value.diagnostics[0].code == "W0204"


def test_the_way_out_is_shown() -> None:
    with pytest.raises(InputError) as caught:
        expr("~r+")
    assert caught.value.diagnostics[0].help is not None
    assert "`~(r+)` or `(~r)+`" in caught.value.diagnostics[0].help


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("X86 TSO\nlet a = po", ("X86", "TSO")),
        ('RISCV "a title"\nlet a = po', ("RISCV", "a title")),
        ('"only a title"', ("only a title",)),
        ("(* comment *) PPC", ("PPC",)),
        ("let a = po", ()),
        ("", ()),
    ],
)
def test_headers(text: str, header: tuple[str, ...]) -> None:
    assert parse(source(text)).header == header


def test_checks() -> None:
    text = """
    acyclic r as one
    ~irreflexive r
    flag ~empty r as race
    undefined_unless empty r as dr
    assert empty r as sane
    """
    axioms = [axiom for axiom in parse(source(text)).statements if isinstance(axiom, cat.Axiom)]
    assert [(a.kind, a.is_negated, a.mode, a.is_assertion, a.name) for a in axioms] == [
        (CheckKind.ACYCLIC, False, CheckMode.REQUIRE, False, "one"),
        (CheckKind.IRREFLEXIVE, True, CheckMode.REQUIRE, False, None),
        (CheckKind.EMPTY, True, CheckMode.FLAG, False, "race"),
        (CheckKind.EMPTY, False, CheckMode.UNDEFINED_UNLESS, False, "dr"),
        (CheckKind.EMPTY, False, CheckMode.FLAG, True, "sane"),
    ]


def test_a_star_before_a_negated_check_ends_the_definition() -> None:
    define, axiom = parse(source("let a = r*\n~empty a as some")).statements
    assert isinstance(define, cat.Define)
    assert isinstance(axiom, cat.Axiom)


def test_statements() -> None:
    text = """
    include "cos.cat"
    show a as x, b ; c
    unshow a, b
    if "v" && not ("w" || "u") include "a.cat" else include "b.cat" include "c.cat" end
    procedure p(x, y) = empty x \\ y end
    call p(a, b)
    with co from generate_cos(co0)
    let rec a = b and b = a
    """
    kinds = [type(statement).__name__ for statement in parse(source(text)).statements]
    assert kinds == ["Include", "Show", "Unshow", "When", "Procedure", "Call", "From", "Define"]


def test_spans_are_the_text_itself() -> None:
    text = "let a = (* x *) po ; rf"
    (define,) = parse(source(text)).statements
    assert isinstance(define, cat.Define)
    body = define.bindings[0].body
    assert body.span.text == "po ; rf"
    assert body.span.line == 1
    assert body.span.column == 17


@pytest.mark.parametrize(
    ("text", "message", "expected"),
    [
        ("let let", "unexpected `let`", "a name"),
        ("let a = ", "the file ends too early", "a set or relation"),
        ("let a = (b", "the file ends too early", "`)`"),
        ("include po", "unexpected `po`", "a string"),
        ("a = b", "unexpected `=`", "a statement"),
        ("let a = b ) ", "unexpected `)`", "a statement"),
        ("acyclic r as", "the file ends too early", "a name"),
    ],
)
def test_syntax_errors_say_what_was_expected(text: str, message: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(source(text))
    (found,) = caught.value.diagnostics
    assert found.code == "W0204"
    assert found.message == message
    assert found.primary is not None
    assert expected in found.primary.text


def test_deep_nesting_is_an_error_and_no_crash() -> None:
    with pytest.raises(InputError) as caught:
        parse(source("let a = " + "(" * 5000 + "po" + ")" * 5000))
    assert caught.value.diagnostics[0].code == "W0215"


def test_the_grammar_has_no_conflicts() -> None:
    lark.Lark(_GRAMMAR.read_text("utf-8"), parser="lalr", lexer=_Words, strict=True)
