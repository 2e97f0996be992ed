"""What an operation was called with, stores, and returns: each is itself, whatever it is called."""

from __future__ import annotations

import pytest

import membar
from membar.languages.objects.parser import parse_text
from membar.objects.proof.findings import Proof
from membar.questions.outcome import Holds, Unknown
from membar.questions.proof import verdict_of
from membar.source import SourceFile

VALUE = """object val; shared x = 0;
    operation write(value) { 1: x = value + 1; 2: fence; 3: return; }
    operation read() { local r; 4: r = x; 5: return r; }
    specification { state y = 0; operation write(a) { y = a; } operation read() { return y; } }
    abstraction y == x; linearize write at 1; linearize read at 4;"""
INDEX = """object idx; shared x[2] = 0;
    operation write(index, v) requires 0 <= index && index < 2 { 1: x[1 - index] = v; 2: fence; }
    specification { state y0 = 0, y1 = 0;
        operation write(i, v) { y0 = i == 0 ? v : y0; y1 = i == 1 ? v : y1; } }
    abstraction y0 == x[0] && y1 == x[1]; linearize write at 1;
    invariant pending(1) -> pending(1).value == pending(1).v;"""
EARLY = """object early; shared x = 0;
    operation f() { local t; 1: t = x; 2: if (t == 0) { 3: return 7; } 4: return 8; }
    specification { state y = 0; operation f() { return y == 0 ? 7 : 8; } }
    abstraction x == y;
    linearize f at 1 when x == 0 returning (7); linearize f at 1 returning (8);
    invariant { at 3: t == 0; at 4: t != 0; at 2..4: linearized;
        at 2..4: linearized.result1 == (t == 0 ? 7 : 8); }"""
FENCES = " ".join(f"{line}: fence;" for line in range(2, 14))
LONG = f"""object long; shared x = 0;
    operation f() {{ local t; 1: x = 7; {FENCES} 14: t = 1; 15: return t; }}
    specification {{ state y = 0; operation f() {{ y = 7; return RESULT; }} }}
    abstraction x == y; linearize f at 1 returning (RESULT); invariant x == 0 || x == 7;
    invariant at 15: t == 1;"""


def proved(text: str, model: str) -> object:
    return membar.prove(SourceFile("test.obj", text), model=model).outcome


@pytest.mark.parametrize("model", ["sc", "x86-tso", "xc", "armv8"])
@pytest.mark.parametrize("text", [VALUE, INDEX], ids=["value", "index"])
def test_a_parameter_is_not_what_is_stored_or_where(text: str, model: str) -> None:
    assert isinstance(proved(text, model), Unknown)


def test_a_parameter_may_be_called_like_a_part_of_a_store() -> None:
    right = VALUE.replace("value + 1", "value").replace("write(value)", "write(index)")
    right = (
        right.replace("x = value", "x = index")
        + " invariant pending(1) -> pending(1).value == pending(1).index;"
    )
    assert isinstance(proved(right, "x86-tso"), Holds)


@pytest.mark.parametrize("model", ["sc", "x86-tso", "xc", "armv8"])
def test_what_was_promised_can_be_spoken_of(model: str) -> None:
    assert isinstance(proved(EARLY, model), Holds)
    wrong = EARLY.replace("y == 0 ? 7 : 8", "y == 0 ? 7 : 9")
    assert isinstance(proved(wrong, model), Unknown)


@pytest.mark.parametrize("model", ["xc", "armv8"])
def test_an_operation_that_is_long_is_looked_at(model: str) -> None:
    assert isinstance(proved(LONG.replace("RESULT", "2"), model), Unknown)
    assert isinstance(proved(LONG.replace("RESULT", "1"), model), Holds)


def test_a_bound_that_hides_a_line_says_nothing() -> None:
    about = parse_text(SourceFile("test.obj", VALUE))
    proof = Proof(cut=True, lines={"1", "2", "3", "4"})
    outcome = verdict_of(proof, about, "xc", "causal")
    assert isinstance(outcome, Unknown)
    assert "the line with label 5 never executes within at most 14 lines" in outcome.reason
