"""Random programs over unions mean what the bytes say; a slice of the campaign."""

from __future__ import annotations

import shutil

import pytest

from differential.c_unions import STORAGES, campaign


@pytest.mark.parametrize(("programs", "least"), [(6, 0), pytest.param(80, 3, marks=pytest.mark.full)])
def test_random_unions_mean_what_their_bytes_say(programs: int, least: int) -> None:
    found, wrong = campaign(programs, seed=7)
    assert wrong == []
    assert all(found[kind] >= least for kind in (*STORAGES, "unset"))


def test_the_interpreter_of_bytes_and_gcc_agree() -> None:
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc to ask")
    _, wrong = campaign(4, seed=5, with_gcc=True)
    assert wrong == []
