"""Broken C files get a located error, never a traceback or a verdict; a slice of `c_mutations.py`."""

from __future__ import annotations

from differential.c_mutations import campaign


def test_broken_files_are_refused() -> None:
    found, wrong = campaign(100, seed=3)
    assert wrong == []
    assert found["translated"] >= 15
    assert sum(count for outcome, count in found.items() if outcome.startswith("verdict")) >= 15
    assert sum(count for code, count in found.items() if code.startswith("W09")) >= 50
