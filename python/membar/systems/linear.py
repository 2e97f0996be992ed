"""Linear sums in normal form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from membar.systems.terms import Access, Basic, EventValue, Linear, Place, Term

if TYPE_CHECKING:
    from fractions import Fraction


def linear(kind: Basic, constant: Fraction, terms: Iterable[tuple[Fraction, Place]]) -> Linear | Place:
    """`constant + Σ factor · place` with equal places joined; a bare place is just that."""
    from fractions import Fraction  # noqa: PLC0415 - most systems have no numbers

    factors: dict[Place, Fraction] = {}
    for factor, place in terms:
        factors[place] = factors.get(place, Fraction(0)) + factor
    kept = tuple((factor, place) for place, factor in factors.items() if factor != 0)
    if constant == 0 and len(kept) == 1 and kept[0][0] == 1:
        return kept[0][1]
    return Linear(kind, constant, kept)


def total(kind: Basic, constant: Fraction, terms: Iterable[tuple[Fraction, Term]]) -> Linear | Place:
    """`constant + Σ factor · term` for numeric terms, as one sum.

    Raises:
        TypeError: a term is no number.
    """
    parts: list[tuple[Fraction, Place]] = []
    for factor, term in terms:
        match term:
            case Access() | EventValue():
                parts.append((factor, term))
            case Linear():
                constant += factor * term.constant
                parts += ((factor * inner, place) for inner, place in term.terms)
            case _:
                raise TypeError(f"{term} is not a number")
    return linear(kind, constant, parts)
