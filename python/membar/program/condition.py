"""Final-state conditions: what a litmus test asks about the end of an execution."""

from __future__ import annotations

import enum
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from membar.program.expr import Address, signed


@dataclass(frozen=True, slots=True)
class FinalRegister:
    """The last value of a register of thread number `thread`, seen as `width` bits."""

    thread: int
    register: str
    width: int = 32
    signed: bool = True


@dataclass(frozen=True, slots=True)
class FinalCell:
    """The last value of element `index` of a memory object, seen as `width` bits."""

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


@dataclass(frozen=True, slots=True)
class Compare:
    """`term op value`, e.g. `0:EAX=1`, `[x]=2`, `1:X0=y` (an address), or another term."""

    term: Term
    op: Comparison
    value: int | Address | FinalRegister | FinalCell


@dataclass(frozen=True, slots=True)
class And:
    """Every part holds; with no part: true."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Some part holds; with no part: false."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: Formula


@dataclass(frozen=True, slots=True)
class Implies:
    """If `left` then `right`."""

    left: Formula
    right: Formula


Formula: TypeAlias = Compare | And | Or | Not | Implies
TRUTH: Formula = And(())


class Quantifier(enum.Enum):
    """Over which executions the formula is asked."""

    EXISTS = "exists"
    NOT_EXISTS = "~exists"
    FORALL = "forall"


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalCondition:
    """A litmus test's question.

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


def terms_of(formula: Formula) -> Iterator[Term]:
    """The terms of a formula, left to right, with repetitions."""
    match formula:
        case Compare(term=term, value=value):
            yield term
            if isinstance(value, FinalRegister | FinalCell):
                yield value
        case And(parts=parts) | Or(parts=parts):
            for part in parts:
                yield from terms_of(part)
        case Not(part=part):
            yield from terms_of(part)
        case Implies(left=left, right=right):
            yield from terms_of(left)
            yield from terms_of(right)


_COMPARE: dict[Comparison, Callable[[int, int], bool]] = {
    Comparison.EQ: operator.eq,
    Comparison.NE: operator.ne,
    Comparison.LT: operator.lt,
    Comparison.LE: operator.le,
    Comparison.GT: operator.gt,
    Comparison.GE: operator.ge,
}


def shown(term: Term, word: int) -> int:
    """The number that `term` shows when the 64-bit word behind it is `word`."""
    return signed(word, term.width) if term.signed else word & ((1 << term.width) - 1)


def satisfies(formula: Formula, values: Mapping[Term, int], bases: Mapping[str, int]) -> bool:
    """Whether a final state satisfies `formula`; `values` gives the 64-bit word behind each term."""
    match formula:
        case Compare(term=term, op=op, value=value):
            if isinstance(value, FinalRegister | FinalCell):
                right = values[value]
            elif isinstance(value, Address):
                right = bases[value.name] + value.offset
            else:
                right = value
            return _COMPARE[op](shown(term, values[term]), shown(term, right))
        case And(parts=parts):
            return all(satisfies(part, values, bases) for part in parts)
        case Or(parts=parts):
            return any(satisfies(part, values, bases) for part in parts)
        case Not(part=part):
            return not satisfies(part, values, bases)
        case Implies(left=left, right=right):
            return not satisfies(left, values, bases) or satisfies(right, values, bases)
