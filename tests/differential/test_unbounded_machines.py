"""Store buffers of any length on random programs with channels, committed points, atomic writes and marks."""

from __future__ import annotations

import pytest

import tiers

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from differential.unbounded_machines import MODELS, campaign, question
from strategies.machines import machine_program


@pytest.mark.parametrize("name", tiers.first(1, MODELS))
def test_the_searches_agree_with_the_reference_and_with_one_another(name: str) -> None:
    report = campaign(60, first=5000, names=[name])
    assert report.wrong == []
    assert report.counts["compared with the reference"] >= 50
    assert report.counts["with channels"] >= 10
    assert report.counts["with committed points"] >= 10


def test_programs_with_all_parts_are_not_refused() -> None:
    for seed in range(5000, 5020):
        program = machine_program(seed)
        if not any(thread.entry in thread.committed and not thread.started for thread in program.threads):
            question(program, "pso")
