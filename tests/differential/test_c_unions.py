"""Random programs over unions mean what the bytes say; a slice of the campaign."""

from __future__ import annotations

import shutil

import pytest

from differential.c_unions import STORAGES, campaign


def test_random_unions_mean_what_their_bytes_say() -> None:
    found, wrong = campaign(80, seed=7)
    assert wrong == []
    assert all(found[kind] >= 3 for kind in (*STORAGES, "unset"))


def test_the_interpreter_of_bytes_and_gcc_agree() -> None:
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc to ask")
    _, wrong = campaign(8, seed=5, with_gcc=True)
    assert wrong == []
