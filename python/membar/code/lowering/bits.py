"""Operations on the bits of a word that no expression of a Program says: counting and reversing them."""

from __future__ import annotations

from collections.abc import Callable

from membar.program.expr import Binary, BinaryOp, Constant, Expr, Unary, UnaryOp

Keep = Callable[[Expr], Expr]
"""Puts a word into a register, so that it can be used more than once."""
_REVERSALS = {"bswap": 8, "bitreverse": 1}
OPERATIONS = frozenset({"ctpop", "ctlz", "cttz", "abs", *_REVERSALS})


def bit_operation(operation: str, word: Expr, bits: int, keep: Keep) -> Expr:
    """The result of one of `OPERATIONS` on a word of so many bits, the others 0."""
    ones = Constant((1 << bits) - 1)
    word = keep(word)
    if operation == "ctpop":
        return _number_of_ones(word, bits, keep)
    if operation == "cttz":  # the zeros at the end are the ones of this
        ends = _and(Unary(UnaryOp.INVERT, word), Binary(BinaryOp.SUB, word, Constant(1)))
        return _number_of_ones(keep(_and(ends, ones)), bits, keep)
    if operation == "ctlz":
        shift = 1
        while shift < bits:
            word = keep(Binary(BinaryOp.OR, word, _right(word, shift)))
            shift *= 2
        return Binary(BinaryOp.SUB, Constant(bits), _number_of_ones(word, bits, keep))
    if operation == "abs":
        sign = keep(Binary(BinaryOp.SUB, Constant(0), _right(word, bits - 1)))  # all ones if it is negative
        return _and(Binary(BinaryOp.SUB, Binary(BinaryOp.XOR, word, sign), sign), ones)
    size = bits // 2
    while size >= _REVERSALS[operation]:
        low = Constant(_groups(size, bits))
        swapped = Binary(BinaryOp.OR, _and(_right(word, size), low), _shift_left(_and(word, low), size))
        word = keep(swapped)
        size //= 2
    return word


def _number_of_ones(word: Expr, bits: int, keep: Keep) -> Expr:
    size = 1
    while size < bits:
        low = Constant(_groups(size, 64))
        word = keep(Binary(BinaryOp.ADD, _and(word, low), _and(_right(word, size), low)))
        size *= 2
    return word


def _groups(size: int, bits: int) -> int:
    """Every second group of so many bits, beginning with the lowest."""
    return sum(((1 << size) - 1) << start for start in range(0, bits, 2 * size))


def _and(left: Expr, right: Expr) -> Expr:
    return Binary(BinaryOp.AND, left, right)


def _right(word: Expr, count: int) -> Expr:
    return Binary(BinaryOp.SHR, word, Constant(count))


def _shift_left(word: Expr, count: int) -> Expr:
    return Binary(BinaryOp.SHL, word, Constant(count))
