"""Identical threads up to symmetry: nothing is lost, nothing comes twice, and every count is exact."""

from __future__ import annotations

from itertools import pairwise

import pytest

import tiers
from differential.comparisons import shipped
from differential.searches import claiming, references
from differential.symmetry import both, closure, random_program, run
from differential.test_stateless import whole_executions
from membar.engines.graphs import explore
from membar.engines.reference.witness_replay import replay
from membar.models import load
from membar.program.execution import Execution, Kind
from membar.program.symmetry import groups
from membar.questions.task import Options, Task, Unrolling
from strategies.programs import shared_accesses

core = pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

# The models of the thesis are like these; `symmetry.py` compares under all.
MODELS = ("sc", "x86-tso", "pso", "ra", "rc11")
GLOBAL = tuple(name for name in claiming() if shipped(name).claims.global_order)


@pytest.mark.parametrize("name", tiers.models(MODELS, quick=("x86-tso", "rc11")))
def test_counts_and_final_states_are_those_without_symmetry(name: str) -> None:
    found = run(name, range(40))
    assert found.disagreements == []
    assert found.programs > 25
    assert found.given_up < found.programs // 4
    assert found.explored < found.executions * 2 // 3


@pytest.mark.parametrize("name", tiers.models(MODELS, quick=("x86-tso", "rc11")))
def test_every_orbit_is_explored_and_none_twice_where_keys_are_whole(name: str) -> None:
    compared = 0
    for seed in range(40):
        item = both(random_program(seed, name), shipped(name))
        plain = item.plain(keep_all=True) if item is not None else None
        if item is None or plain is None or plain.executions > 500:
            continue
        reduced = item.reduced(keep_all=True)
        orbits, everything = closure(item, reduced)
        assert everything == closure(item, plain)[1]
        assert len(everything) == plain.executions + plain.failed + plain.truncated
        if shipped(name).claims.global_order:
            assert orbits == reduced.explored
        compared += 1
    assert compared > 10


@pytest.mark.parametrize("name", ["sc", "rc11"])
def test_reference_agrees(name: str) -> None:
    programs = [random_program(seed, name) for seed in range(400)]
    small = [program for program in programs if shared_accesses(program) <= 6 and groups(program)]
    assert len(small) >= 10
    assert references(small[:20], shipped(name)) == []


@pytest.mark.parametrize("name", ["x86-tso", "ra"])
def test_witnesses_replay_whoever_is_who(name: str) -> None:
    renamed = 0
    for seed in range(40):
        program = random_program(seed, name)
        item = both(program, shipped(name))
        if item is None or item.plain() is None:
            continue
        options = Options(unrolling=Unrolling(exact=1))
        tally = explore(
            Task(program=program, model=shipped(name), properties=("condition",), options=options)
        )
        for witness in (tally.positive_witness, tally.negative_witness):
            if witness is not None:
                assert replay(program, shipped(name), witness) is None
                renamed += tally.statistics.symmetric is not None
    assert renamed > 10


def test_these_models_claim_a_global_order() -> None:
    assert {"sc", "x86-tso", "pso"} <= set(GLOBAL)
    assert not any(shipped(name).claims.global_order for name in ("ra", "rc11"))
    assert set(GLOBAL) <= set(load.names())


@pytest.mark.parametrize("name", tiers.models(GLOBAL))
def test_what_follows_reads_has_no_cycle_with_communication(name: str) -> None:
    for execution in whole_executions(name, 8):
        assert not _has_cycle(execution), execution


def _has_cycle(execution: Execution) -> bool:
    """Whether rfe, co, fr, what follows reads, and starting and joining threads make a cycle."""
    events = execution.events
    edges = {(a, b) for a, b in execution.po if events[a].kind is Kind.READ}
    edges |= {(a, b) for a, b in execution.rf if events[a].thread != events[b].thread}
    edges |= execution.spawn_join
    following = {a: b for order in execution.co for a, b in pairwise(order)}
    edges |= set(following.items())
    edges |= {(read, following[write]) for write, read in execution.rf if write in following}
    edges -= {(a, b) for a, b in edges if a == b}
    left = {event.id for event in events}
    while free := {event for event in left if not any(a in left and b == event for a, b in edges)}:
        left -= free
    return bool(left)
