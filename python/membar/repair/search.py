"""Implicit hitting sets: the cheapest choice of alternatives that passes a test.

A choice that fails is made as strong as it can be and still fail. Whatever passes is stronger somewhere, if
a stronger choice never fails where a weaker one passes: that is one demand. The cheapest choice that meets
all demands is tried next. The first one that passes is a cheapest of all.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from membar.changes import Choice, Place
from membar.repair.hitting import HittingSets

Passes: TypeAlias = Callable[[Choice], bool]


class UndecidedError(Exception):
    """A choice could neither be shown right nor wrong; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search came to.

    Attributes:
        choices: cheapest ones that pass: one, or all; or the best one that is known.
        cost: what each of them costs.
        lower_bound: nothing that passes costs less, if strength is monotone.
        tested: how many choices were tested.
        failing: how many strongest failing choices were found.
    """

    choices: tuple[Choice, ...]
    cost: int
    lower_bound: int
    tested: int
    failing: int

    @property
    def is_cheapest(self) -> bool:
        """Whether the search ended."""
        return self.lower_bound >= self.cost


class Search:
    """One search for a cheapest choice. `passes` is asked about each choice once."""

    def __init__(
        self,
        places: Sequence[Place],
        costs: Sequence[Sequence[int]],
        base: Choice,
        passes: Passes,
        *,
        deadline: float | None = None,
        progress: Callable[[str], None] | None = None,
    ) -> None:
        self._places = places
        self._hitting = HittingSets(places, costs, base)
        self._base = base
        self._ask = passes
        self._known: dict[Choice, bool] = {}
        self._deadline = deadline
        self._progress = progress
        self._failing = 0
        self._best: Choice | None = None
        self._bound = 0

    def run(self, *, all_cheapest: bool = False) -> Found | None:
        """What passes at the least cost; None if not even the strongest choice passes."""
        strongest = tuple(place.strongest for place in self._places)
        if not self._passes(strongest):
            return None
        self._best = self._reduced(strongest)
        cheapest: list[Choice] = []
        while not self._is_late() and (choice := self._hitting.cheapest()) is not None:
            self._bound = self._hitting.total(choice)
            if cheapest and self._bound > self._hitting.total(cheapest[0]):
                break
            if self._passes(choice):
                cheapest.append(choice)
                if not all_cheapest:
                    break
                self._hitting.exclude(choice)
            else:
                self._hitting.demand(self._grown(choice))
                self._failing += 1
        if cheapest:
            self._bound = self._hitting.total(cheapest[0])
        found = tuple(sorted(cheapest)) or (self._best,)
        return Found(
            choices=found,
            cost=self._hitting.total(found[0]),
            lower_bound=self._bound,
            tested=len(self._known),
            failing=self._failing,
        )

    def _passes(self, choice: Choice) -> bool:
        found = self._known.get(choice)
        if found is None:
            found = self._known[choice] = self._ask(choice)
            self._report()
        if found and (self._best is None or self._hitting.total(choice) < self._hitting.total(self._best)):
            self._best = choice
        return found

    def _report(self) -> None:
        if self._progress is not None:
            best = "" if self._best is None else f", at most {self._hitting.total(self._best)}"
            self._progress(
                f"{len(self._known)} candidates, {self._failing} counterexamples; "
                f"cost at least {self._bound}{best}"
            )

    def _is_late(self) -> bool:
        return self._deadline is not None and time.monotonic() > self._deadline

    def _reduced(self, choice: Choice) -> Choice:
        """A choice that passes and at no place could be the weakest: large stretches are tried at once."""
        for stretch in _halves(range(len(choice))):
            if self._is_late():
                break
            lower = tuple(self._base[n] if n in stretch else level for n, level in enumerate(choice))
            if lower != choice and self._passes(lower):
                choice = lower
                stretch.clear()
        return choice

    def _grown(self, choice: Choice) -> Choice:
        """A choice at least as strong that still fails, and passes if it is stronger anywhere."""
        order = sorted(range(len(choice)), key=lambda n: choice[n] != self._base[n])
        for stretch in _halves(order):
            if self._is_late():
                break
            for higher in self._raised(choice, stretch):
                if not self._passes(higher):
                    choice = higher
                    stretch.clear()
                    break
        return choice

    def _raised(self, choice: Choice, stretch: Sequence[int]) -> Iterator[Choice]:
        """The choice with the strongest at each place of a stretch; at a single one all that are stronger."""
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


def _halves(numbers: Sequence[int]) -> Iterator[list[int]]:
    """All of the numbers, then each half, and so on; whoever clears a stretch does not get its halves."""
    waiting = [list(numbers)]
    while waiting:
        stretch = waiting.pop()
        if not stretch:
            continue
        yield stretch
        if len(stretch) > 1:
            middle = len(stretch) // 2
            waiting += [stretch[middle:], stretch[:middle]]
