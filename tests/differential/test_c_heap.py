"""Random programs with allocated memory mean what a direct interpreter says; a slice of `c_heap.py`."""

from __future__ import annotations

import shutil

import pytest

from differential.c_heap import campaign


def test_random_programs_with_memory_mean_what_the_interpreter_says() -> None:
    found, wrong = campaign(150, seed=11)
    assert wrong == []
    for outcome in ("fine", "null", "use after free", "double free", "before it was set"):
        assert found[outcome] >= 2


def test_the_interpreter_and_the_address_sanitizer_agree() -> None:
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc to ask")
    _, wrong = campaign(12, seed=5, with_gcc=True)
    assert wrong == []
