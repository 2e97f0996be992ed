"""Repairs against brute force; `repairs.py` does many more."""

from __future__ import annotations

from pathlib import Path

import tiers
from differential.repairs import difference

PROGRAMS = tiers.size(20)


def test_the_cheapest_repair_is_that_of_brute_force(tmp_path: Path) -> None:
    compared = 0
    for seed in range(10_000, 10_800):
        found = difference(seed, tmp_path, most=400)
        assert not found, found
        compared += found is not None
        if compared == PROGRAMS:
            break
    assert compared == PROGRAMS
