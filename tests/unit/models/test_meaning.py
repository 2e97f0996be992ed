"""A word means what it means in the program's own language."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from membar.languages import registry
from membar.source import SourceFile

# In x86's language `X` is a LOCK prefix, which orders; in AArch64's it marks an atomic, which need not.
X86 = SourceFile("x86.litmus", "X86 t\n{ x=0; 0:EAX=1; }\n P0 ;\n XCHG [x],EAX ;\nexists (x=1)\n")
AARCH64 = SourceFile("a.litmus", "AArch64 t\n{ 0:X1=x; 0:W0=1; }\n P0 ;\n SWP W0,W2,[X1] ;\nexists (x=1)\n")
NEITHER = SourceFile(
    "t.mbp", "program t memory x : i32 thread A { 0 -> 1: store [&x] := 1 {X} } exists x = 1"
)


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "wordless.cat"
    path.write_text("acyclic po | rf | co | fr as sc\n", encoding="utf-8")
    return str(path)


def test_an_atomic_of_aarch64_needs_no_word(model: str) -> None:
    assert membar.check(AARCH64, model=model).verdict == "holds"


@pytest.mark.parametrize("source", [X86, NEITHER], ids=["X86", "Program"])
def test_a_lock_prefix_needs_one(source: SourceFile, model: str) -> None:
    outcome = membar.check(source, model=model).outcome
    assert "does not define the ordering annotation `X`" in getattr(outcome, "reason", "")


def test_words_of_a_language() -> None:
    assert registry.words_of("AArch64")["X"].startswith("(no order)")
    assert not registry.words_of("X86")["X"].startswith("(no order)")
    assert not registry.words_of("Program")["X"].startswith("(no order)")
    assert "A" not in registry.words_of("X86")
