"""Cubicle's and Cubicle-W's own models, where the corpus lies beside the project: their known verdicts.

Those that take long are left to `benchmarks/cubicle/run.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from membar import plugins, proving
from membar.task import Limits

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus" / "cub"
WORDS = {"safe": "holds", "unsafe": "violated"}
QUICK = (
    "sc/bakery", "sc/bakery_lamport_bogus", "sc/dekker", "sc/dekker_n", "sc/dijkstra",
    "sc/futurebus", "sc/germanish", "sc/germanish_arith", "sc/illinois", "sc/mesi", "sc/mutex",
    "sc/mux_sem", "sc/peterson_two_proc", "sc/swimming_pool", "sc/szymanski_talupur_at",
    "sc/xerox_dragon", "weak/amd3_sb_us", "weak/amd5_s", "weak/arbiter_v1_N", "weak/iriw_s",
    "weak/lamport_N", "weak/lamport_N_us", "weak/minimal", "weak/mp3_tso_s", "weak/mutex_N",
    "weak/mutex_N_us", "weak/n4b_s", "weak/n6_us", "weak/peterson_2", "weak/peterson_2_us",
    "weak/rwc_s", "weak/rwc_us", "weak/sb_s", "weak/sb_us", "weak/sdm8_1_amd1_mp_s",
    "weak/sdm8_5_amd8_us", "weak/sense_rev_N", "weak/spinlock_N", "weak/spinlock_N_us",
    "weak/wrc_s",
)  # fmt: skip

pytestmark = [
    pytest.mark.skipif(not CORPUS.exists(), reason="no ../shared/corpus/cub beside the project"),
    pytest.mark.skipif("cubes" not in plugins.names("membar.engines"), reason="the engine cubes is missing"),
]


@pytest.mark.parametrize("name", QUICK)
def test_the_verdict_is_the_known_one(name: str) -> None:
    known = json.loads((CORPUS / "expected.json").read_text(encoding="utf-8"))[f"{name}.cub"]
    result = proving.prove(CORPUS / f"{name}.cub", limits=Limits(seconds=60))
    assert result.verdict == WORDS[known["verdict"]], result.outcome
