"""The state search of the core: equal to the reference simulator, state by state."""

from __future__ import annotations

import pytest

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from differential.states import campaign
from membar import _core

FAULTS = _core.StateSpace.faults()
# Mistakes in looking for runs that go on for ever: see test_lassos.py.
OF_RUNS = ("a queue is treated fairly", "marks of the steps between components")


def test_states_transitions_outcomes_and_runs_are_those_of_the_reference() -> None:
    report = campaign(25, states=800)
    assert report.wrong == []
    counts = report.counts
    assert counts["compared"] >= 150
    assert min(counts[kind] for kind in ("failed_assertion", "deadlock", "error", "buffers_held")) >= 5
    assert counts["several outcomes"] >= 30


@pytest.mark.parametrize("what", [what for what in FAULTS if not what.startswith(OF_RUNS)])
def test_a_seeded_mistake_is_caught(what: str) -> None:
    fault = FAULTS.index(what)
    assert any(
        campaign(5, first=first, states=500, fault=fault, every=False).wrong for first in range(0, 800, 5)
    )
