"""Automata on infinite words with acceptance on transitions: one set of marks per eventuality."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from membar.program.predicate import StatePredicate
from membar.records import record


@record(frozen=True, slots=True)
class Label:
    """The letters that a transition accepts: atoms, by number, that must hold and that must not."""

    positive: frozenset[int] = frozenset()
    negative: frozenset[int] = frozenset()

    def takes(self, letter: frozenset[int]) -> bool:
        """Whether it accepts a letter, the set of atoms that hold."""
        return self.positive <= letter and self.negative.isdisjoint(letter)

    def includes(self, other: Label) -> bool:
        """Whether it accepts every letter that `other` accepts."""
        return self.positive <= other.positive and self.negative <= other.negative


@record(frozen=True, slots=True)
class Transition:
    """A step; `marks` are the acceptance sets that it belongs to."""

    source: int
    target: int
    label: Label
    marks: frozenset[int]


@record(frozen=True)
class Automaton:
    """A generalised Büchi automaton: a run is accepted that has every mark infinitely often.

    Attributes:
        atoms: what the numbers in labels stand for.
        states: how many there are; state 0 is the initial one.
        transitions: sorted by source.
        sets: how many marks there are.
        names: what each state still has to see, for people.
    """

    atoms: tuple[StatePredicate, ...]
    states: int
    transitions: tuple[Transition, ...]
    sets: int
    names: tuple[str, ...] = ()

    @cached_property
    def leaving(self) -> Mapping[int, tuple[Transition, ...]]:
        """The transitions of each state."""
        table: dict[int, list[Transition]] = {state: [] for state in range(self.states)}
        for transition in self.transitions:
            table[transition.source].append(transition)
        return {state: tuple(found) for state, found in table.items()}
