"""The search for executions that follow a witness finds one exactly where brute force does."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest

from differential.following import (
    Case,
    cases,
    found,
    found_alone,
    guide,
    is_followed,
    is_passing,
)
from differential.mutation import Rewrite, planted
from membar.guides import Guide

SEED = 20
PROGRAMS = 12
GUIDES = 10

_SEARCH = "membar.confirmation.interleavings"
_PLACES = "membar.guides.places"
_WATCHED = "membar.confirmation.watched"
BUGS = [
    Rewrite(_SEARCH, "node.passed < len(self.route.steps) or not is_there", "not is_there"),
    Rewrite(_SEARCH, "or not is_there:", "or False:"),
    Rewrite(_SEARCH, "and move.edge in target.edges\n", "\n"),
    Rewrite(_SEARCH, "        move.thread == passing.thread\n        and move.edge", "        move.edge"),
    Rewrite(_SEARCH, "        and move.edge in passing.edges\n", ""),
    Rewrite(_SEARCH, "before.memory[cell] == word", "before.memory[cell] != word"),
    Rewrite(_SEARCH, "before.memory[cell] == word for cell, word in passing.before", "True for _ in ()"),
    Rewrite(_SEARCH, "move.after.memory[cell] == word for cell, word in passing.after", "True for _ in ()"),
    Rewrite(_SEARCH, "return _Node(move.after, passed, hit)", "return _Node(move.after, node.passed, hit)"),
    Rewrite(_SEARCH, "elif node not in seen:", "elif node.state not in {each.state for each in seen}:"),
    Rewrite(_SEARCH, "return straight or _Search(machine, route, budget, is_shown).run()", "return straight"),
    Rewrite(_SEARCH, "passed += _passes(self.route.steps[passed], node.state, move)", "passed += 1"),
    Rewrite(_PLACES, "or span.line != point.line", ""),
    Rewrite(_PLACES, "edges=frozenset(acting or edges)", "edges=frozenset(edges)"),
    Rewrite(_PLACES, "edges=frozenset({edge})", "edges=frozenset()"),
    Rewrite(_PLACES, "before=placing.values(point.before)", "before=()"),
    Rewrite(_PLACES, "after=placing.values(point.after)", "after=placing.values(point.before)"),
    Rewrite(_PLACES, "todo += [(position + 1, new,", "todo += [(position + 2, new,"),
    Rewrite(_WATCHED, "Binary(BinaryOp.AND, _equal(_HERE, position), condition)", "condition"),
    Rewrite(_WATCHED, "    if operation.property != wanted:\n", "    if False:\n"),
    Rewrite(_WATCHED, "== len(_steps(route, number))", ">= 0"),
]  # fmt: skip


@cache
def questions() -> tuple[tuple[Case, Guide, bool], ...]:
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


@pytest.mark.parametrize(
    "bug", BUGS, ids=lambda bug: f"{bug.module.rpartition('.')[2]}-{bug.old.strip()[:40]}"
)
def test_a_mistake_is_noticed(bug: Rewrite, tmp_path: Path) -> None:
    questions()
    with planted(bug, tmp_path):
        try:
            wrong = differences()
        except Exception:  # one that falls over is noticed too
            wrong = 1
    assert wrong
