"""Random programs over bit fields and atomic structures mean what gcc makes of them; a slice of them."""

from __future__ import annotations

import shutil

import pytest

from differential.c_layouts import STORAGES, campaign


@pytest.mark.parametrize(("programs", "least"), [(6, 0), pytest.param(48, 3, marks=pytest.mark.full)])
def test_random_layouts_mean_what_gcc_makes_of_them(programs: int, least: int) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc to ask")
    found = campaign(programs, seed=3)
    assert found.wrong == []
    assert found.less_exact == []
    assert all(found.kinds[storage] >= least for storage in STORAGES)
