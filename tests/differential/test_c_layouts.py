"""Random programs over bit fields and atomic structures mean what gcc makes of them; a slice of them."""

from __future__ import annotations

import shutil

import pytest

from differential.c_layouts import STORAGES, campaign


def test_random_layouts_mean_what_gcc_makes_of_them() -> None:
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc to ask")
    found, wrong = campaign(48, seed=3)
    assert wrong == []
    assert all(found[storage] >= 3 for storage in STORAGES)
