"""Arrays that grow behind a lock, against every order of their calls; a slice of the random programs."""

from __future__ import annotations

import tiers
from differential.c_containers import campaign
from strategies.compiled_code import needs_clang

pytestmark = needs_clang


def test_results_are_those_of_some_order_of_the_calls() -> None:
    found, wrong = campaign(tiers.size(40), seed=5)
    assert wrong == []
    assert sum(found.values()) == 2 * tiers.size(40)
