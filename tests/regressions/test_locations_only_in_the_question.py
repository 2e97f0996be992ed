"""A location that only `locations` or the condition names was refused; in herd7 it starts at 0."""

from __future__ import annotations

import pytest

import membar
from membar.diagnostics import InputError
from membar.source import SourceFile

ROW = """X86 g00060
{ }
 P0     | P1          ;
 SFENCE | SFENCE      ;
 SFENCE | MOV EAX,[z] ;
        | MOV [y],$1  ;
        | MOV EBX,[y] ;
locations [x;y;z;]
exists (1:EAX=0 /\\ 1:EBX=1)
"""
DIALECTS = {
    "X86": "X86 t\n{ }\n P0 ;\n MOV [y],$1 ;\n",
    "X86_64": "X86_64 t\n{ }\n P0 ;\n movl $1,(y) ;\n",
    "AArch64": "AArch64 t\n{ 0:X1=y; }\n P0 ;\n MOV W0,#1 ;\n STR W0,[X1] ;\n",
    "RISCV": "RISCV t\n{ 0:x6=y; }\n P0 ;\n ori x5,x0,1 ;\n sw x5,0(x6) ;\n",
    "PPC": "PPC t\n{ 0:r2=y; }\n P0 ;\n li r1,1 ;\n stw r1,0(r2) ;\n",
    "C": "C t\n{ }\nP0 (atomic_int* y) { atomic_store(y, 1); }\n",
    "LKMM": "C t\n{ }\nP0 (int* y) { WRITE_ONCE(*y, 1); }\n",
}


def answer(text: str) -> tuple[str, set[tuple[tuple[str, object], ...]], tuple[str, ...]]:
    result = membar.check(SourceFile("t.litmus", text))
    run = result.outcome.run
    return result.verdict, set(run.outcomes), run.notes


def test_the_row() -> None:
    verdict, states, _ = answer(ROW)
    assert verdict == "holds"
    assert states == {(("1:EAX", 0), ("1:EBX", 1), ("x", 0), ("y", 1), ("z", 0))}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_it_starts_at_0_and_the_report_says_so(dialect: str) -> None:
    for question in ("locations [x;]\nexists (y=1)", "exists (x=0 /\\ y=1)"):
        verdict, states, notes = answer(f"{DIALECTS[dialect]}{question}\n")
        assert verdict == "holds"
        assert states == {(("x", 0), ("y", 1))}
        assert any("`x`" in note and "initially 0" in note for note in notes)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_elements_of_arrays_must_be_declared(dialect: str) -> None:
    with pytest.raises(InputError) as caught:
        answer(f"{DIALECTS[dialect]}exists (v[1]=0)\n")
    assert {found.code for found in caught.value.diagnostics} == {"W0104"}


def test_the_same_question_about_another_test_has_its_own_locations() -> None:
    """Questions that recur are kept."""
    used = "X86 t\n{ }\n P0 ;\n MOV [x],$1 ;\n MOV [y],$1 ;\n"
    for text in (DIALECTS["X86"], used, DIALECTS["X86"]):
        _, states, notes = answer(f"{text}exists (x=1 /\\ y=1)\n")
        assert states == {(("x", int(text is used)), ("y", 1))}
        assert bool(notes) is (text is not used)
