"""Bad input of every kind: one located error, exit code 2, and never a traceback or a verdict."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from membar.cli import command as cli

X86 = """X86 t
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
"""
ARM = """AArch64 t
{ int x=0; 0:X1=x; 1:X1=x; }
 P0          | P1          ;
 MOV W0,#1   | LDR W0,[X1] ;
 STR W0,[X1] | LDR W2,[X1] ;
exists (1:X0=1 /\\ 1:X2=0)
"""
C = """C t
{ [x]=0; }
P0 (atomic_int* x) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
}
P1 (atomic_int* x) {
  int r0 = atomic_load_explicit(x, memory_order_relaxed);
}
exists (1:r0=1)
"""


@dataclass(frozen=True)
class Bad:
    """An input with one mistake, and where it must be reported."""

    name: str
    text: str
    code: str
    line: int
    suffix: str = ".litmus"


def changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new, 1)


def cat(name: str, text: str, code: str, line: int = 1) -> Bad:
    return Bad(name, text, code, line, ".cat")


def promela(name: str, text: str, code: str, line: int = 1) -> Bad:
    return Bad(name, text, code, line, ".pml")


KINDS = [
    Bad("empty file", "", "W0101", 1),
    Bad("unknown dialect", changed(X86, "X86 t", "Z80 t"), "W0101", 1),
    Bad("comment that never ends", changed(X86, " P0  ", " (* P0  "), "W0101", 3),
    Bad("initial state without its end", changed(X86, "y=0; }", "y=0;"), "W0102", 2),
    Bad("location declared twice", changed(X86, "y=0;", "x=1;"), "W0102", 2),
    Bad("row with too few columns", changed(X86, " | MOV [y],$1  ;", " ;"), "W0103", 4),
    Bad("row without its end", changed(X86, "MOV [y],$1  ;", "MOV [y],$1"), "W0103", 4),
    Bad("unknown x86 instruction", changed(X86, "MOV [x],$1", "MVO [x],$1"), "W0105", 4),
    Bad("malformed x86 operand", changed(X86, "MOV EAX,[y]", "MOV EAX,[y"), "W0106", 5),
    Bad("undefined label", changed(X86, "MOV EAX,[y]", "JMP NOWHERE"), "W0107", 5),
    Bad("register of a thread that is not there", changed(X86, "1:EAX=0)", "5:EAX=0)"), "W0111", 6),
    Bad("question without its end", changed(X86, "1:EAX=0)", "1:EAX=0"), "W0108", 6),
    Bad("mixed sizes", changed(ARM, "LDR W2,[X1]", "LDRB W2,[X1]"), "W0109", 5),
    Bad("unknown AArch64 instruction", changed(ARM, "LDR W2,[X1]", "LDQ W2,[X1]"), "W0105", 5),
    Bad("bad AArch64 register", changed(ARM, "LDR W2,[X1]", "LDR W42,[X1]"), "W0106", 5),
    Bad("unknown C function", changed(C, "atomic_load_explicit", "atomic_peek"), "W0105", 7),
    Bad("undeclared C name", changed(C, "(x, 1,", "(q, 1,"), "W0111", 4),
    Bad(
        "order that a load cannot have",
        changed(C, "x, memory_order_relaxed", "x, memory_order_release"),
        "W0106",
        7,
    ),
    Bad("missing brace", changed(C, "relaxed);\n}\nP1", "relaxed);\nP1"), "W0105", 3),
    Bad("program text", "program t\nthread P0 {\n  0 -> 1: frobnicate\n}\n", "W0502", 4, ".mbp"),
    promela("stray character in Promela", "byte x = `1`;\n", "W0701"),
    promela("Promela's grammar", "byte x;\nactive proctype P() { x = }\n", "W0702", 2),
    promela("directive that is not read", "#import once\n", "W0703"),
    promela("variable declared twice", "byte x;\nbyte x;\nactive proctype P() { skip }\n", "W0704", 2),
    promela("unknown variable", "active proctype P() {\n  x = 1\n}\n", "W0706", 2),
    promela("array without an index", "byte a[2];\nactive proctype P() { a = 1 }\n", "W0707", 2),
    promela("size of no element", "byte n;\nbyte a[n];\nactive proctype P() { skip }\n", "W0705", 2),
    promela("size that is no constant", "active proctype P(byte n) {\n  byte a[n]\n}\n", "W0708", 2),
    promela("no process runs", "byte x;\nproctype P() { x = 1 }\n", "W0709"),
    promela(
        "jump out of a step",
        "byte x;\nactive proctype P() {\n  d_step { x = 1; goto l };\n  l: x = 2\n}\n",
        "W0710",
        3,
    ),
    promela(
        "construct of Promela that is not read", "active proctype P() {\n  c_code { x }\n}\n", "W0711", 2
    ),
    promela("never claim that acts", "byte x;\nactive proctype P() { skip }\nnever { x = 1 }\n", "W0712", 3),
    cat("unknown name", "acyclic po | rff as a\n", "W0206"),
    cat("set where a relation is needed", "acyclic W as a\n", "W0207"),
    cat("relation and set mixed", "let a = po | W\nacyclic a as x\n", "W0207"),
    cat("grammar", "let a = po |\nacyclic a as x\n", "W0204", 2),
    cat("string that never ends", 'include "cos.cat\n', "W0203"),
    cat("include not found", 'include "nowhere.cat"\n', "W0210"),
    cat("recursion through a complement", "let rec a = ~a\nacyclic a as x\n", "W0212"),
    cat("wrong number of arguments", "let f(x,y) = x;y\nacyclic f(po) as x\n", "W0209", 2),
    cat("stray character", "acyclic po $ rf as a\n", "W0201"),
    cat("construct that is not supported", "catdep\nacyclic po as x\n", "W0205"),
]


def test_there_are_at_least_twenty_kinds() -> None:
    assert len({bad.name for bad in KINDS}) >= 20


@pytest.mark.parametrize("bad", KINDS, ids=lambda bad: bad.name)
def test_bad_input_is_answered_with_its_place(
    bad: Bad, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"bad{bad.suffix}"
    path.write_text(bad.text, encoding="utf-8")
    good = tmp_path / "good.litmus"
    good.write_text(X86, encoding="utf-8")
    words = ["check", str(good), "--model", str(path)] if bad.suffix == ".cat" else ["check", str(path)]
    assert cli.main(words) == cli.BAD_INPUT
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.match(r"error\[W0\d{3}\]: \S", captured.err)
    places = re.findall(rf"error\[(W0\d+)\]: .*\n +--> {re.escape(str(path))}:(\d+):\d+", captured.err)
    assert (bad.code, str(bad.line)) in places
    assert "^" in captured.err
    assert "Traceback" not in captured.err


@pytest.mark.parametrize("text", ["\x00\x01\x02", "X86", "{", "\udcff", "X86 t\n{}\n" + "P0;" * 2000])
def test_rubbish_is_refused(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rubbish.litmus"
    path.write_bytes(text.encode("utf-8", errors="surrogateescape"))
    assert cli.main(["check", str(path)]) == cli.BAD_INPUT
    assert "error[W0" in capsys.readouterr().err
