"""The search for executions that follow a witness finds one exactly where brute force does."""

from __future__ import annotations

import random
from functools import cache

from differential.following import (
    Case,
    cases,
    found,
    found_alone,
    guide,
    is_followed,
    is_passing,
)
from membar.evidence.svcomp import SvcompWitness

SEED = 20
PROGRAMS = 6
GUIDES = 10


@cache
def questions() -> tuple[tuple[Case, SvcompWitness, bool], ...]:
    """Guides, and what brute force says of them."""
    dice = random.Random(SEED)
    asked = [(case, guide(dice, case)) for case in cases(SEED, PROGRAMS) for _ in range(GUIDES)]
    return tuple((case, each, is_followed(case, each)) for case, each in asked)


def differences() -> int:
    """How often the searches and brute force disagree."""
    wrong = 0
    for case, each, expected in questions():
        wrong += (found(case, each) is not None) != expected
        alone = found_alone(case, each)
        wrong += alone is not None and not is_passing(case, each, alone)
    return wrong


def test_the_search_finds_what_brute_force_finds() -> None:
    answers = [expected for _, _, expected in questions()]
    assert min(answers.count(True), answers.count(False)) > len(answers) // 5
    assert differences() == 0


def test_each_thread_on_its_own_is_sometimes_found() -> None:
    assert sum(found_alone(case, each) is not None for case, each, _ in questions()) > len(questions()) // 10
