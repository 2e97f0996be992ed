"""The statements and calls of C text, by its tokens alone."""

from __future__ import annotations

import pytest

from membar.languages._c_text import CText
from membar.source import SourceFile


def heads(code: str) -> list[tuple[str, int, bool]]:
    """The own text of each statement, how many loops are around it, and whether it stands in a block."""
    text = CText(SourceFile("a.c", code))
    return [
        (code[item.start : item.head_end], text.depth(item.start), item.is_braced) for item in text.statements
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a = 1; b();", [("a = 1;", 0, True), ("b();", 0, True)]),
        ("if (a) b(); else c();", [("if (a)", 0, True), ("b();", 0, False), ("c();", 0, False)]),
        ("while (a) { b(); }", [("while (a)", 0, True), ("b();", 1, True)]),
        ("for (;;) while (a) b();", [("for (;;)", 0, True), ("while (a)", 1, False), ("b();", 2, False)]),
        ("do a(); while (b);", [("do", 0, True), ("a();", 1, False)]),
        ("again: a(); goto again; b();", [("a();", 1, True), ("goto again;", 1, True), ("b();", 0, True)]),
        ("switch (a) { case 1: b(); default: }", [("switch (a)", 0, True), ("b();", 0, True)]),
        ("int v[] = {1, 2}; b();", [("int v[] = {1, 2};", 0, True), ("b();", 0, True)]),
        ('s("}"); /* } */ t(); // }\n u();', [('s("}");', 0, True), ("t();", 0, True), ("u();", 0, True)]),
        ("while (a) ; b();", [("while (a)", 0, True), ("b();", 0, True)]),
    ],
)  # fmt: skip
def test_statements(body: str, expected: list[tuple[str, int, bool]]) -> None:
    assert heads(f"void f(void) {{ {body} }}") == expected


def test_what_is_outside_of_functions_has_no_statements() -> None:
    code = "#define F(x) { x; }\nstruct s { int a; };\nint v[2] = {1, 2};\nint g(void) { return 1; }\n"
    text = CText(SourceFile("a.c", code))
    assert text.functions == {"g"}
    assert [code[item.start : item.end] for item in text.statements] == ["return 1;"]


def test_calls_have_their_arguments() -> None:
    code = "void f(void) { g(h(1, 2), (a, b)[c, d], x); }"
    calls = {call.name.text: call for call in CText(SourceFile("a.c", code)).calls}
    assert ["".join(token.text for token in part) for part in calls["g"].arguments] == [
        "h(1,2)",
        "(a,b)[c,d]",
        "x",
    ]
    assert code[calls["g"].closing] == ")"


def test_the_end_of_a_loop_is_noted() -> None:
    code = "void f(void) { while (a) { b(); if (c) { d(); } } for (;;) e(); do { g(); } while (h); }"
    text = CText(SourceFile("a.c", code))
    assert [code[item.start : item.end] for item in text.last_in_loops] == ["if (c) { d(); }", "g();"]


@pytest.mark.parametrize(
    "code", ["", "{", "}", "void f(void) {", "f( {", "void f(void) { if ( } ", 'x = "', "/*"]
)
def test_broken_text_is_no_reason_to_stop(code: str) -> None:
    assert isinstance(CText(SourceFile("a.c", code)).statements, list)
