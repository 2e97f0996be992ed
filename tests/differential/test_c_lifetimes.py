"""Random programs whose pointers outlive variables mean what an interpreter says; slices of its campaign."""

from __future__ import annotations

import shutil

import pytest

from differential.c_lifetimes import campaign


@pytest.mark.full
def test_random_programs_with_locals_mean_what_the_interpreter_says() -> None:
    found, wrong = campaign(80, seed=11)
    assert wrong == []
    assert found["fine"] >= 20
    assert found["ended"] >= 8


def test_the_interpreter_and_the_address_sanitizer_agree() -> None:
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc to ask")
    _, wrong = campaign(8, seed=5, with_gcc=True)
    assert wrong == []
