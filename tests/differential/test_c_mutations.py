"""Broken C files get a located error, never a traceback; a slice of `c_mutations.py`."""

from __future__ import annotations

from differential.c_mutations import campaign


def test_broken_files_are_refused() -> None:
    found, wrong = campaign(150, seed=3)
    assert wrong == []
    assert found["translated"] >= 5
    assert sum(count for code, count in found.items() if code.startswith("W09")) >= 75
