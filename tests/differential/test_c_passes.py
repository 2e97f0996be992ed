"""Passes that only simplify do not change what random programs do; a slice of them."""

from __future__ import annotations

import tiers
from differential.c_passes import campaign
from strategies.compiled_code import needs_clang

pytestmark = needs_clang


def test_programs_do_the_same_without_single_passes() -> None:
    found, wrong = campaign(tiers.size(20), seed=3)
    assert wrong == []
    assert sum(found.values()) == tiers.size(20)
