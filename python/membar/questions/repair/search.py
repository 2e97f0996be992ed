"""Implicit hitting sets: the cheapest choice of alternatives that passes a test.

A failing choice is strengthened as far as it still fails. If a stronger choice never fails where a weaker one
passes, every choice that passes is stronger than it at some place: this is one constraint. The cheapest
choice that satisfies all constraints is tested next. The first one that passes is a cheapest of all; of
several it is always the same, since it is the first in an order that does not depend on the constraints
(`hitting_sets.py`).

If a stronger choice may fail although a weaker one passes, this search only yields some choice that passes;
then all cheaper ones are tested one after the other.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from membar.questions.repair.hitting_sets import HittingSets
from membar.records import record
from membar.text.edits import Choice, EditSite

# Whether a choice passes; None if that cannot be decided.
Test: TypeAlias = Callable[[Choice], bool | None]
_MOST_CHOICES: Final = 20_000


@record(frozen=True, slots=True, kw_only=True)
class Found:
    """The result of a search.

    Attributes:
        choices: cheapest ones that pass: one, or all; or the best one that is known.
        cost: what each of them costs.
        lower_bound: nothing that passes costs less, if strength is monotone.
        tested: how many choices were tested.
        undecided: how many choices could not be decided.
        is_interrupted: whether the search was, by Ctrl-C.
    """

    choices: tuple[Choice, ...]
    cost: int
    lower_bound: int
    tested: int
    undecided: int = 0
    is_interrupted: bool = False

    @property
    def is_cheapest(self) -> bool:
        """Whether the search ended."""
        return self.lower_bound >= self.cost


class Search:
    """One search for a cheapest choice. Each choice is tested once.

    If strength is monotone, what is weaker than a choice that failed, or stronger than one that passed, is
    not tested at all. What cannot be told is never taken for granted: such a choice is no repair, and says
    nothing about others.
    """

    def __init__(
        self,
        places: Sequence[EditSite],
        costs: Sequence[Sequence[int]],
        base: Choice,
        test: Test,
        *,
        is_monotone: bool = True,
        deadline: float | None = None,
        progress: Callable[[str], None] | None = None,
    ) -> None:
        self._places = places
        self._costs = costs
        self._is_monotone = is_monotone
        self._hitting = HittingSets(places, costs, base)
        self._base = base
        self._test = test
        self._known: dict[Choice, bool | None] = {}
        self._deadline = deadline
        self._progress = progress
        self._failing = 0
        self._best: Choice | None = None
        self._bound = 0
        self._undecided: int | None = None
        self.is_interrupted = False

    def run(self, *, all_cheapest: bool = False) -> Found | None:
        """The cheapest choices that pass; None if none passes, or none was found before Ctrl-C."""
        try:
            cheapest = self._cheapest(all_cheapest=all_cheapest)
        except KeyboardInterrupt:
            cheapest, self.is_interrupted = [], True
        if self._best is None:
            return None
        found = tuple(cheapest) or (self._best,)
        return Found(
            choices=found,
            cost=self._hitting.total(found[0]),
            lower_bound=self._bound,
            tested=len(self._known),
            undecided=sum(passed is None for passed in self._known.values()),
            is_interrupted=self.is_interrupted,
        )

    def _cheapest(self, *, all_cheapest: bool) -> list[Choice]:
        """The cheapest choices that pass; none if there are none, or the time is up."""
        strongest = tuple(place.strongest for place in self._places)
        cheapest: list[Choice] = []
        passes = self._passes(strongest)
        if passes:
            self._best = self._weaken(strongest)
            cheapest = self._search_by_hitting_sets(all_cheapest=all_cheapest and self._is_monotone)
        elif passes is False and self._is_monotone:
            return []
        if not self._is_monotone:
            cheapest = self._one_by_one(all_cheapest=all_cheapest)
        return cheapest

    @property
    def lower_bound(self) -> int:
        """A lower bound on the cost of every choice that passes."""
        return self._bound

    @property
    def is_undecided(self) -> bool:
        """Whether some choice could not be decided."""
        return None in self._known.values()

    def _search_by_hitting_sets(self, *, all_cheapest: bool) -> list[Choice]:
        """The cheapest choices that pass, if strength is monotone; none if the time is up."""
        cheapest: list[Choice] = []
        while not self._is_late() and (choice := self._hitting.cheapest()) is not None:
            cost = self._hitting.total(choice)
            if cheapest and cost > self._hitting.total(cheapest[0]):
                break
            self._raise_bound(cost if self._is_monotone else 0)
            passes = self._passes(choice)
            if not passes:
                self._freeze(cost, passes)
                self._hitting.demand(self._strengthen(choice))
                self._failing += 1
                continue
            cheapest.append(choice)
            if not all_cheapest:
                break
            self._hitting.exclude(choice)
        return cheapest

    def _one_by_one(self, *, all_cheapest: bool) -> list[Choice]:
        """The cheapest choices that pass, tested in order of cost; none if the time is up."""
        cheapest: list[Choice] = []
        for count, (cost, choice) in enumerate(_by_cost(self._places, self._costs, self._base)):
            if cheapest and cost > self._hitting.total(cheapest[0]):
                break
            self._raise_bound(cost)
            if self._is_late() or count > _MOST_CHOICES:
                return []
            passes = self._passes(choice)
            self._freeze(cost, passes)
            if passes:
                cheapest.append(choice)
            if cheapest and not all_cheapest:
                break
        return cheapest

    def _freeze(self, cost: int, passes: bool | None) -> None:  # noqa: FBT001 - one answer
        """Claims nothing more beyond the first choice that could not be decided."""
        if passes is None and self._undecided is None:
            self._undecided = cost

    def _raise_bound(self, cost: int) -> None:
        """Records that nothing that passes costs less than `cost`, except undecided choices."""
        self._bound = cost if self._undecided is None else min(cost, self._undecided)

    def _passes(self, choice: Choice) -> bool | None:
        found = self._known[choice] if choice in self._known else self._implied_result(choice)
        if found is None and choice not in self._known:
            found = self._known[choice] = self._test(choice)
            self._report()
        if found and (self._best is None or self._hitting.total(choice) < self._hitting.total(self._best)):
            self._best = choice
        return found

    def _implied_result(self, choice: Choice) -> bool | None:
        """The result that earlier tests imply for a choice."""
        if not self._is_monotone:
            return None
        for other, passed in self._known.items():
            if passed is True and self._is_at_least(choice, other):
                return True
            if passed is False and self._is_at_least(other, choice):
                return False
        return None

    def _is_at_least(self, strong: Choice, weak: Choice) -> bool:
        """Whether a choice is at least as strong as another one at every place."""
        return all(
            above == below or below in place.alternatives[above].includes
            for place, above, below in zip(self._places, strong, weak, strict=True)
        )

    def _report(self) -> None:
        if self._progress is not None:
            best = "" if self._best is None else f", at most {self._hitting.total(self._best)}"
            self._progress(
                f"{len(self._known)} candidates, {self._failing} counterexamples; "
                f"cost at least {self._bound}{best}"
            )

    def _is_late(self) -> bool:
        return self._deadline is not None and time.monotonic() > self._deadline

    def _weaken(self, choice: Choice) -> Choice:
        """A choice that passes and at no place could be the weakest: large stretches are tried at once."""
        for stretch in _bisections(range(len(choice))):
            if self._is_late():
                break
            lower = tuple(self._base[n] if n in stretch else level for n, level in enumerate(choice))
            if lower != choice and self._passes(lower):
                choice = lower
                stretch.clear()
        return choice

    def _strengthen(self, choice: Choice) -> Choice:
        """A maximal failing choice that is at least as strong: any stronger one passes.

        From one that could not be decided it is the same, with others that could not: those that are
        weaker are no longer considered, but the lower bound is frozen (`_freeze`).
        """
        failing = (False,) if self._passes(choice) is False else (False, None)
        order = sorted(range(len(choice)), key=lambda n: choice[n] != self._base[n])
        for stretch in _bisections(order):
            if self._is_late():
                break
            for higher in self._stronger_choices(choice, stretch):
                if self._passes(higher) in failing:
                    choice = higher
                    stretch.clear()
                    break
        return choice

    def _stronger_choices(self, choice: Choice, stretch: Sequence[int]) -> Iterator[Choice]:
        """The strongest alternative at each place of a stretch; for a single place, all stronger ones."""
        if len(stretch) > 1:
            yield tuple(
                self._places[n].strongest if n in stretch else level for n, level in enumerate(choice)
            )
            return
        [place] = stretch
        here = self._places[place].alternatives
        for level in reversed(range(len(here))):
            if level != choice[place] and choice[place] in here[level].includes:
                yield (*choice[:place], level, *choice[place + 1 :])


def _by_cost(
    places: Sequence[EditSite], costs: Sequence[Sequence[int]], base: Choice
) -> Iterator[tuple[int, Choice]]:
    """Every choice that is nowhere weaker than `base`, in the order of `HittingSets`."""
    waiting: list[tuple[int, int, tuple[tuple[int, int], ...]]] = [(0, 0, ())]
    while waiting:
        cost, count, changes = heapq.heappop(waiting)
        chosen = dict(changes)
        yield cost, tuple(chosen.get(number, start) for number, start in enumerate(base))
        first = changes[-1][0] + 1 if changes else 0
        for number in range(first, len(places)):
            for index, alternative in enumerate(places[number].alternatives):
                if index != base[number] and base[number] in alternative.includes:
                    further = (*changes, (number, index))
                    heapq.heappush(waiting, (cost + costs[number][index], count + 1, further))


def _bisections(numbers: Sequence[int]) -> Iterator[list[int]]:
    """All of the numbers, then each half, and so on; a stretch that is cleared is not halved."""
    waiting = [list(numbers)]
    while waiting:
        stretch = waiting.pop()
        if not stretch:
            continue
        yield stretch
        if len(stretch) > 1:
            middle = len(stretch) // 2
            waiting += [stretch[middle:], stretch[:middle]]
