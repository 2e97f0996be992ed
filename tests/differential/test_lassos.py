"""Claims about runs: the core's search for lassos, equal to a plain look at the whole product."""

from __future__ import annotations

import pytest

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

import tiers
from differential.lassos import (
    FAIR,
    Report,
    TooLargeError,
    campaign,
    found_shortest,
    product_of,
    shortest,
)
from differential.reductions import campaign as reductions_campaign
from differential.reductions import compare as compare_searches
from differential.states import MODELS, model
from membar.diagnostics import EngineLimitError, InputError
from strategies.claims import program_with_claim
from strategies.directed import KINDS, directed_case


def test_claims_are_false_exactly_where_the_whole_product_says_so_and_lassos_replay() -> None:
    report = campaign(12, most=600)
    assert report.wrong == []
    assert min(report.counts["broken"], report.counts["true"]) >= 2
    assert report.counts["broken"] - report.counts["ends forever"] >= 1


def test_claims_are_true_and_false_alike_with_reduction_and_without() -> None:
    programs = 60 if tiers.IS_FULL else 18
    report = reductions_campaign(programs, most=30)
    assert report.wrong == []
    assert (
        min(report.counts["violated"], report.counts["true"], report.counts["smaller by reduction"])
        >= programs
    )
    assert min(report.counts["smaller by symmetry"], report.counts["smaller by both"]) >= programs // 6
    assert report.counts["reference"] >= programs // 6


@pytest.mark.parametrize("number", range(len(KINDS)))
def test_nothing_that_one_condition_alone_forbids_is_left_out(number: int) -> None:
    case, report = directed_case(number), Report()
    name, bound = case.models[0]
    compare_searches(case.program, name, bound, case.fairness[0], report, most=30)
    assert report.wrong == []
    assert report.counts["violated"] + report.counts["true"] + report.counts["inside forever"] > 0


def test_shortest_lassos_are_as_short_as_the_whole_product_allows() -> None:
    lengths = []
    for seed in range(45):
        name, bound = MODELS[seed % len(MODELS)]
        fair, program = FAIR[seed // len(MODELS) % len(FAIR)], program_with_claim(seed, may_be_endless=True)
        discipline = model(name).operational
        assert discipline is not None
        try:
            expected = shortest(product_of(program, discipline, bound, fair, 400))
        except (EngineLimitError, InputError, TooLargeError):
            continue
        assert found_shortest(program, discipline, bound, fair) == expected, seed
        lengths.append(expected)
    cycles = [length[1] for length in lengths if length is not None]
    assert None in lengths
    assert len(cycles) >= 7
    assert len({cycle for cycle in cycles if cycle > 1}) >= 2
