"""Promela against a direct interpreter and SPIN.

A slice: `tests/differential/promela_campaign.py` compares as many programs as one likes.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import membar
import tiers
from differential import spin
from differential.promela import explore
from differential.promela_campaign import disagreement, disagreement_with_spin, disagreements_on_whole
from membar.questions.task import Limits, Options
from membar.source import SourceFile
from strategies.promela import promela
from strategies.whole_promela import whole_promela
from unit.languages.promela import texts
from unit.languages.promela.cases import CASES

# Texts on store buffers: what they break under x86-tso.
BUFFERED = {
    "atomic writes are in memory at once": (
        "deadlock",
        "byte x, y;\n"
        "active proctype p0() { atomic { x = 1 }; y == 0; in: skip }\n"
        "active proctype p1() { atomic { y = 1 }; x == 0; in: skip }\n"
        "ltl never_both { [] !(p0@in && p1@in) }\n",
    ),
    "two senders lose no message": (
        None,
        "chan c = [2] of { byte };\n"
        "active [2] proctype p() { c!1 }\nactive proctype q() { byte k; c?k; c?k }\n",
    ),
    "sync waits for all": (
        "deadlock",
        "byte x, y;\n"
        "active proctype p0() { store(x, 1); sync; load(y, 0); in: skip }\n"
        "active proctype p1() { store(y, 1); load(x, 0); in: skip }\n"
        "ltl never_both { [] !(p0@in && p1@in) }\n",
    ),
}
WITH_SPIN = pytest.mark.skipif(not spin.IS_INSTALLED, reason=spin.MISSING)


@pytest.mark.parametrize("seed", tiers.first(8, range(2000, 2024)))
def test_random_programs_agree_with_the_interpreter(seed: int) -> None:
    assert disagreement(seed) in (None, "skipped")


def test_random_programs_are_worth_something() -> None:
    found = [explore(promela(seed)) for seed in range(2000, 2024)]
    assert sum(item.states > 20 for item in found) >= 10
    verdicts = Counter((item.fails, item.deadlocks) for item in found)
    assert verdicts[False, False] >= 3
    assert sum(number for (fails, _), number in verdicts.items() if fails) >= 5
    assert sum(number for (_, deadlocks), number in verdicts.items() if deadlocks) >= 5


@WITH_SPIN
@pytest.mark.parametrize("seed", tiers.first(2, range(3000, 3006)))
def test_random_programs_agree_with_spin(seed: int, tmp_path: Path) -> None:
    assert disagreement_with_spin(promela(seed), tmp_path) in (None, "skipped")


@WITH_SPIN
@pytest.mark.parametrize("seed", tiers.first(1, range(9001, 9009)))
def test_random_programs_with_the_whole_language_agree_with_spin(seed: int, tmp_path: Path) -> None:
    found = disagreements_on_whole(whole_promela(seed), tmp_path)
    assert set(found.values()) <= {None, "skipped"}


# In the C that SPIN writes, overflow has no meaning, and compilers use that.
COMPARABLE = [case for case in CASES if "ltl" not in case.text and case.name != "arithmetic wraps"]


@WITH_SPIN
@pytest.mark.full
@pytest.mark.parametrize("case", COMPARABLE, ids=lambda case: case.name)
def test_cases_agree_with_spin(case: object, tmp_path: Path) -> None:
    assert disagreement_with_spin(getattr(case, "text", ""), tmp_path) in (None, "skipped")


@pytest.mark.parametrize("seed", [2, 9, 14])
def test_unbounded_buffers_agree_with_large_ones(seed: int) -> None:
    text = promela(seed)
    large = Options(buffers=8, buffers_chosen_by_user=True)
    for name in ("assertions", "deadlock"):
        verdicts = [
            membar.check(
                SourceFile("random.pml", text),
                model="x86-tso",
                properties=[name],
                limits=Limits(states=1000),
                options=options,
            ).verdict
            for options in (large, Options(unbounded_buffers=True))
        ]
        assert {"holds", "violated"} != set(verdicts)


@pytest.mark.parametrize("name", BUFFERED)
def test_blocks_channels_and_sync_on_store_buffers(name: str) -> None:
    expected, text = BUFFERED[name]
    assert texts.broken(text, model="x86-tso", buffers=4) == expected
