"""The cheapest choice that is stronger than each failing choice at some place.

Of several with the same cost it is the one with the fewest changes, and of those the one whose changes come
first. z3 alone would not be deterministic: its solution depends on earlier queries in the same process.
"""

from __future__ import annotations

from collections.abc import Sequence

import z3

from membar.objects.proof.smt import ask
from membar.questions.repair.correctness import UndecidedError
from membar.text.edits import Choice, EditSite


class HittingSets:
    """Choices of alternatives, none below `base`, and the cheapest that satisfies all constraints.

    A demand is a choice that fails: what passes must be stronger than it somewhere.
    """

    def __init__(self, places: Sequence[EditSite], costs: Sequence[Sequence[int]], base: Choice) -> None:
        self._places = places
        self._base = base
        self._solver = z3.Optimize()
        self._all = z3.Solver()  # the same demands, without costs
        self._costs = costs
        self._picks: list[dict[int, z3.BoolRef]] = []
        for number, (place, start) in enumerate(zip(places, base, strict=True)):
            picks = {
                index: z3.Bool(f"{number}:{index}")
                for index, alternative in enumerate(place.alternatives)
                if index != start and start in alternative.includes
            }
            self._picks.append(picks)
            if len(picks) > 1:
                self._add(z3.AtMost(*picks.values(), 1))
            for index, pick in picks.items():
                self._solver.add_soft(z3.Not(pick), self._weight(number, index))

    def _add(self, formula: z3.BoolRef) -> None:
        self._solver.add(formula)
        self._all.add(formula)

    def _weight(self, place: int, alternative: int) -> int:
        """The cost, plus a tie-breaker smaller than any cost for the change itself."""
        return self.cost_of(place, alternative) * (len(self._places) + 1) + 1

    def cost_of(self, place: int, alternative: int) -> int:
        """The cost of the alternative there, beyond that of the initial one."""
        return self._costs[place][alternative]

    def total(self, choice: Choice) -> int:
        """The cost of a choice, beyond that of the initial one."""
        return sum(
            self.cost_of(number, chosen)
            for number, (chosen, start) in enumerate(zip(choice, self._base, strict=True))
            if chosen != start
        )

    def demand(self, failing: Choice) -> None:
        """Adds a constraint: a choice must be stronger than `failing` at some place."""
        stronger = [
            pick
            for place, picks, failed in zip(self._places, self._picks, failing, strict=True)
            for index, pick in picks.items()
            if index not in place.alternatives[failed].includes
        ]
        self._add(z3.Or(*stronger))

    def exclude(self, choice: Choice) -> None:
        """Excludes exactly this choice from now on."""
        self._add(
            z3.Not(
                z3.And(
                    *(
                        pick if index == chosen else z3.Not(pick)
                        for picks, chosen in zip(self._picks, choice, strict=True)
                        for index, pick in picks.items()
                    )
                )
            )
        )

    def cheapest(self) -> Choice | None:
        """The cheapest choice that satisfies all constraints; None if there is none."""
        if not _is_met(self._solver):
            return None
        changes = self._first(self._changes(self._solver.model()))
        return tuple(changes.get(number, start) for number, start in enumerate(self._base))

    def _changes(self, model: z3.ModelRef) -> dict[int, int]:
        """The chosen alternatives, by place."""
        return {
            number: index
            for number, picks in enumerate(self._picks)
            for index, pick in picks.items()
            if z3.is_true(model[pick])
        }

    def _first(self, changes: dict[int, int]) -> dict[int, int]:
        """Of all choices with this cost and this number of changes, the first."""
        order = [(number, index) for number, picks in enumerate(self._picks) for index in picks]
        weights = [(self._picks[number][index], self._weight(number, index)) for number, index in order]
        most = sum(self._weight(number, index) for number, index in changes.items())
        self._all.push()
        try:
            self._all.add(z3.PbLe(weights, most))
            settled = 0  # of the changes; and how far in the order nothing else comes first
            after = 0
            while settled < len(changes):
                at = order.index(sorted(changes.items())[settled])
                earlier = [self._picks[number][index] for number, index in order[after:at]]
                if earlier and _is_met(self._all, z3.Or(*earlier)):
                    changes = self._changes(self._all.model())
                    continue
                number, index = order[at]
                self._all.add(self._picks[number][index], *map(z3.Not, earlier))
                settled, after = settled + 1, at + 1
        finally:
            self._all.pop()
        return changes


def _is_met(solver: z3.Optimize | z3.Solver, *more: z3.BoolRef) -> bool:
    answer = ask(solver, *more)
    if answer == z3.unknown:  # which is not "none"
        raise UndecidedError(f"z3 could not determine the cheapest choice: {solver.reason_unknown()}")
    return bool(answer == z3.sat)
