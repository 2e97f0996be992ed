"""The axiomatic and the operational readings of one name mean the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

import tiers
from differential.comparisons import readings, replays, shipped
from membar.program.program import Program
from strategies.programs import PLAIN, X86, Size, programs

BOTH_READINGS = ("sc", "x86-tso", "pso")
EXCLUSIVE = replace(PLAIN, exclusives=True)


@pytest.mark.parametrize("name", BOTH_READINGS)
@given(program=programs(X86))
@settings(max_examples=tiers.size(200))
def test_axioms_and_store_buffers_agree_on_random_programs(name: str, program: Program) -> None:
    assert not readings([program], shipped(name))


@pytest.mark.parametrize("name", BOTH_READINGS)
@given(program=programs(PLAIN, size=Size(threads=(2, 2), accesses=(7, 8))))
@settings(max_examples=tiers.size(100))
def test_axioms_and_store_buffers_agree_on_longer_programs(name: str, program: Program) -> None:
    assert not readings([program], shipped(name))


@pytest.mark.parametrize("name", BOTH_READINGS)
@given(program=programs(EXCLUSIVE))
@settings(max_examples=tiers.size(60))
def test_axioms_and_store_buffers_agree_on_exclusives(name: str, program: Program) -> None:
    assert not readings([program], shipped(name))


@pytest.mark.parametrize("name", BOTH_READINGS)
@given(program=programs(X86))
@settings(max_examples=tiers.size(80))
def test_runs_of_the_machine_replay(name: str, program: Program) -> None:
    assert not replays([program], shipped(name), machine=True)
