"""The cheapest choice that is above each of some failing choices at one place at least."""

from __future__ import annotations

from collections.abc import Sequence

import z3

from membar.edits import Choice, Place
from membar.objects.proof.smt import ask
from membar.questions.repair.question import UndecidedError


class HittingSets:
    """Choices of alternatives, none below `base`, and the cheapest that meets all demands.

    A demand is a choice that fails: what passes must be stronger than it somewhere.
    """

    def __init__(self, places: Sequence[Place], costs: Sequence[Sequence[int]], base: Choice) -> None:
        self._places = places
        self._base = base
        self._solver = z3.Optimize()
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
                self._solver.add(z3.AtMost(*picks.values(), 1))
            for index, pick in picks.items():
                self._solver.add_soft(z3.Not(pick), self.cost_of(number, index))

    def cost_of(self, place: int, alternative: int) -> int:
        """What the alternative costs there, beyond what stands there at the beginning."""
        return self._costs[place][alternative]

    def total(self, choice: Choice) -> int:
        """What a choice costs beyond the beginning."""
        return sum(
            self.cost_of(number, chosen)
            for number, (chosen, start) in enumerate(zip(choice, self._base, strict=True))
            if chosen != start
        )

    def demand(self, failing: Choice) -> None:
        """From now on a choice must be stronger than `failing` somewhere."""
        stronger = [
            pick
            for place, picks, failed in zip(self._places, self._picks, failing, strict=True)
            for index, pick in picks.items()
            if index not in place.alternatives[failed].includes
        ]
        self._solver.add(z3.Or(*stronger))

    def exclude(self, choice: Choice) -> None:
        """From now on exactly this choice is not taken again."""
        self._solver.add(
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
        """A cheapest choice that meets all demands; None if there is none."""
        answer = ask(self._solver)
        if answer == z3.unknown:  # which is not "none"
            raise UndecidedError(
                f"z3 could not tell which choice is cheapest: {self._solver.reason_unknown()}"
            )
        if answer == z3.unsat:
            return None
        model = self._solver.model()
        return tuple(
            next((index for index, pick in picks.items() if z3.is_true(model[pick])), start)
            for picks, start in zip(self._picks, self._base, strict=True)
        )
