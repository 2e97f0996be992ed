"""What is wrong with a text, and where."""

from __future__ import annotations

import pytest

from unit.languages.xcfa.texts import codes, problems, process, straight

F = "procedure f() { init loc s final loc e s -> e { } }"


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("var x ? int", "W0601", "unexpected character `?`"),
        ("/* no end", "W0601", "a comment that never ends"),
        (process('fence["x'), "W0601", "a string that never ends"),
        ("var x int", "W0602", "unexpected `int`"),
        ("var x : float", "W0602", "unexpected `float`"),
        ("var x : bool (1)", "W0602", "unexpected `1`"),
        ("var m : mutex (1)", "W0602", "unexpected `1`"),
        ("procedure p() {}", "W0602", "unexpected `procedure`"),
        ("process p {", "W0602", "unexpected end of input"),
        (process("l x"), "W0602", "unexpected `x`"),
        (process("l := 1 < 2 < 3"), "W0602", "unexpected `<`"),
        (process("l := " + "(" * 200 + "1"), "W0602", "the expression is nested too deeply"),
        ("var x : int var x : bool", "W0603", "variable `x` is declared twice"),
        (process("skip") + process("skip"), "W0603", "process `p` is declared twice"),
        (f"var l : int {process('skip')}", "W0603", "variable `l` is declared twice"),
        (straight("loc a a -> b { }"), "W0603", "location `a` is declared twice"),
        (process("call f()", more=F * 2), "W0603", "procedure `f` is declared twice"),
        (process("k := 1"), "W0604", "unknown variable `k`"),
        (process("l <- x"), "W0604", "unknown variable `x`"),
        (process("l <- t"), "W0604", "`t` is local"),
        (f"var x : int {process('x <- x')}", "W0604", "`x` is global"),
        (f"var x : int {process('x -> x')}", "W0604", "`x` is global"),
        (process("call f()"), "W0604", "unknown procedure `f`"),
        (straight("a -> c { }"), "W0604", "unknown location `c`"),
        (process("l := q.t"), "W0604", "`q.t` inside a process"),
        (process("l := true"), "W0605", "`true` is of type bool"),
        (process("assume l"), "W0605", "`l` is of type int"),
        (process("t := t + 1"), "W0605", "`t` is of type bool"),
        (f"var x : bool {process('l <- x')}", "W0605", "`x` is of type bool"),
        (f"var m : mutex {process('l := m')}", "W0605", "`m` is a mutex"),
        (f"var x : int {process('lock x')}", "W0605", "`x` is of type int"),
        (process("l := 99999999999999999999"), "W0605", "`99999999999999999999` does not fit"),
        (process("skip", more="var m : mutex"), "W0605", "`m` is a local mutex"),
        (straight("init loc c c -> b { } a -> b { }"), "W0606", "procedure `run` has 2 initial locations"),
        (
            straight("loc c a -> c { }"),
            "W0606",
            "`c` has no outgoing edge, but is neither final nor an error location",
        ),
        (straight("a -> b { } b -> a { }"), "W0606", "an edge leaves the final location `b`"),
        ("process p { }", "W0607", "process `p` has 0 main procedures"),
        (process("skip").replace("run()", "run(in n : int)"), "W0607", "main procedure `run` has parameters"),
        (process("call f(1)", more=F), "W0607", "`f` has 0 parameters"),
        (
            process("call f(1)", more=F.replace("()", "(out n : int)")),
            "W0607",
            "an `out` argument that is not a variable",
        ),
        (process("havoc l"), "W0608", "`havoc l` without a range"),
        (process("havoc l in 2 .. 1"), "W0608", "an empty range"),
        (process("havoc l in 0 .. 100000"), "W0608", "a range of 100001 values"),
        (f"var x : int {process('l <- x release')}", "W0609", "a load cannot be `release`"),
        (f"var x : int {process('l -> x acquire')}", "W0609", "a store cannot be `acquire`"),
    ],
)
def test_what_is_wrong_is_told_where(text: str, code: str, message: str) -> None:
    (found,) = problems(text)
    assert (found.code, found.message) == (code, message)
    assert found.primary is not None
    assert found.primary.text


def test_all_errors_of_a_file_are_told_at_once() -> None:
    text = process("k := 1 l := true havoc l") + process("assume l", name="q")
    assert codes(problems(text)) == ["W0604", "W0605", "W0608", "W0605"]
    broken = straight("a -> b { l ; } a -> b { ? }".replace("?", "then")) + process("l := :=", name="q")
    assert codes(problems(broken)) == ["W0602"] * 3
