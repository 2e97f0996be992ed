"""Mistakes in `.cub` files: one located error with what was expected, exit code 2, no verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from membar.cli import command as cli
from membar.diagnostics import InputError
from membar.languages.cubicle.elaborate import parse
from membar.source import SourceFile

SC = """type loc = L1 | L2
array PC[proc] : loc
var X : int
var T : proc
const Limit : int
init (p) { PC[p] = L1 && X = 0 }
unsafe (p q) { PC[p] = L2 && PC[q] = L2 }
transition t (p)
requires { PC[p] = L1 && X = 0 }
{ PC[p] := L2; X := X + 1 }
"""
WEAK = """type loc = L1 | L2
array PC[proc] : loc
weak var X : int
weak array F[proc] : bool
init (p) { PC[p] = L1 && X = 0 && F[p] = False }
unsafe (p q) { PC[p] = L2 && q@X = 1 }
transition t ([p])
requires { PC[p] = L1 && fence() }
{ PC[p] := L2; X := 1 }
"""

# Base text, what is replaced, by what, the code, the line and the underlined text.
MISTAKES = [
    (SC, "X = 0 }\nunsafe", "X = 0 ! }\nunsafe", "W0801", 6, "!"),
    (SC, "type loc", "(* type loc", "W0801", 1, "(*"),
    (SC, "X + 1 }", "X + 1x }", "W0801", 10, "1x"),
    (SC, "array PC[proc]", "array pc[proc]", "W0802", 2, "pc"),
    (SC, "array PC[proc]", "array PC", "W0802", 2, ":"),
    (SC, "array PC[proc]", "array PC[int]", "W0802", 2, "int"),
    (SC, "PC[p] := L2;", "PC[p] = L2;", "W0802", 10, "="),
    (SC, "PC[q] = L2 }", "PC[q] L2 }", "W0802", 7, "L2"),
    (SC, "requires { PC[p] = L1 && X = 0 }", "requires { PC[p] = L1 && X * X = 0 }", "W0802", 9, "="),
    (SC, "requires {", "requires (", "W0802", 9, "("),
    (SC, "X = 0 }\nunsafe", "Y = 0 }\nunsafe", "W0803", 6, "Y"),
    (SC, "PC[p] = L1 && X = 0 }\nunsafe", "PC[r] = L1 }\nunsafe", "W0803", 6, "r"),
    (SC, "array PC[proc] : loc", "array PC[proc] : place", "W0803", 2, "place"),
    (SC, "PC[q] = L2 }", "both(p, q) }", "W0803", 7, "both"),
    (SC, "type loc = L1 | L2", "type loc = L1 | L1", "W0804", 1, "L1"),
    (SC, "var X : int", "var X : int\nvar X : bool", "W0804", 4, "X"),
    (SC, "unsafe (p q)", "unsafe (p p)", "W0804", 7, "p"),
    (SC, "X = 0 }\nunsafe", "X = L1 }\nunsafe", "W0805", 6, "L1"),
    (SC, "X = 0 }\nunsafe", "X = 0.5 }\nunsafe", "W0805", 6, "0.5"),
    (SC, "PC[q] = L2 }", "PC[q] < L2 }", "W0805", 7, "<"),
    (SC, "X := X + 1", "X := X + L1", "W0805", 10, "L1"),
    (SC, "X := X + 1", "X := p", "W0805", 10, "p"),
    (SC, "PC[q] = L2 }", "PC = L2 }", "W0806", 7, "PC"),
    (SC, "PC[q] = L2 }", "PC[p,q] = L2 }", "W0806", 7, "PC[p,q"),
    (SC, "PC[q] = L2 }", "L1[q] = L2 }", "W0806", 7, "L1[q]"),
    (SC, "PC[q] = L2 }", "T = #1 }", "W0807", 7, "#1"),
    (SC, "type loc", "number_procs 2\ntype loc", "W0807", 8, "#3"),
    (SC, "unsafe (p q) { PC[p] = L2 && PC[q] = L2 }\n", "", "W0808", 9, ""),
    (SC, "init (p) { PC[p] = L1 && X = 0 }\n", "", "W0808", 9, ""),
    (SC, "unsafe", "init () { X = 0 }\nunsafe", "W0808", 7, "init () { X = 0 }"),
    (SC, "unsafe (p q)", "var Late : int\nunsafe (p q)", "W0808", 7, "var"),
    (SC, "PC[q] = L2 }", "forall_other r. PC[r] = L1 }", "W0809", 7, "forall_other r. PC[r] = L1"),
    (SC, "X = 0 }\nunsafe", "exists r. X = 0 }\nunsafe", "W0809", 6, "exists r. X = 0"),
    (SC, "PC[p] := L2;", "PC[k] := case | k = p : L2;", "W0810", 10, "| k = p : L2"),
    (SC, "PC[p] := L2;", "PC[k] := case | _ : L1 | k = p : L2;", "W0810", 10, "| k = p : L2"),
    (SC, "X := X + 1", "Limit := 1", "W0814", 10, "Limit"),
    (SC, "X := X + 1", "X := 1; X := 2", "W0814", 10, "X"),
    (SC, "X := X + 1", "PC[j] := case | _ : L1", "W0814", 10, "PC"),
    (WEAK, "weak array F", "var Y : int\nweak array F", "W0811", 4, "Y"),
    (WEAK, "q@X = 1", "X = 1", "W0811", 6, "X"),
    (WEAK, "X = 0 &&", "p@X = 0 &&", "W0811", 5, "p@X"),
    (WEAK, "transition t ([p])", "transition t ([p] q)", "W0811", 9, "PC[q"),
    (WEAK, "fence()", "forall_other k. PC[k] = L1", "W0811", 8, "PC[k]"),
    (WEAK, "transition t ([p])", "transition t (p)", "W0812", 7, "t"),
    (WEAK, "X = 0 &&", "fence() &&", "W0813", 5, "fence()"),
    (WEAK, "fence()", "not fence()", "W0813", 8, "fence()"),
]


def broken(base: str, old: str, new: str) -> str:
    if "#3" not in base and old == "type loc" and "number_procs" in new:
        base = base.replace("PC[q] = L2 }", "T = #3 }")
    if new == "transition t ([p] q)":
        base = base.replace("PC[p] := L2", "PC[q] := L2")
    assert old in base
    return base.replace(old, new, 1)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: f"{mistake[3]} {mistake[2]}")
def test_a_mistake_is_found_where_it_is(mistake: tuple[str, str, str, str, int, str]) -> None:
    base, old, new, code, line, text = mistake
    with pytest.raises(InputError) as caught:
        parse(SourceFile("t.cub", broken(base, old, new)))
    found = caught.value.diagnostics[0]
    assert found.primary is not None
    assert (found.code, found.primary.span.line, found.primary.span.text) == (code, line, text)
    assert found.primary.text


@pytest.mark.parametrize("base", [SC, WEAK])
def test_the_texts_are_right_without_mistakes(base: str) -> None:
    parse(SourceFile("t.cub", base))


def test_all_mistakes_of_a_file_are_reported() -> None:
    text = SC.replace("X = 0 }\nunsafe", "Y = 0 }\nunsafe").replace("X := X + 1", "X := L1")
    with pytest.raises(InputError) as caught:
        parse(SourceFile("t.cub", text))
    assert [found.code for found in caught.value.diagnostics] == ["W0803", "W0805"]


def test_a_formula_with_too_many_alternatives_is_refused() -> None:
    clause = "(X = 0 || X = 1)"
    text = SC.replace(
        "PC[p] = L1 && X = 0 }\n{",
        f"{' && '.join([clause.replace('0', str(n)) for n in range(2, 14)])} }}\n{{",
    )
    with pytest.raises(InputError) as caught:
        parse(SourceFile("t.cub", text))
    assert caught.value.diagnostics[0].code == "W0815"


def test_deep_nesting_is_refused_without_a_traceback() -> None:
    deep = "(" * 5000 + "X = 0" + ")" * 5000
    with pytest.raises(InputError):
        parse(SourceFile("t.cub", SC.replace("X = 0 }\nunsafe", f"{deep} }}\nunsafe")))


def test_the_command_line_shows_the_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "t.cub"
    file.write_text(SC.replace("X = 0 }\nunsafe", "X = L1 }\nunsafe"), encoding="utf-8")
    assert cli.main(["check", str(file)]) == 2
    shown = capsys.readouterr().err
    assert "error[W0805]" in shown
    assert "t.cub:6:30" in shown
    assert "expected int" in shown
