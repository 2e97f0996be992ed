"""Claims of a model were read from its comment by a regular expression, and trusted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import membar
from membar.diagnostics import InputError
from membar.models import load
from membar.source import SourceFile

COHERENT = """(* Coherence only: each location on its own behaves, nothing else is promised.
   For teaching: everything that a real processor may do, and more.
   Exploration: exactly-once
   Order: global
   Reference: our own. *)
acyclic po-loc | rf | co | fr as coherence
empty rmw & (fre ; coe) as atomicity
"""
LOAD_BUFFERING = """AArch64 LB
{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; }
 P0          | P1          ;
 LDR W0,[X1] | LDR W0,[X1] ;
 MOV W2,#1   | MOV W2,#1   ;
 STR W2,[X3] | STR W2,[X3] ;
~exists (0:X0=1 /\\ 1:X0=1)
"""


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A models folder with one model."""
    (tmp_path / "coherent.cat").write_text(COHERENT, encoding="utf-8")
    monkeypatch.setattr(load, "FOLDER", tmp_path)
    load._shipped_models.cache_clear()
    yield tmp_path
    load._shipped_models.cache_clear()


def test_a_search_claimed_in_a_comment_is_not_believed(shipped: Path) -> None:
    source = SourceFile("lb.litmus", LOAD_BUFFERING)
    result = membar.check(source, model=str(shipped / "coherent.cat"))
    assert result.verdict == "violated"
    assert any("Exploration: exactly-once" in note for note in result.outcome.run.notes)


def test_a_wrong_claim_beside_a_shipped_model_is_an_error(shipped: Path) -> None:
    (shipped / "coherent.claims").write_text("search: exactly-once\norder: global\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        membar.load_model(str(shipped / "coherent.cat"))
    assert [found.code for found in caught.value.diagnostics] == ["W0221", "W0221"]
    assert "load buffering" in caught.value.diagnostics[0].message


THIN_AIR = """C thin-air
{ }
P0 (int *x, int *y) { int r0 = *x; *y = r0; if (r0 == 1) *x = 1; }
P1 (int *x, int *y) { int r0 = *y; *x = r0; }
exists (0:r0=1)
"""


def test_lkmm_claimed_that_plain_accesses_cannot_justify_their_own_values() -> None:
    """Found by `membar models test lkmm`: the claim was wrong, and the state was missed."""
    source = SourceFile("thin-air.litmus", THIN_AIR)
    outcome = membar.check(source, model="lkmm").outcome
    assert {dict(state)["0:r0"] for state in outcome.run.outcomes} == {0, 1}
