"""A slice of the campaign on random parameterized systems, and of the pre-images behind the certificates."""

from __future__ import annotations

import pytest

import tiers
from differential.parameterized import breaks_with, compare, text_of
from membar import plugins
from membar.evidence.certificates.check import certify
from membar.languages.cubicle.elaborate import parse
from membar.source import SourceFile
from membar.systems.mapping import sequential
from strategies.naive_cubes import search

NAIVE = 10
ENGINE = 16


@pytest.mark.parametrize("seed", range(NAIVE))
def test_pre_images_agree_with_instances(seed: int) -> None:
    system = parse(SourceFile("t.cub", text_of(seed)))
    system = system if system.is_weak else sequential(system)
    verdict, cubes = search(system, nodes=25)
    if verdict == "safe":
        assert breaks_with(system) is None
        assert certify(system, cubes).problem is None


@pytest.mark.skipif("cubes" not in plugins.names("membar.engines"), reason="the engine cubes is not there")
@pytest.mark.parametrize("count", tiers.first(1, [ENGINE // 2, ENGINE]))
def test_the_engine_agrees_with_instances(count: int) -> None:
    found = [compare(seed) for seed in range(count)]
    assert [one.problem for one in found if one.problem] == []
    verdicts = [one.verdict for one in found]
    assert verdicts.count("holds") >= count // 4
    assert verdicts.count("violated") >= count // 4
    assert sum(one.weak and one.generic == one.verdict for one in found) >= count // 4
