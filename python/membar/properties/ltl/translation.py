"""LTL → a generalised Büchi automaton, by a tableau (Couvreur, FM 1999).

A state is a set of formulas that must hold from now on. It is expanded until only literals, which the letter
must satisfy, and formulas for the next state are left. `p U q` is fulfilled by `q`, or postponed: `p` now,
and `p U q` in the next state. A transition has the mark of an until unless it postpones that until, so a run
with every mark infinitely often postpones nothing forever. Operators of the past are replaced first (`past`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from membar.diagnostics import EngineLimitError
from membar.program import temporal as ltl
from membar.program.predicate import StatePredicate
from membar.properties.ltl.automaton import Automaton, Label, Transition
from membar.properties.ltl.normal import normal_form, smaller
from membar.properties.ltl.past import Past
from membar.properties.ltl.reduction import reduce
from membar.records import record, replace

_MOST_STATES = 20_000
_EVERY_LETTER = Label()
Obligations: TypeAlias = frozenset[ltl.Formula]


def automaton_of(formula: ltl.Formula, *, negated: bool = False) -> Automaton:
    """The automaton of the runs that satisfy a formula, or that do not (`negated`).

    Raises:
        EngineLimitError: it has too many states.
    """
    if not ltl.has_past(formula):
        return reduce(_Tableau(normal_form(formula, negated=negated)).automaton())
    past = Past()
    body = normal_form(past.replaced(formula), negated=negated)
    whole = smaller(ltl.And(body, normal_form(past.laws())))
    return reduce(past.forgotten(_Tableau(whole).automaton()))


@record(frozen=True, slots=True)
class _Way:
    """One way to satisfy a set of formulas now.

    Attributes:
        todo: what has not been taken apart yet.
        label: what the letter must satisfy.
        following: what must hold in the next state.
        put_off: untils that are not fulfilled now.
        done: what has been taken apart.
    """

    todo: tuple[ltl.Formula, ...]
    label: Label = _EVERY_LETTER
    following: Obligations = frozenset()
    put_off: frozenset[ltl.Formula] = frozenset()
    done: Obligations = frozenset()

    def with_todo(self, *formulas: ltl.Formula) -> _Way:
        """The way with more formulas to satisfy."""
        return replace(self, todo=(*formulas, *self.todo))


class _Tableau:
    def __init__(self, formula: ltl.Formula) -> None:
        self._formula = formula
        self._atoms: dict[StatePredicate, int] = {}
        self._marks: dict[ltl.Formula, int] = {}
        self._collect(formula)

    def automaton(self) -> Automaton:
        numbers: dict[Obligations, int] = {frozenset({self._formula}): 0}
        todo = list(numbers)
        transitions: list[Transition] = []
        everything = frozenset(self._marks.values())
        while todo:
            state = todo.pop(0)
            for way in _least(list(dict.fromkeys(self._ways(state)))):
                if way.following not in numbers:
                    numbers[way.following] = len(numbers)
                    todo.append(way.following)
                    if len(numbers) > _MOST_STATES:
                        raise EngineLimitError(
                            f"the automaton of the formula has more than {_MOST_STATES} states"
                        )
                marks = everything - {self._marks[until] for until in way.put_off}
                transitions.append(Transition(numbers[state], numbers[way.following], way.label, marks))
        names = tuple(" & ".join(sorted(map(formula_name, state))) or "true" for state in numbers)
        return Automaton(tuple(self._atoms), len(numbers), tuple(transitions), len(self._marks), names)

    def _collect(self, formula: ltl.Formula) -> None:
        for part in ltl.subformulas(formula):
            if isinstance(part, ltl.Atom):
                self._atoms.setdefault(part.predicate, len(self._atoms))
            elif isinstance(part, ltl.Until):
                self._marks.setdefault(part, len(self._marks))

    def _ways(self, state: Obligations) -> Iterator[_Way]:
        """Every way to satisfy the formulas of a state."""
        ways = [_Way(tuple(sorted(state, key=repr)))]
        while ways:
            way = ways.pop()
            if not way.todo:
                yield replace(way, done=frozenset())
                continue
            first, *others = way.todo
            rest = replace(way, todo=tuple(others), done=way.done | {first})
            ways += [rest] if first in way.done else reversed(list(self._ways_with(first, rest)))

    def _ways_with(self, formula: ltl.Formula, way: _Way) -> Iterator[_Way]:
        """The ways that also satisfy one more formula; no choice where one side is satisfied already."""
        match formula:
            case ltl.Truth(value):
                if value:
                    yield way
            case ltl.Atom(predicate):
                number = self._atoms[predicate]
                if number not in way.label.negative:
                    yield replace(way, label=Label(way.label.positive | {number}, way.label.negative))
            case ltl.Not(ltl.Atom(predicate)):
                number = self._atoms[predicate]
                if number not in way.label.positive:
                    yield replace(way, label=Label(way.label.positive, way.label.negative | {number}))
            case ltl.And(left, right):
                yield way.with_todo(left, right)
            case ltl.Or(left, right):
                yield way.with_todo(left)
                if left not in way.done:
                    yield way.with_todo(right)
            case ltl.Next(operand):
                yield replace(way, following=way.following | _parts(operand))
            case ltl.Until(left, right):
                yield way.with_todo(right)
                if right not in way.done:
                    put_off = way.put_off | {formula}
                    yield replace(way.with_todo(left), following=way.following | {formula}, put_off=put_off)
            case ltl.Release(left, right):
                yield way.with_todo(left, right)
                if left not in way.done:
                    yield replace(way.with_todo(right), following=way.following | {formula})
            case ltl.Not() | ltl.Previous() | ltl.Since():
                raise AssertionError("not in negation normal form")


def _parts(formula: ltl.Formula) -> Obligations:
    """The formula as a set of formulas that must hold together."""
    if isinstance(formula, ltl.And):
        return _parts(formula.left) | _parts(formula.right)
    return frozenset() if formula == ltl.TRUE else frozenset({formula})


def _least(ways: list[_Way]) -> list[_Way]:
    """Removes ways that another one subsumes: more letters, fewer obligations, less postponed."""
    kept: list[_Way] = []
    for number, way in enumerate(ways):
        is_worse = any(
            other.label.includes(way.label)
            and other.following <= way.following
            and other.put_off <= way.put_off
            and (other != way or position < number)
            for position, other in enumerate(ways)
            if position != number
        )
        if not is_worse:
            kept.append(way)
    return kept


_WORDS = ltl.Words(not_="!", and_="&&", or_="||", finally_="F", globally="G")


def formula_name(formula: ltl.Formula) -> str:
    """A formula as text: `G`, `F`, `X`, `U`, `R`, `!`, `&&`, `||`."""
    return ltl.formula_text(formula, _WORDS, _atom_name)


def _atom_name(atom: ltl.Atom) -> str:
    text = atom.predicate.text or "?"
    return text if text.replace("_", "").isalnum() else f"({text})"
