"""Conditions on final states, as in litmus tests."""

from __future__ import annotations

import enum
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

from membar.program.expr import MASK, Address, signed
from membar.records import record


@record(frozen=True, slots=True)
class FinalRegister:
    """The final value of a register of thread number `thread`, seen as `width` bits."""

    thread: int
    register: str
    width: int = 32
    signed: bool = True


@record(frozen=True, slots=True)
class FinalCell:
    """The final value of element `index` of a memory object, seen as `width` bits."""

    name: str
    index: int = 0
    width: int = 32
    signed: bool = True


Term: TypeAlias = FinalRegister | FinalCell


class Comparison(enum.Enum):
    """How a term is compared with a value."""

    EQ = "="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="


@record(frozen=True, slots=True)
class Compare:
    """`term op value`, e.g. `0:EAX=1`, `[x]=2`, `1:X0=y` (an address), or another term."""

    term: Term
    op: Comparison
    value: int | Address | FinalRegister | FinalCell


@record(frozen=True, slots=True)
class And:
    """Every part holds; with no part: true."""

    parts: tuple[Formula, ...]


@record(frozen=True, slots=True)
class Or:
    """Some part holds; with no part: false."""

    parts: tuple[Formula, ...]


@record(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: Formula


@record(frozen=True, slots=True)
class Implies:
    """If `left` then `right`."""

    left: Formula
    right: Formula


Formula: TypeAlias = Compare | And | Or | Not | Implies
TRUTH: Formula = And(())


class Quantifier(enum.Enum):
    """The quantifier over executions."""

    EXISTS = "exists"
    NOT_EXISTS = "~exists"
    FORALL = "forall"
    ERROR = "error final"
    """`~exists`, as an error state and no test's question."""


@record(frozen=True, slots=True)
class Observed:
    """A term that final states show.

    Attributes:
        term: what is shown.
        label: how people name it: `0:EAX`, `x`, `v[0]`. herd's text form puts plain locations in brackets.
        array: the array that herd's text form shows as a whole, `v={1,2}`, in place of this term and
            its neighbours of the same array; None where the term is shown on its own.
    """

    term: Term
    label: str
    array: str | None = None


@record(frozen=True, kw_only=True)
class FinalCondition:
    """A litmus test's question.

    Many tests may share one, so that what follows from it alone is worked out once.

    Attributes:
        quantifier: exists, ~exists or forall.
        formula: about one final state.
        observed: what final states show, in the order of herd's output.
        filter: final states that do not satisfy it are not considered at all; None for no filter.
    """

    quantifier: Quantifier
    formula: Formula
    observed: tuple[Observed, ...] = ()
    filter: Formula | None = None

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """The terms that a final state must provide: what it shows, then those of formula and filter."""
        asked = {id(term): term for item in self._comparisons for term in _terms_of(item)}
        return tuple(dict.fromkeys([*[item.term for item in self.observed], *asked.values()]))

    @cached_property
    def places(self) -> Mapping[Term, int]:
        """The position of each of `terms`."""
        return {term: place for place, term in enumerate(self.terms)}

    @cached_property
    def addresses(self) -> tuple[Address, ...]:
        """The addresses that terms are compared with."""
        return tuple(item.value for item in self._comparisons if isinstance(item.value, Address))

    def predicates(self, bases: Mapping[str, int]) -> tuple[Predicate, Predicate]:
        """Formula and filter, as functions of the 64-bit words behind `terms`; `bases` are all addresses."""
        return self._predicates(bases) if self.addresses else self._known_predicates

    @cached_property
    def shown_at(self) -> tuple[tuple[str, Term, int], ...]:
        """Label, term and position of what final states show."""
        return tuple((item.label, item.term, self.places[item.term]) for item in self.observed)

    @cached_property
    def _known_predicates(self) -> tuple[Predicate, Predicate]:
        return self._predicates({})

    def __getstate__(self) -> dict[str, object]:
        """The state without cached functions, which cannot be sent to another process."""
        return {name: value for name, value in vars(self).items() if name != "_known_predicates"}

    def _predicates(self, bases: Mapping[str, int]) -> tuple[Predicate, Predicate]:
        passes = TRUTH if self.filter is None else self.filter
        return predicate(self.formula, self.places, bases), predicate(passes, self.places, bases)

    @cached_property
    def _comparisons(self) -> tuple[Compare, ...]:
        """The comparisons in formula and filter, each object once: formulas share them."""
        formulas = (self.formula,) if self.filter is None else (self.formula, self.filter)
        found = {id(item): item for formula in formulas for item in comparisons(formula)}
        return tuple(found.values())


def comparisons(formula: Formula) -> Iterator[Compare]:
    """The comparisons that a formula is made of, left to right."""
    rest = [formula]
    while rest:
        part = rest.pop()
        match part:
            case Compare():
                yield part
            case And() | Or():
                rest.extend(reversed(part.parts))
            case Not():
                rest.append(part.part)
            case Implies():
                rest += (part.right, part.left)


def terms_of(formula: Formula) -> Iterator[Term]:
    """The terms of a formula, left to right, with repetitions."""
    for comparison in comparisons(formula):
        yield from _terms_of(comparison)


def _terms_of(comparison: Compare) -> tuple[Term, ...]:
    if isinstance(comparison.value, FinalRegister | FinalCell):
        return comparison.term, comparison.value
    return (comparison.term,)


_COMPARE: dict[Comparison, Callable[[int, int], bool]] = {
    Comparison.EQ: operator.eq,
    Comparison.NE: operator.ne,
    Comparison.LT: operator.lt,
    Comparison.LE: operator.le,
    Comparison.GT: operator.gt,
    Comparison.GE: operator.ge,
}


Predicate: TypeAlias = Callable[[Sequence[int]], bool]


def shown_value(term: Term, word: int) -> int:
    """The number that `term` shows when the 64-bit word behind it is `word`."""
    if 0 <= word < 1 << (term.width - 1):
        return word
    return signed(word, term.width) if term.signed else word & ((1 << term.width) - 1)


def predicate(formula: Formula, places: Mapping[Term, int], bases: Mapping[str, int]) -> Predicate:
    """`formula` as a function of a final state: of the 64-bit words behind the terms, each at its place."""
    known: dict[int, Predicate] = {}  # by identity: formulas repeat their comparisons

    def of(part: Formula) -> Predicate:
        found = known.get(id(part))
        if found is not None:
            return found
        match part:
            case Compare():
                found = known[id(part)] = _comparison(part, places, bases)
                return found
            case And(parts=parts):
                return _all_of(list(map(of, parts)))
            case Or(parts=parts):
                return _any_of(list(map(of, parts)))
            case Not(part=inner):
                negated = of(inner)
                return lambda words: not negated(words)
            case Implies(left=left, right=right):
                if_, then = of(left), of(right)
                return lambda words: not if_(words) or then(words)

    return of(formula)


def _all_of(conjuncts: Sequence[Predicate]) -> Predicate:
    def holds(words: Sequence[int]) -> bool:
        for part in conjuncts:  # noqa: SIM110 - twice as fast as `all`, and evaluated on every final state
            if not part(words):
                return False
        return True

    return holds


def _any_of(disjuncts: Sequence[Predicate]) -> Predicate:
    def holds(words: Sequence[int]) -> bool:
        for part in disjuncts:  # noqa: SIM110 - twice as fast as `any`, and evaluated on every final state
            if part(words):
                return True
        return False

    return holds


def _comparison(formula: Compare, places: Mapping[Term, int], bases: Mapping[str, int]) -> Predicate:
    term, value = formula.term, formula.value
    at = places[term]
    if isinstance(value, FinalRegister | FinalCell):
        compare, other = _COMPARE[formula.op], places[value]
        return lambda words: compare(shown_value(term, words[at]), shown_value(term, words[other]))
    word = bases[value.name] + value.offset if isinstance(value, Address) else value
    if formula.op is Comparison.EQ:
        mask = (1 << term.width) - 1
        wanted = word & mask
        return lambda words: words[at] & mask == wanted
    compare, right = _COMPARE[formula.op], shown_value(term, word & MASK)
    return lambda words: compare(shown_value(term, words[at]), right)


def satisfies(formula: Formula, values: Mapping[Term, int], bases: Mapping[str, int]) -> bool:
    """Whether a final state satisfies `formula`; `values` gives the 64-bit word behind each term."""
    places = {term: place for place, term in enumerate(values)}
    return predicate(formula, places, bases)(tuple(values.values()))
