"""Ranges of thread numbers and of their sums with constants, so that no overflow goes unnoticed."""

from __future__ import annotations

from typing import Final, TypeAlias

from membar.program.expr import BinaryOp
from membar.records import replace
from membar.systems.lifting.values import AtHead, CannotLiftError, Count, Identity, Tally

MOST_THREADS: Final = 1 << 30
"""There are at most so many threads: then the number of one and a small constant add up to an `int`."""
WORD: Final = 64

# What depends on how many threads there are, or on which of them it is.
Counted: TypeAlias = Identity | Count | AtHead | Tally


def range_of(width: int, *, is_signed: bool) -> tuple[int, int]:
    """The least and the greatest number of a type. As words of 64 bits all are read as signed."""
    if is_signed or width >= WORD:
        return -(1 << (width - 1)), (1 << (width - 1)) - 1
    return 0, (1 << width) - 1


def bounds(value: Counted) -> tuple[int, int]:
    """The least and the greatest number that it can be."""
    match value:
        case Identity(offset=offset):
            return offset, offset + MOST_THREADS - 1
        case Count(offset=offset):
            return offset + 1, offset + MOST_THREADS
        case AtHead():
            return 0, MOST_THREADS
        case Tally(offset=offset, has_own=has_own):
            return offset, offset + MOST_THREADS - (0 if has_own else 1)


def add_constant(value: Identity | Count | Tally, distance: int) -> Identity | Count | Tally:
    """The value plus a constant.

    Raises:
        CannotLiftError: for some thread it leaves the words of 64 bits.
    """
    found = replace(value, offset=value.offset + distance)
    low, high = bounds(found)
    least, most = range_of(WORD, is_signed=True)
    if low < least or high > most:
        raise CannotLiftError("the sum of a thread number and a constant, which may wrap around")
    return found


def window(value: Counted, width: int, *, is_signed: bool) -> Counted | None:
    """The value as a number of `width` bits; None: for some threads it wraps around, for others not."""
    low, high = bounds(value)
    least, most = range_of(width, is_signed=is_signed)
    if high - low > most - least:
        raise CannotLiftError(f"a thread number in {width} bits")
    turns = (low - least) >> width
    if (high - least) >> width != turns:
        return None
    return value if turns == 0 or isinstance(value, AtHead) else add_constant(value, -turns << width)


def compare_for_all(op: BinaryOp, value: Counted, number: int) -> bool | None:
    """Whether `value op number`, if that is the same for all threads and all numbers of them."""
    low, high = bounds(value)
    if op is BinaryOp.EQ:
        return None if low <= number <= high else False
    last = number - 1 if op in (BinaryOp.LT, BinaryOp.SLT) else number
    if high <= last:
        return True
    return False if low > last else None
