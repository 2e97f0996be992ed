"""Runs of the form `u v v v …`, and which formulas they satisfy: the specification of the translation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from membar.program.predicate import StatePredicate
from membar.program.temporal import (
    And,
    Atom,
    Formula,
    Next,
    Not,
    Or,
    Previous,
    Release,
    Since,
    Truth,
    Until,
    subformulas,
)
from membar.records import record

Letter: TypeAlias = frozenset[StatePredicate]


@record(frozen=True, slots=True)
class Lasso:
    """A run: the letters of `prefix`, then those of `cycle`, which is not empty, again and again.

    A letter is the set of predicates that hold.
    """

    prefix: tuple[Letter, ...]
    cycle: tuple[Letter, ...]

    @property
    def letters(self) -> tuple[Letter, ...]:
        """One letter for each position; after the last one comes the first of the cycle."""
        return self.prefix + self.cycle

    def following(self, position: int) -> int:
        """The position after another."""
        is_last = position + 1 == len(self.prefix) + len(self.cycle)
        return len(self.prefix) if is_last else position + 1


def holds(formula: Formula, run: Lasso) -> bool:
    """Whether a run satisfies a formula: by the definition of its operators, without rewriting.

    What happened before differs from one iteration of the cycle to the next, but not for long. If the
    operands of `Y` repeat from some iteration on, `Y` repeats one iteration later. Through a whole cycle, `S`
    either keeps the value that it had before or has a value that does not depend on it, so that it repeats
    one iteration after its operands, too. So one more iteration for each operator of the past is enough.
    """
    past = sum(isinstance(part, Previous | Since) for part in subformulas(formula))
    return _truth(formula, Lasso(run.prefix + past * run.cycle, run.cycle))[0]


def _truth(formula: Formula, run: Lasso) -> list[bool]:
    """The positions at which a formula holds."""
    letters = run.letters
    match formula:
        case Truth(value):
            return [value] * len(letters)
        case Atom(predicate):
            return [predicate in letter for letter in letters]
        case Not(operand):
            return [not value for value in _truth(operand, run)]
        case And(left, right):
            return [a and b for a, b in zip(_truth(left, run), _truth(right, run), strict=True)]
        case Or(left, right):
            return [a or b for a, b in zip(_truth(left, run), _truth(right, run), strict=True)]
        case Next(operand):
            inner = _truth(operand, run)
            return [inner[run.following(position)] for position in range(len(letters))]
        case Until(left, right):
            first, second = _truth(left, run), _truth(right, run)
            return _solution(run, lambda at, later: second[at] or (first[at] and later), start=False)
        case Release(left, right):
            first, second = _truth(left, run), _truth(right, run)
            return _solution(run, lambda at, later: second[at] and (first[at] or later), start=True)
        case Previous(operand):
            return [False, *_truth(operand, run)[:-1]]
        case Since(left, right):
            found: list[bool] = []
            for before, now in zip(_truth(left, run), _truth(right, run), strict=True):
                found.append(now or (before and bool(found) and found[-1]))
            return found


def _solution(run: Lasso, now: Callable[[int, bool], bool], *, start: bool) -> list[bool]:
    """The least (from False) or greatest (from True) solution of `value = now(next value)`.

    It is found from the end. `now` never falls when the next value rises, so that one iteration of the cycle
    settles how it begins, and a second one the rest: the time grows with the length of the run, not with its
    square.
    """
    size = len(run.prefix) + len(run.cycle)
    values = [start] * size
    later = start
    for begin in (len(run.prefix), 0):
        for position in reversed(range(begin, size)):
            values[position] = later = now(position, later)
        later = values[len(run.prefix)]
    return values
