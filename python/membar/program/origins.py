"""Which reads a value depends on, by data and by selection.

A value depends by *data* on the reads that it was computed from, and by *pick* on those that only decided
which source a select took: hardware may speculate on such a decision. So `Select` passes on the data
dependencies of the source that it takes under the actual values, and a pick dependency on everything in its
condition. All other operators pass on both kinds from all their operands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from membar.program.expr import Address, Binary, Constant, Expr, Extend, Register, Select, Unary, evaluate
from membar.records import record

Reads: TypeAlias = frozenset[int]
NO_READS: Reads = frozenset()


@record(frozen=True, slots=True)
class Origins:
    """The reads, by event number, that a value depends on.

    Attributes:
        data: the value was computed from theirs.
        pick: theirs decided what it was computed from.
    """

    data: Reads = NO_READS
    pick: Reads = NO_READS

    def __or__(self, other: Origins) -> Origins:
        """Both together."""
        if other is NOWHERE:
            return self
        if self is NOWHERE:
            return other
        return Origins(self.data | other.data, self.pick | other.pick)

    @property
    def all(self) -> Reads:
        """By data or by pick."""
        return self.data | self.pick


NOWHERE = Origins()


def origins_of(
    expr: Expr, known: Mapping[str, Origins], registers: Mapping[str, int], bases: Mapping[str, int]
) -> Origins:
    """The origins of the value of `expr`.

    Args:
        expr: what is computed.
        known: the origins of the registers; one that is not listed has none.
        registers: their values, which say what selections take.
        bases: the addresses of the objects, as for `evaluate`.
    """
    match expr:
        case Constant() | Address():
            return NOWHERE
        case Register(name=name):
            return known.get(name, NOWHERE)
        case Unary(operand=operand) | Extend(operand=operand):
            return origins_of(operand, known, registers, bases)
        case Binary(left=left, right=right):
            return origins_of(left, known, registers, bases) | origins_of(right, known, registers, bases)
        case Select(condition=condition, then=then, otherwise=otherwise):
            decided = origins_of(condition, known, registers, bases)
            taken = then if evaluate(condition, registers, bases) else otherwise
            return origins_of(taken, known, registers, bases) | Origins(pick=decided.all)
