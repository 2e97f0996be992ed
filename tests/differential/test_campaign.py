"""A fixed slice of the random campaign, about a minute of it; `campaign.py` runs 20,000 programs."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

import tiers
from differential.campaign import LEAST_WEAK, Compared, compare_many, models, summary
from strategies.campaign import LEAST_ACCESSES, LEAST_THREADS, campaign_program
from strategies.programs import shared_accesses

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to compare")

PROGRAMS = 300 if tiers.IS_FULL else 60  # fewer are not worth comparing
# None of these programs keeps the reference busy for a second; on a loaded machine it may be slow.
SECONDS = 120.0
# These allow nothing that sc forbids.
STRONG = frozenset({"sc", "bajczi-fixed-sc"})
# Programs for the clock have many accesses of it, and those are in order.
LEAST_WEAK_OF = {"x86-tso-clock": 0.2}


@cache
def compared(model: str) -> tuple[Compared, ...]:
    return tuple(compare_many(model, range(PROGRAMS), SECONDS))


@pytest.mark.parametrize("model", tiers.models(models(), quick=("armv8", "rc11", "lkmm")))
def test_graphs_finds_the_executions_of_the_reference(model: str) -> None:
    found = compared(model)
    assert [item.difference for item in found if item.difference] == []
    assert sum(bool(item.skipped) for item in found) <= len(found) // 50, "the reference is of little help"
    weak = sum(item.is_weak for item in found) / len(found)
    assert weak == 0 if model in STRONG else weak >= LEAST_WEAK_OF.get(model, LEAST_WEAK)


@pytest.mark.parametrize("model", ["armv8", "lkmm", "rc11"])
def test_programs_are_worth_comparing(model: str) -> None:
    programs = [campaign_program(seed, model) for seed in range(PROGRAMS)]
    assert all(len(program.threads) >= LEAST_THREADS for program in programs)
    assert all(shared_accesses(program) >= LEAST_ACCESSES for program in programs)
    found = compared(model)
    verdicts = Counter(item.verdict for item in found)
    assert min(verdicts["Holds"], verdicts["Violated"]) >= len(found) // 5
    has = Counter(name for item in found for name in item.has)
    for name in ("fence", "read-modify-write", "loop", "assume", "assert", "spawned thread"):
        assert has[name] >= len(found) // 50, name


def test_summary_counts_what_differs_and_what_was_skipped() -> None:
    item = Compared(model="sc", seed=0, verdict="Holds", is_weak=True)
    lines, passed = summary([item, Compared(model="sc", seed=1, skipped="time")])
    assert passed
    assert lines[-1].startswith("1 programs compared, 1 skipped")
    wrong = Compared(model="sc", seed=2, verdict="Holds", is_weak=True, difference="states")
    assert not summary([item, wrong])[1]
    strong = Compared(model="sc", seed=3, verdict="Holds")
    assert not summary([item, *[strong] * 9])[1], "too few weak ones"
    assert not summary([])[1]
