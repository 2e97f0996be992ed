"""Repairs of texts as people write them: stars, blanks before ends of lines, other ends, other folders."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

import membar
import tiers
from membar.objects.client import Size
from membar.questions.outcome import HoldsWithin, Violated
from membar.questions.repair import Repair
from membar.questions.task import Coherence, Options
from membar.reports.repair import patch, render
from membar.source import SourceFile

QUICKLY = Options(coherence=Coherence.OBSERVED)
STORE_BUFFERING = """#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
atomic_int x, y; int a, b, z, *pz = &z;
void *p(void *u) {
  int k = (*pz);
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  a = atomic_load_explicit(&y, memory_order_relaxed);
  return (void *)0;
}
void *q(void *u) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_seq_cst);
  b = atomic_load_explicit(&x, memory_order_relaxed);
  return (void *)0;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, p, 0); pthread_create(&t, 0, q, 0); pthread_join(s, 0); pthread_join(t, 0);
  assert(a || b);
}
"""
RISCV = """RISCV T
{ 0:x5=1; 0:x6=x; 0:x8=y; 1:x5=1; 1:x6=y; 1:x8=x; }
 P0          | P1          ;
 sw x5,0(x6) | sw x5,0(x6) ;
 lw x7,0(x8) | lw x7,0(x8) ;
exists (0:x7=0 /\\ 1:x7=0)
"""
SWAPPED = """AArch64 T
{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; 1:X4=0; }
 P0          | P1             ;
 MOV W0,#1   | SWP W4,W0,[X1] ;
 STR W0,[X1] | LDR W2,[X3]    ;
 STLR W0,[X3] |               ;
exists (1:X0=1 /\\ 1:X2=0)
"""
RESERVED = SWAPPED.replace("SWP W4,W0,[X1]", "LDXR W0,[X1]  ")


def repaired(source: SourceFile, model: str) -> Repair:
    found = membar.repair(source, model=model, options=QUICKLY)
    assert isinstance(found, Repair), found
    return found


@pytest.mark.full
@pytest.mark.parametrize("model", tiers.first(1, ["x86-tso", "armv8"]))
def test_stars_in_brackets_are_no_comments_of_c(model: str) -> None:
    found = repaired(SourceFile("t.c", STORE_BUFFERING), model)
    assert any(change.place.span.line in (7, 8) for change in found.changes)


@pytest.mark.parametrize(
    "text",
    tiers.first(
        1,
        [
            STORE_BUFFERING.replace("\n", "\r\n"),
            STORE_BUFFERING.replace("relaxed);\n", "relaxed);  \t\n")
            .replace("void *q", "\f\n/* a page \f */\nvoid *q")
            .replace("int a, b", "/* \u2028 \x1c */ int a, b")
            .removesuffix("\n"),
        ],
    ),
    ids=["crlf", "blanks, form feeds and separators"],
)
def test_patch_takes_what_is_printed(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.c").write_bytes(text.encode())
    found = repaired(SourceFile.read("t.c"), "x86-tso")
    shown = render(found, columns=80, color=False).encode()
    subprocess.run(["patch", "--binary", "-p1"], input=shown, check=True, capture_output=True)
    assert Path("t.c").read_bytes().decode() == found.repaired.text
    assert all("_" in change.place.span.text for change in found.changes)


def test_a_form_feed_ends_no_line(tmp_path: Path) -> None:
    path = tmp_path / "t.c"
    path.write_text(STORE_BUFFERING.replace("int main", "\f\fint main"), encoding="utf-8")
    result = membar.check(path, model="x86-tso")
    assert isinstance(result.outcome, Violated)
    assert result.outcome.witness is not None
    assert result.outcome.witness.message == "assert(a || b) fails (line 20)"


@pytest.mark.full
def test_files_of_other_folders_are_named_from_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "t.c").write_text(STORE_BUFFERING, encoding="utf-8")
    (tmp_path / "inside").mkdir()
    monkeypatch.chdir(tmp_path / "inside")
    found = repaired(SourceFile.read("../t.c"), "x86-tso")
    text = patch(found.source, found.repaired)
    assert ".." not in text.splitlines()[0]
    subprocess.run(["patch", "-p1", "-d", "/"], input=text.encode(), check=True, capture_output=True)
    assert (tmp_path / "t.c").read_text(encoding="utf-8") == found.repaired.text


@pytest.mark.parametrize(
    ("name", "text", "model", "changes"),
    [
        ("a fence between a store and a load", RISCV, "riscv", ["fence w,r", "fence w,r"]),
        ("an atomic", SWAPPED, "armv8", ["atomic with A"]),
        ("a reserved load", RESERVED, "armv8", ["LDAXR"]),
    ],
)
def test_the_weakest_word_that_does_is_found(name: str, text: str, model: str, changes: list[str]) -> None:
    found = repaired(SourceFile(f"{name}.litmus", text), model)
    assert [change.name for change in found.changes] == changes
    assert found.is_minimal


@pytest.mark.full
def test_orders_of_c_cost_what_their_instructions_cost() -> None:
    relaxed = SourceFile.read(Path(__file__).parents[3] / "examples" / "c/seqlock-relaxed.c")
    found = repaired(relaxed, "armv8")
    assert [change.name for change in found.changes] == ["fence acquire"]


@pytest.mark.full
def test_an_object_is_repaired_for_its_clients() -> None:
    text = SourceFile.read(Path(__file__).parents[3] / "examples" / "c/objects/tas.c")
    weak = replace(text, defines=("UNLOCK=memory_order_relaxed",))
    found = membar.repair(weak, model="rc11", client=Size(2, 1))
    assert isinstance(found, Repair), found
    assert [change.name for change in found.changes] == ["store release"]
    assert found.is_minimal
    assert isinstance(found.result.outcome, HoldsWithin)
    assert len(found.repaired.text) < len(weak.text) + 20  # the clients are not part of the patch
