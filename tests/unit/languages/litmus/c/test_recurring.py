"""Functions and questions that recur must mean, and point to, what they would without a memory."""

from __future__ import annotations

import pytest

from membar.diagnostics import InputError
from membar.languages.litmus import condition_cache, parse
from membar.languages.litmus.dialects.c import function_cache
from membar.languages.litmus.dialects.c.tokens import plain_functions
from membar.program.program import Program
from membar.source import SourceFile

STORE = "P0 (atomic_int* x) {\n  atomic_store_explicit(x, 1, memory_order_relaxed);\n}\n"
LOAD = "P1 (atomic_int* x) {\n  int r0 = atomic_load_explicit(x, memory_order_relaxed);\n}\n"
QUESTION = "exists (1:r0=1)\n"


def text_of(*functions: str, initial: str = "", question: str = QUESTION) -> str:
    return f"C test\n{{{initial}}}\n{''.join(functions)}{question}"


def read(text: str) -> Program:
    return parse(SourceFile("test.litmus", text))


def spans(program: Program) -> list[tuple[str, str, int]]:
    found = [thread.span for thread in program.threads]
    found += [edge.span for thread in program.threads for edge in thread.edges]
    found += [item.span for item in program.objects]
    return [(span.path, span.text, span.start) for span in found if span is not None]


def fresh(text: str) -> Program:
    function_cache.forget()
    condition_cache.forget()
    return read(text)


@pytest.mark.parametrize(
    "other",
    [
        text_of(STORE, LOAD),
        text_of("\n\n", STORE, "\n", LOAD),
        text_of(LOAD, STORE),
        text_of(STORE, LOAD, initial=" x=3; "),
        text_of(STORE, LOAD, initial=" atomic_int x; int y; "),
        text_of(STORE, LOAD, initial=" int y=5; 0:x=y; "),
        text_of("// first\n", STORE, LOAD),
        text_of(STORE, LOAD, question="forall (1:r0=0 \\/ x=1)\n"),
        text_of(STORE, LOAD.replace("int r0", "long r0")),
    ],
)
def test_what_was_met_before_is_read_as_if_new(other: str) -> None:
    expected = fresh(other)
    fresh(text_of(STORE, LOAD))
    again = read(other)
    assert again == expected
    assert spans(again) == spans(expected)
    assert all(other[start : start + len(text)] == text for _, text, start in spans(again))


@pytest.mark.parametrize(
    "code",
    [
        "int r0 = *x + *y; r0 = *x + *y; r0 = *x + *y;",
        "int a; int r0 = 1 ; ; a=r0; a=r0;\n\n  *x = a;",
        "int r0 = *x; if (r0) *y = 1; if (r0) *y = 1; *y = 2;",
        "int r0 = *x; if (r0) *y = 1; else *y = 2; *y = 3;",
        "int r0 = 0; for (r0 = 0; r0 < 1; r0++) *y = (*x); *x = 1;",
        "int r0 = *x; do r0 = *y; while (r0);",
        "int r0 = *x; { int s = *y; *x = s; } *y = r0;",
        "int r0 = *x; return; *y = r0;",
        "",
    ],
)
def test_a_function_is_the_row_of_its_statements(code: str) -> None:
    """A comment makes it one that is read in place."""
    start, end = "P0 (int* x, volatile int* y) { ", " }\n"
    text = text_of(start, "       ", code, end, question="exists (x=0)")
    alone = fresh(text)
    commented = fresh(text_of(start, "/* */  ", code, end, question="exists (x=0)"))
    assert alone == commented
    assert spans(alone) == spans(commented)


def test_statements_that_are_wrong_only_together_are_read_in_place() -> None:
    for code in ("int r0; int r0;", "r0 = 1; int r0;", "break;", "P1(x);", "int r0 = 1 *x;", "x = 1"):
        function = f"P0 (int* x) {{ {code} }}\n"
        with pytest.raises(InputError) as alone:
            fresh(text_of(function))
        with pytest.raises(InputError) as commented:
            fresh(text_of("/* */", function))
        codes = [[found.code for found in each.value.diagnostics] for each in (alone, commented)]
        assert codes[0] == codes[1]


def test_the_same_text_about_other_objects_means_something_else() -> None:
    fits = text_of(STORE, LOAD, initial=" int x; ")
    fresh(fits)
    with pytest.raises(InputError) as caught:
        read(text_of(STORE, LOAD, initial=" long x; "))
    assert {item.code for item in caught.value.diagnostics} == {"W0109"}
    assert read(fits) == fresh(fits)


def test_the_same_question_about_wider_variables_means_something_else() -> None:
    question = "exists (1:r0=5000000000)\n"
    wide = text_of(STORE, LOAD.replace("int r0", "long r0"), question=question)
    read(wide)
    with pytest.raises(InputError, match="does not fit"):
        read(text_of(STORE, LOAD, question=question))
    assert read(wide) == fresh(wide)


@pytest.mark.parametrize(
    ("function", "line"),
    [
        (STORE.replace("1,", "y,"), 5),  # an unknown name
        (STORE.replace(");", ")"), 5),  # no semicolon
        (STORE.replace("x, 1", "@, 1"), 5),
        (STORE.replace("}", ""), 4),
        (STORE.replace("x) {", "x, int* x) {"), 4),
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(function: str, line: int) -> None:
    text = f"C test\n\n{{}}\n{function}{LOAD}{QUESTION}"
    for _ in range(2):
        with pytest.raises(InputError) as caught:
            read(text)
        places = [item.primary.span for item in caught.value.diagnostics if item.primary is not None]
        assert (places[0].path, places[0].line) == ("test.litmus", line)
        assert places[0].source.text == text


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("P0(int *x) { *x = 1; }", 1),
        ("P0(int *x) { if (1) { (*x) = 1; } }  P1() { }", 2),
        ("P0(int *x) { *x = '{'; }", None),
        ("P0(int *x) { /* } */ }", None),
        ("P0(int *x) { // }\n }", None),
        ("(*P0*) P0(int *x) { }", None),
        ("P0(int *x) { (* } *) }", None),
        ("P0(int *x) { @ }", None),
        ("P0(int *x) { } }", None),
        ("P0(int *x) { } int", None),
    ],
)
def test_functions_are_told_apart_by_their_braces(code: str, expected: int | None) -> None:
    found = plain_functions(SourceFile("test.litmus", code).span(0, len(code)))
    assert (None if found is None else len(found)) == expected
