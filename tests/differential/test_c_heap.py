"""Random programs with allocated memory mean what two interpreters say; slices of their campaigns."""

from __future__ import annotations

import shutil

import pytest

import tiers
from differential import c_heap_threads
from differential.c_heap import campaign


@pytest.mark.parametrize("programs", tiers.first(1, [40, 150]))
def test_random_programs_with_memory_mean_what_the_interpreter_says(programs: int) -> None:
    found, wrong = campaign(programs, seed=11)
    assert wrong == []
    for outcome in ("fine", "null", "use after free", "double free", "before it was set"):
        assert found[outcome] >= programs // 75 + 1


def test_the_interpreter_and_the_address_sanitizer_agree() -> None:
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc to ask")
    _, wrong = campaign(tiers.size(12) + 2, seed=5, with_gcc=True)
    assert wrong == []


@pytest.mark.full
def test_two_threads_that_share_memory_do_what_some_interleaving_does() -> None:
    found, wrong = c_heap_threads.campaign(60, seed=3)
    assert wrong == []
    assert all(found[kind] >= 5 for kind in ("one result", "several results", "wrong"))
