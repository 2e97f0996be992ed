"""The search for a cheapest choice, on made-up tests whose answers are known."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

import tiers
from membar.questions.repair.search import Found, Search
from membar.source import SourceFile
from membar.text.edits import Alternative, Choice, EditSite

SPAN = SourceFile("made-up", " ").span(0, 1)
# Nothing; two that do not include one another; one that includes both.
DIAMOND = (
    Alternative("", (), frozenset({0})),
    Alternative("left", (), frozenset({0, 1})),
    Alternative("right", (), frozenset({0, 2})),
    Alternative("both", (), frozenset({0, 1, 2, 3})),
)
CHAIN = DIAMOND[:2]


def places(*shapes: tuple[Alternative, ...]) -> tuple[EditSite, ...]:
    return tuple(EditSite(title=str(n), span=SPAN, alternatives=shape) for n, shape in enumerate(shapes))


class Needs:
    """Passes what is, at some place of each demand, at least as strong as it says."""

    def __init__(self, where: tuple[EditSite, ...], demands: list[dict[int, int]]) -> None:
        self.where, self.demands = where, demands
        self.asked = 0

    def __call__(self, choice: Choice) -> bool:
        self.asked += 1
        return all(
            any(level in self.where[n].alternatives[choice[n]].includes for n, level in demand.items())
            for demand in self.demands
        )


def random_case(seed: int) -> tuple[tuple[EditSite, ...], list[list[int]], Needs]:
    random = Random(seed)
    where = places(*(random.choice((DIAMOND, CHAIN)) for _ in range(random.randint(1, 5))))
    costs = [[0, *(random.randint(1, 9) for _ in place.alternatives[1:])] for place in where]
    demands = [
        {
            n: random.randrange(1, len(where[n].alternatives))
            for n in random.sample(range(len(where)), random.randint(1, len(where)))
        }
        for _ in range(random.randint(1, 4))
    ]
    return where, costs, Needs(where, demands)


def least(where: tuple[EditSite, ...], costs: list[list[int]], test: Needs) -> dict[Choice, int]:
    every = product(*(range(len(place.alternatives)) for place in where))
    passing = {
        choice: sum(costs[n][level] for n, level in enumerate(choice)) for choice in every if test(choice)
    }
    return {choice: cost for choice, cost in passing.items() if cost == min(passing.values())}


@pytest.mark.parametrize("is_monotone", [True, False])
@pytest.mark.parametrize("seed", tiers.every(4, range(60)))
def test_the_search_finds_all_cheapest_choices(seed: int, *, is_monotone: bool) -> None:
    where, costs, test = random_case(seed)
    base = tuple(0 for _ in where)
    found = Search(where, costs, base, test, is_monotone=is_monotone).run(all_cheapest=True)
    expected = least(where, costs, test)
    assert found is not None
    assert set(found.choices) == set(expected)
    assert {found.cost, found.lower_bound} == set(expected.values())
    assert found.is_cheapest


def test_what_cannot_be_told_is_no_repair_and_leaves_the_bound_open() -> None:
    where = places(CHAIN, CHAIN)
    costs = [[0, 1], [0, 5]]

    def test(choice: Choice) -> bool | None:
        return None if choice == (1, 0) else choice[1] == 1

    found = Search(where, costs, (0, 0), test).run()
    assert found is not None
    assert (found.choices, found.cost, found.lower_bound) == (((0, 1),), 5, 1)
    assert not found.is_cheapest


def test_a_strength_that_is_not_monotone_is_looked_through_one_by_one() -> None:
    where = places(CHAIN, CHAIN)
    costs = [[0, 3], [0, 2]]
    found = Search(where, costs, (0, 0), lambda choice: choice == (1, 0), is_monotone=False).run()
    assert found is not None
    assert (found.choices, found.cost, found.lower_bound) == (((1, 0),), 3, 3)


def test_nothing_passes() -> None:
    assert Search(places(CHAIN), [[0, 1]], (0,), lambda _: False).run() is None


def test_few_tests_are_needed_where_little_matters() -> None:
    where = places(*[CHAIN] * 64)
    test = Needs(where, [{7: 1}, {40: 1}])
    found = Search(where, [[0, 1]] * 64, (0,) * 64, test).run()
    assert isinstance(found, Found)
    assert found.cost == 2
    assert test.asked < 100


def test_a_search_that_is_late_gives_what_it_has() -> None:
    where = places(CHAIN, CHAIN, CHAIN)
    found = Search(where, [[0, 1]] * 3, (0,) * 3, Needs(where, [{0: 1}]), deadline=0.0).run()
    assert found is not None
    assert (found.choices, found.cost, found.is_cheapest) == (((1, 1, 1),), 3, False)


@pytest.mark.parametrize("is_monotone", [True, False])
@pytest.mark.parametrize("seed", tiers.every(4, range(60)))
def test_no_more_is_claimed_than_what_was_decided(seed: int, *, is_monotone: bool) -> None:
    where, costs, needs = random_case(seed)
    random = Random(seed)
    blind = {
        choice for choice in product(*(range(len(p.alternatives)) for p in where)) if random.random() < 0.3
    }

    def test(choice: Choice) -> bool | None:
        return None if choice in blind else needs(choice)

    found = Search(where, costs, tuple(0 for _ in where), test, is_monotone=is_monotone).run()
    [smallest] = set(least(where, costs, needs).values())
    if found is None:
        return
    assert found.lower_bound <= smallest <= found.cost
    assert all(needs(choice) for choice in found.choices)
