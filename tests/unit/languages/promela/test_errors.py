"""What is wrong with a text, and where."""

from __future__ import annotations

import pytest

from unit.languages.promela.texts import problems

X = "byte x, a[2]; chan c = [1] of { byte }; chan m = [0] of { byte };\n"


def body(statements: str) -> str:
    """A process that does this, in line 2."""
    return f"{X}active proctype P() {{ byte k; {statements} }}"


# Every level of operators, once.
MIXED = "(x || x && x | x ^ x & x == x < x << x + x * "


@pytest.mark.parametrize(
    ("text", "code", "message", "line"),
    [
        (body("x = `1`"), "W0701", "unexpected character ```", 2),
        ("/* no end", "W0701", "a comment that never ends", 1),
        (body('printf("no end)'), "W0701", "a string that never ends", 2),
        (body("x = "), "W0702", "unexpected `}`", 2),
        (body("if x == 1 fi"), "W0702", "unexpected `x`", 2),
        (body("do :: x == 1 -> skip fi"), "W0702", "unexpected `fi`", 2),
        (body("x = 1 x = 2"), "W0702", "unexpected `x`", 2),
        (body("x = " + "(" * 200 + "1"), "W0702", "the expression is nested too deeply", 2),
        (body("x = " + MIXED * 40 + "1" + ")" * 40), "W0702", "the expression is nested too deeply", 2),
        (body("x = x" + " / 1" * 300), "W0702", "the expression is nested too deeply", 2),
        (body("{" * 100 + "skip"), "W0702", "statements are nested too deeply", 2),
        (body("break"), "W0702", "`break` outside a loop", 2),
        ("proc P() { }", "W0702", "unexpected `proc`", 1),
        ("active proctype P( { skip }", "W0702", "unexpected `{`", 1),
        ("active proctype P() { skip", "W0702", "unexpected end of input", 1),
        ("ltl { [] }", "W0702", "unexpected `}`", 1),
        ("inline f(", "W0702", "parameters that never end", 1),
        ("inline f() { skip", "W0702", "a block that never ends", 1),
        ('#include "other.pml"', "W0703", "`other.pml` was not found", 1),
        ("#include <other.pml>", "W0703", "`other.pml` was not found", 1),
        ("#include other", "W0703", "`#include` without a file", 1),
        ("#unknown once", "W0703", "`#unknown` is not supported", 1),
        ("#define\nbyte x;", "W0702", "`define` without a name", 1),
        ("#if 1 +\n#endif", "W0703", "unexpected end of input", 1),
        ("#if 1 / 0\n#endif", "W0703", "division by 0 in a condition", 1),
        ("#error no\n", "W0703", "`#error` in the text", 1),
        ("#ifdef A\nbyte x;", "W0703", "a conditional without `#endif`", 1),
        ("#endif", "W0703", "`#endif` without `#if`", 1),
        (f"#define F(a) a\n{body('F(1, 2)')}", "W0703", "`F` has 1 parameters", 3),
        (f"inline f() {{ f() }}\n{body('f()')}", "W0703", "inline `f` calls itself", 3),
        ("byte x; byte x;", "W0704", "`x` is declared twice", 1),
        (body("L: skip; L: skip"), "W0704", "label `L` is used twice", 2),
        (f"{body('skip')}\nactive proctype P() {{ skip }}", "W0704", "process `P` is declared twice", 3),
        ("inline f() { skip }\ninline f() { skip }", "W0704", "`f` is declared twice", 2),
        (body("x = 99999999999"), "W0705", "`99999999999` does not fit", 2),
        ("byte a[1 / 0];", "W0705", "division by 0", 1),
        ("byte a[0];", "W0705", "an array of 0 elements", 1),
        ("unsigned u : 40;", "W0705", "an unsigned variable cannot have 40 bits", 1),
        ("chan c = [1000] of { byte };", "W0705", "a channel of 1000 messages", 1),
        (body("q = 1"), "W0706", "unknown name `q`", 2),
        (body("goto L"), "W0706", "unknown label `L`", 2),
        (body("f(x)"), "W0706", "unknown inline or macro `f`", 2),
        (body("run Q()"), "W0706", "unknown process `Q`", 2),
        (body("skip") + "ltl p { [] !(P@L) }", "W0706", "process `P` has no label `L`", 2),
        (body("skip") + "ltl p { [] (R[3]:k == 0) }", "W0706", "unknown process in `R[3]:k`", 2),
        (body("c?_pid"), "W0711", "receiving into `_pid`", 2),
        (body("L: skip; x = 1; L: skip"), "W0704", "label `L` is used twice", 2),
        ("typedef R { byte f }; active proctype P() { skip; R r = 1; skip }", "W0705", "an initial value", 1),
        ("#define D 3a\nbyte x;", "W0701", "`3a` is neither a number nor a name", 1),
        ("#if 0\n/* a\n#endif\nbyte x;", "W0701", "a comment that never ends", 2),
        (body("skip") + "ltl p { [] (P:z == 0) }", "W0706", "process `P` has no variable `z`", 2),
        ("typedef R { byte f }; R r; active proctype P() { r.g = 1 }", "W0706", "unknown field `g`", 1),
        (body("a = 1"), "W0707", "`a` is an array", 2),
        (body("x[1] = 1"), "W0707", "`x` is not an array", 2),
        (body("x.f = 1"), "W0707", "`x` has no fields", 2),
        (body("x!1"), "W0707", "`x` is not a channel", 2),
        (body("c!1, 2"), "W0707", "a message of 2 values on `c`", 2),
        (body("store(k, 1)"), "W0707", "`k` is local", 2),
        ("byte n; byte a[n];", "W0705", "an array of 0 elements", 1),
        ("byte x = len(x);", "W0711", "`len(x)` in an initial value", 1),
        ("byte x; proctype P() { x = 1 }", "W0709", "no process runs", 1),
        (f"{X}proctype Q(byte n) {{ skip }} init {{ run Q() }}", "W0709", "`Q` has 1 parameters", 2),
        (
            f"{X}proctype Q(chan q) {{ skip }} init {{ run Q(1) }}",
            "W0709",
            "an argument that is not a channel",
            2,
        ),
        (body("atomic { x = 1; sync }"), "W0710", "`sync` in the middle of an atomic block", 2),
        (body("d_step { goto L }; L: skip"), "W0710", "`goto` out of a `d_step`", 2),
        (body("x = enabled(1)"), "W0711", "`enabled` in a text with a rendezvous", 1),
        (body("run P() priority 2"), "W0711", "priorities in a text with a rendezvous", 1),
        ("byte x; ghost y active proctype P() { x = 1 }", "W0706", "`y` is not a global variable", 1),
        (body("assert(Q@L)"), "W0706", "unknown process `Q`", 2),
        (body("assert(P@L)"), "W0706", "process `P` has no `L`", 2),
        (body("assert(P:z)"), "W0706", "process `P` has no `z`", 2),
        (
            "active proctype P() { enabled(1) } active proctype Q() { enabled(0) }",
            "W0711",
            "`enabled` of processes that ask about each other",
            1,
        ),
        (
            "byte x; active proctype P() provided (x) { d_step { do :: x > 0 -> x-- :: else -> break od } }",
            "W0711",
            "a loop at the beginning of a `d_step` of a process with `provided`",
            1,
        ),
        ("active proctype P() provided x { skip }", "W0702", "unexpected `x`", 1),
        ("active proctype P() provided (y) { skip }", "W0706", "unknown name `y`", 1),
        ("active proctype P() priority 256 { skip }", "W0705", "priority 256", 1),
        ("trace { do :: skip od }", "W0712", "a statement of a `trace` that is no message", 1),
        ("chan c = [1] of { byte }; trace { c!1 } notrace { c!1 }", "W0712", "a second `trace`", 1),
        ("chan c = [1] of { byte }; trace { do :: c!1 :: c!_ od }", "W0712", "a `trace` with two events", 1),
        (
            "chan c = [1] of { byte }; trace { c!1 } active proctype P() { c = c }",
            "W0711",
            "`c` in a `trace`",
            1,
        ),
        (body("c_code { x = 1; }"), "W0711", "embedded C (`c_code`) is not supported", 2),
        ("c_decl { int x; }", "W0711", "embedded C (`c_decl`) is not supported", 1),
        (body("c_expr { x } -> skip"), "W0711", "embedded C (`c_expr`) is not supported", 2),
        ("byte a[2] = { 1, 2, 3 };", "W0705", "`a` has 2 elements", 1),
        ("byte a = { 1 };", "W0705", "`a` is not an array", 1),
        ("chan c = [1] of { byte }; byte a[2] = { len(c) };", "W0711", "`len(c)` in an initial value", 1),
        (
            "active proctype P() { skip; byte a[2] = { 1, 2 }; skip }",
            "W0711",
            "a list of initial values after a statement",
            1,
        ),
        (body("skip") + "never { x = 1 }", "W0712", "a `never` claim with side effects", 2),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 60 else "",
)
def test_mistakes_are_named_and_located(text: str, code: str, message: str, line: int) -> None:
    first = problems(text)[0]
    assert (first.code, first.message[: len(message)]) == (code, message)
    assert first.primary is not None
    assert first.primary.span.line == line


def test_all_mistakes_of_a_text_are_told() -> None:
    found = problems(f"{X}active proctype P() {{ q = 1; a = 2; goto L }}\nactive proctype Q() {{ z = 1 }}")
    assert [(item.code, item.primary.span.line) for item in found if item.primary] == [
        ("W0706", 2),
        ("W0707", 2),
        ("W0706", 2),
        ("W0706", 3),
    ]


def test_a_mistake_in_one_unit_does_not_hide_those_of_others() -> None:
    found = problems("proctype P() { x = }\nproctype Q() { goto }\nbyte 5;")
    assert [item.primary.span.line for item in found if item.primary] == [1, 2, 3]


def test_a_name_close_to_a_declared_one_is_offered() -> None:
    (found,) = problems("byte counter; active proctype P() { conter = 1 }")
    assert found.help == "did you mean `counter`?"
