"""Of several cheapest repairs it is always the same: fewest changes, then those that come first."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product
from pathlib import Path
from random import Random

import pytest

import tiers
from membar.questions.ask import unknown_answer
from membar.questions.language_races import GIVEN_UP
from membar.questions.outcome import Holds, Run
from membar.questions.repair.correctness import guarantee_of
from membar.questions.repair.search import Search
from membar.questions.safety import Safety
from membar.records import replace
from membar.source import SourceFile
from membar.text.edits import Alternative, Choice, EditSite

EXAMPLES = Path(__file__).parents[2] / "examples"
SPAN = SourceFile("made-up", " ").span(0, 1)
SHAPES = (
    (Alternative("", (), frozenset({0})), Alternative("weak", (), frozenset({0, 1}))),
    (
        Alternative("", (), frozenset({0})),
        Alternative("left", (), frozenset({0, 1})),
        Alternative("right", (), frozenset({0, 2})),
        Alternative("both", (), frozenset({0, 1, 2, 3})),
    ),
)


def first_of(costs: list[list[int]], choices: list[Choice]) -> Choice:
    """The choice that comes first, by what the words say."""

    def key(choice: Choice) -> tuple[int, int, list[tuple[int, int]]]:
        changes = [(n, level) for n, level in enumerate(choice) if level]
        return sum(costs[n][level] for n, level in changes), len(changes), changes

    return min(choices, key=key)


@pytest.mark.parametrize("is_monotone", [True, False])
@pytest.mark.parametrize("seed", tiers.every(4, range(40)))
def test_the_first_of_the_cheapest_is_found_whatever_z3_was_asked_before(
    seed: int, *, is_monotone: bool
) -> None:
    random = Random(seed)
    shapes = [random.choice(SHAPES) for _ in range(random.randint(2, 5))]
    where = tuple(EditSite(title=str(n), span=SPAN, alternatives=shape) for n, shape in enumerate(shapes))
    # Few different costs, so that there are many ties.
    costs = [[0, *(random.randint(0, 2) for _ in place.alternatives[1:])] for place in where]
    demands = [
        [(n, random.randrange(1, len(where[n].alternatives))) for n in random.sample(range(len(where)), 2)]
        for _ in range(random.randint(1, 3))
    ]

    def passes(choice: Choice) -> bool:
        return all(
            any(level in where[n].alternatives[choice[n]].includes for n, level in demand)
            for demand in demands
        )

    every = [*product(*(range(len(place.alternatives)) for place in where))]
    expected = first_of(costs, [choice for choice in every if passes(choice)])
    base = tuple(0 for _ in where)
    for all_cheapest in (False, True):
        search = Search(where, costs, base, passes, is_monotone=is_monotone)
        found = search.run(all_cheapest=all_cheapest)
        assert found is not None
        assert found.choices[0] == expected


_AFTER_OTHERS = """
import random, sys, z3
names = [f"{place}:{index}" for place in range(40) for index in range(6)]
random.Random(6).shuffle(names)
kept = [z3.Bool(name) for name in names]
import membar
from membar.questions.task import Coherence, Options
from membar.records import replace
from membar.source import SourceFile
options = Options(coherence=Coherence.OBSERVED)
found = membar.repair(SourceFile.read(sys.argv[1]), model="armv8", options=options)
print([change.name for change in found.changes])
"""


@pytest.mark.full
def test_a_fence_is_one_change_and_two_loads_are_two() -> None:
    """After these other formulas z3 preferred the two loads, which cost as much."""
    command = [sys.executable, "-c", _AFTER_OTHERS, str(EXAMPLES / "c/seqlock-relaxed.c")]
    environment = {**os.environ, "PYTHONHASHSEED": "6"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True, env=environment)
    assert done.stdout == "['fence acquire']\n"


def test_an_answer_without_its_follow_up_question_does_not_say_that_a_guarantee_is_kept() -> None:
    run = Run(model="armv8", engine="graphs", algorithm="", guarantee="all executions")
    answer = unknown_answer(Safety(source=SourceFile("text.c", ""), model="armv8"), "", 0.0)
    whole = guarantee_of(replace(answer, outcome=Holds(run)))
    partial = guarantee_of(replace(answer, outcome=Holds(replace(run, notes=(GIVEN_UP,)))))
    assert whole.is_kept_by(whole) is True
    assert whole.is_kept_by(partial) is None
