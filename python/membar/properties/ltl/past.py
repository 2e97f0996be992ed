"""Operators of the past: LTL with them → LTL without, over a few more propositions.

For each `Y p` there is a proposition `y` that says whether `Y p` holds, and `a S b` is `b || (a && y)`, where
`y` stands for `Y (a S b)`. Laws define the propositions: at the beginning all are false, and always `X y <->
p`, with the past operators of `p` replaced in the same way.

For every run there is exactly one choice of the propositions that satisfies the laws. There is one: their
intended meaning. It is unique: the law of `y` refers to propositions for operators inside `p`, which are
determined by induction, and, for `S`, to `y` itself, but only to its value one state before. So a run
satisfies a formula exactly if some choice satisfies the laws and the formula without past operators; and it
violates it exactly if some choice satisfies the laws and the negation. An automaton that guesses the choice
only needs to drop the propositions from its labels.
"""

from __future__ import annotations

from membar.program import temporal as ltl
from membar.program.expr import Register
from membar.program.predicate import StatePredicate
from membar.properties.ltl.automaton import Automaton, Label
from membar.records import replace


class Past:
    """Replaces operators of the past by propositions, and keeps the laws of these."""

    def __init__(self) -> None:
        self._meanings: dict[ltl.Atom, ltl.Formula] = {}
        self._known: dict[ltl.Formula, ltl.Atom] = {}

    def replaced(self, formula: ltl.Formula) -> ltl.Formula:
        """The formula without operators of the past."""
        match formula:
            case ltl.Truth() | ltl.Atom():
                return formula
            case ltl.Not(operand):
                return ltl.Not(self.replaced(operand))
            case ltl.Next(operand):
                return ltl.Next(self.replaced(operand))
            case (
                ltl.And(left, right) | ltl.Or(left, right) | ltl.Until(left, right) | ltl.Release(left, right)
            ):
                return type(formula)(self.replaced(left), self.replaced(right))
            case ltl.Previous(operand):
                return self._proposition(formula, self.replaced(operand))
            case ltl.Since(left, right):
                now, before = self.replaced(right), self.replaced(left)
                earlier = self._known.get(formula) or self._new(formula)
                value = ltl.Or(now, ltl.And(before, earlier))
                self._meanings[earlier] = value
                return value

    def laws(self) -> ltl.Formula:
        """The formulas that define the propositions."""
        found: ltl.Formula = ltl.TRUE
        for proposition, meaning in self._meanings.items():
            later = ltl.globally(ltl.equivalent(ltl.Next(proposition), meaning))
            found = ltl.And(found, ltl.And(ltl.Not(proposition), later))
        return found

    def forgotten(self, automaton: Automaton) -> Automaton:
        """The automaton with the propositions removed from its labels."""
        own = {atom.predicate for atom in self._meanings}
        kept = [number for number, atom in enumerate(automaton.atoms) if atom not in own]
        places = {number: place for place, number in enumerate(kept)}

        def without(atoms: frozenset[int]) -> frozenset[int]:
            return frozenset(places[number] for number in atoms if number in places)

        return replace(
            automaton,
            atoms=tuple(automaton.atoms[number] for number in kept),
            transitions=tuple(
                replace(step, label=Label(without(step.label.positive), without(step.label.negative)))
                for step in automaton.transitions
            ),
        )

    def _proposition(self, formula: ltl.Formula, meaning: ltl.Formula) -> ltl.Atom:
        found = self._known.get(formula) or self._new(formula)
        self._meanings[found] = meaning
        return found

    def _new(self, formula: ltl.Formula) -> ltl.Atom:
        number = len(self._known)
        found = ltl.Atom(StatePredicate(Register(f"#past {number}"), (), f"#{number}"))
        self._known[formula] = found
        return found
