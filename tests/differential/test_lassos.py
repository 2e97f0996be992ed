"""Claims about runs: the core's search for lassos, equal to a plain look at the whole product."""

from __future__ import annotations

import pytest

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from differential.lassos import campaign
from membar import _core

FAULTS = [
    "marks of the steps between components are lost when these melt together",
]


def test_claims_are_false_exactly_where_the_whole_product_says_so_and_lassos_replay() -> None:
    report = campaign(60, most=600)
    assert report.wrong == []
    assert min(report.counts["broken"], report.counts["true"]) >= 15
    assert report.counts["broken"] - report.counts["ends for ever"] >= 10


@pytest.mark.parametrize("what", FAULTS)
def test_a_seeded_mistake_is_caught(what: str) -> None:
    fault = _core.StateSpace.faults().index(what)
    assert any(campaign(10, first=first, most=300, fault=fault).wrong for first in range(0, 1500, 10))
