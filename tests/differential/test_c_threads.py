"""Random programs of two threads have the same final states in C as in program text; a slice of them."""

from __future__ import annotations

import tiers
from differential.c_threads import campaign
from strategies.compiled_code import needs_clang

pytestmark = needs_clang


def test_programs_in_c_have_the_final_states_of_their_accesses() -> None:
    found, wrong = campaign(tiers.size(12), seed=1)
    assert wrong == []
    assert sum(count for outcome, count in found.items() if "several" in outcome) > tiers.size(12) // 3
