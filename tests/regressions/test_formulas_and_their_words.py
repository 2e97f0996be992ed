"""Formulas: what they may join, which process they name, and how a violation of them is worded."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

import membar
import tiers
from membar.cli.command import main
from membar.diagnostics import InputError
from membar.questions import programs
from membar.source import SourceFile

PROMELA = "byte x, y, a[2];\nactive proctype P() { x = 1; L: y = 1 }\n"
DVE = """byte x = 0, y = 0, a[2];
process A { byte l = 9; state a, b, c; init a; trans a -> b { effect x = 1; }, b -> c { effect l = y; }; }
process B { byte l = 9; state a, b, c; init a; trans a -> b { effect y = 1; }, b -> c { effect l = x; }; }
system async;
"""
ARITHMETIC = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=")
TEMPORAL = ("[] y", "<> y", "X y", "(x U y)", "(x V y)", "(x W y)")
SHAPES = ("x {0} {1}", "({1}) {0} x", "!(x {0} ({1}))", "[] (x {0} {1})", "a[x {0} {1}] == 0", "-({1}) {0} 1")


def read(source: SourceFile, **asked: str) -> None:
    programs.parse_with_options(source, error=asked.get("error"), ltl=asked.get("ltl"), words={})


def is_located(source: SourceFile, **asked: str) -> bool:
    """Whether what is asked is understood, or refused with a place."""
    try:
        read(source, **asked)
    except InputError as problem:
        return all(item.primary is not None for item in problem.diagnostics)
    return True


def test_a_bit_operator_on_a_temporal_formula_is_a_located_error() -> None:
    text = "int P, Q;\ninit { P = 1; Q = 1 }\nltl a { [](P & <>Q) }\n"
    with pytest.raises(InputError) as caught:
        read(SourceFile("test.pml", text))
    (problem,) = caught.value.diagnostics
    assert (problem.code, problem.message) == ("W0712", "`<>` inside an expression")
    assert problem.primary is not None
    assert (problem.primary.span.line, problem.primary.span.text) == (3, "<>Q")


@pytest.mark.parametrize("shape", SHAPES)
def test_no_mixture_of_values_and_temporal_operators_crashes(shape: str) -> None:
    pairs = [*product(ARITHMETIC, TEMPORAL)]
    for sign, formula in pairs if tiers.IS_FULL else pairs[::5]:  # each sign and each operator
        text = shape.format(sign, formula)
        assert is_located(SourceFile("test.pml", f"{PROMELA}ltl q {{ {text} }}\n"))
        assert is_located(SourceFile("test.pml", f"{PROMELA}never {{ do :: {text} od }}\n"))
        for source in (SourceFile("test.pml", PROMELA), SourceFile("test.dve", DVE)):
            assert is_located(source, ltl=text)
            assert is_located(source, error=text)


def test_a_label_without_a_number_means_the_first_process_as_in_spin() -> None:
    text = (
        "byte x;\nproctype P(byte go) { if :: go -> CS: x = 1 :: !go -> x = 2 fi }\n"
        "init { atomic { run P(%d); run P(%d) } }\nltl a { [] !(P@CS) }\n"
    )
    second, first = (
        membar.check(SourceFile("test.pml", text % given), model="sc") for given in ((0, 1), (1, 0))
    )
    assert (second.verdict, first.verdict) == ("holds", "violated")
    assert second.outcome.run.notes == ("`P@CS` means the first of 2 processes `P`, P[1], as in SPIN",)


def test_a_variable_without_a_number_means_the_first_process_as_in_spin() -> None:
    text = "active [2] proctype P() { byte k = _pid; k++ }\nltl a { [] (P:k < 2) }\n"
    result = membar.check(SourceFile("test.pml", text), model="sc")
    assert result.verdict == "holds"
    assert result.outcome.run.notes == ("`P:k` means the first of 2 processes `P`, P[0], as in SPIN",)


WORDS = {
    "G !(x == 1)": "reaches x == 1",
    "G(x == 0)": "reaches not (x == 0)",
    "G !(not (x == 0))": "reaches not (x == 0)",
    "G((x == 0) or (y == 0))": "reaches not ((x == 0) or (y == 0))",
    "G !(x == 1 and (y == 1) and A.c)": "reaches x == 1 and (y == 1) and A.c",
    "G !((x == 0) -> (y == 1))": "reaches (x == 0) -> (y == 1)",
    "G (x == 0 <-> y == 0)": "reaches not (x == 0 <-> y == 0)",
    "F (x == 7)": "a run that violates ltl1: F (x == 7)",
}


@pytest.mark.parametrize("formula", WORDS)
def test_a_violated_formula_is_not_negated_twice_in_dve(formula: str) -> None:
    result = membar.check(SourceFile("test.dve", DVE), model="sc", ltl=formula)
    assert result.witness is not None
    assert result.witness.message == WORDS[formula]


PROMELA_WORDS = {
    "ltl { [] !(x == 1) }": "reaches x == 1",
    "ltl { [] ((x == 0) || (y == 0)) }": "reaches !((x == 0) || (y == 0))",
    "ltl { [] !((x == 0) -> (y == 1)) }": "reaches (x == 0) -> (y == 1)",
    "ltl good { <> (x == 7) }": "a run that violates good: <> (x == 7)",
    "never bad { do :: x == 0 :: x == 1 -> break od }": "a run that the never claim bad forbids",
}


@pytest.mark.parametrize("claim", PROMELA_WORDS)
def test_a_violated_formula_is_worded_once_in_promela(claim: str) -> None:
    result = membar.check(SourceFile("test.pml", PROMELA + claim), model="sc")
    assert result.witness is not None
    assert result.witness.message == PROMELA_WORDS[claim]


def test_a_formula_of_the_command_line_is_not_named_after_itself() -> None:
    result = membar.check(SourceFile("test.pml", PROMELA), model="sc", ltl="F(x\n  == 7)")
    assert result.witness is not None
    assert result.witness.message == "a run that violates F(x == 7)"


SEVERAL_LINES = {
    "test.pml": """byte x;
active [2] proctype P() {
  atomic {
    x == 0;
    x = 1
  };
  assert(x ==
    2)
}
""",
    "test.dve": """byte x = 0;
process A { state a, b; init a;
trans a -> b { guard x
  == 0; effect x =
  1; }; }
system async;
error x
  == 1;
""",
}


@pytest.mark.parametrize("name", SEVERAL_LINES)
def test_a_step_of_several_lines_is_shown_as_it_is_written(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    path.write_text(SEVERAL_LINES[name], encoding="utf-8")
    pictures = [f"--{kind}={tmp_path / kind}" for kind in ("svg", "dot")]
    files = [f"--{kind}={tmp_path / f'report.{kind}'}" for kind in ("sarif", "junit", "summary")]
    main(["check", str(path), "--model", "sc", *pictures, *files])
    main(["check", str(path), "--model", "sc", "--json"])
    text, document = capsys.readouterr().out.rstrip().rsplit("\n", 1)
    assert "\n" not in json.loads(document)["witness"]["message"]
    written = [each.read_text(encoding="utf-8") for each in tmp_path.rglob("*") if each.is_file()]
    assert len(written) == 6
    assert not any("\N{REPLACEMENT CHARACTER}" in each for each in (text, document, *written))
    assert ("x == 0; x = 1" if name == "test.pml" else "guard x == 0; effect x = 1;") in text
