"""Cubicle's and Cubicle-W's own models, where the corpus lies beside the project: their known verdicts.

Those that take long are left to `benchmarks/cubicle/run.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import z3

import membar
import tiers
from conformance.dropped_literals import dropped, proof_of
from conformance.generic_closure import fate_of
from membar import plugins
from membar.questions import system as systems
from membar.questions.task import Limits, Options

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

# Weak systems with guesses: a proof or a run as without them. With how many processes, and cubes at most.
GUESSED = (
    ("weak/arbiter_v1_N", 2, 60), ("weak/iriw_s", 2, 25), ("weak/lamport_N", 2, 40),
    ("weak/mp3_tso_s", 2, 8), ("weak/mutex_N_us", 2, None), ("weak/peterson_2", 2, 25),
    ("weak/spinlock_N", 2, 10), ("weak/spinlock_N_us", 2, None), ("weak/two_phase_N", 2, 50),
    ("weak/lamport_N_us", 3, None), ("weak/sense_rev_N", 3, 20),
)  # fmt: skip
EXPORTED = (
    "sc/bakery_lamport",
    "sc/german_undip",
    "sc/germanish_arith",
    "sc/peterson_two_proc",
    "sc/sense_barrier",
)
DROPPED = ("sc/mutex", "sc/mux_sem", "sc/dekker_n", "weak/sb_s", "weak/mutex_N", "weak/spinlock_N")

pytestmark = [
    pytest.mark.skipif(not CORPUS.exists(), reason="no ../shared/corpus/cub beside the project"),
    pytest.mark.skipif("cubes" not in plugins.names("membar.engines"), reason="the engine cubes is missing"),
]


@pytest.mark.parametrize("name", tiers.every(2, QUICK))
def test_the_verdict_is_the_known_one(name: str) -> None:
    known = json.loads((CORPUS / "expected.json").read_text(encoding="utf-8"))[f"{name}.cub"]
    result = membar.prove(CORPUS / f"{name}.cub", limits=Limits(seconds=60))
    assert result.verdict == WORDS[known["verdict"]], result.outcome


@pytest.mark.parametrize("name", tiers.every(2, EXPORTED))
def test_an_exported_proof_is_checked_by_z3_alone(name: str) -> None:
    result = membar.prove(CORPUS / f"{name}.cub", limits=Limits(seconds=60), options=Options(brab=2))
    context = z3.Context()
    answers = z3.Z3_eval_smtlib2_string(context.ref(), systems.certificate_text(result))
    assert set(answers.split()) == {"unsat"}


@pytest.mark.parametrize(("name", "processes", "most"), tiers.rows(2, GUESSED))
def test_guesses_for_weak_memory_change_no_verdict(name: str, processes: int, most: int | None) -> None:
    known = json.loads((CORPUS / "expected.json").read_text(encoding="utf-8"))[f"{name}.cub"]
    options = Options(brab=processes)
    result = membar.prove(CORPUS / f"{name}.cub", limits=Limits(seconds=60), options=options)
    assert result.verdict == WORDS[known["verdict"]], result.outcome
    assert most is None or (result.outcome.run.statistics.nodes or 0) <= most


@pytest.mark.parametrize("name", tiers.every(2, DROPPED))
def test_every_literal_of_a_proof_is_needed_or_redundant(name: str) -> None:
    proof = proof_of(f"{name}.cub", brab=None, seconds=60)
    assert proof is not None
    fates = {one.fate for one in dropped(proof, most=40)}
    assert "rejected" in fates
    assert fates <= {"rejected", "redundant"}


@pytest.mark.parametrize("name", ["weak/mutex_N", "weak/sb_s", "weak/n4b_s"])
def test_small_weak_systems_have_proofs_closed_under_the_generic_pre_image(name: str) -> None:
    assert fate_of(f"{name}.cub", seconds=60)[0] == "closed"
