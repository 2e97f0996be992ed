"""A small check pays for what it uses: its CPU time in units of an idle interpreter, with a wide margin."""

from __future__ import annotations

import startup


def test_a_small_check_takes_a_few_times_an_idle_interpreter() -> None:
    found = startup.ratios(runs=3)
    assert {name: ratio for name, ratio in found.items() if ratio > 2 * startup.GOALS[name]} == {}
