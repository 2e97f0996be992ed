"""Cells of 16 bytes: two numbers of 8 bytes in one word, so that one event reads or writes both.

Each number has a code of 32 bits: an address its distance from the first one, a number between -2^24 and 2^31
- 2^24 its lowest 31 bits, and an uninitialised value a code of its own. Different pairs of such numbers have
different words, and the word of two zeros is 0. Executions that store other numbers in such a cell are
truncated.
"""

from __future__ import annotations

from membar.program.expr import MASK, TRUE, Address, Binary, BinaryOp, Constant, Expr, evaluate, signed
from membar.program.program import FIRST_ALIGNED, Program

HALF = 32
_ADDRESS = 1 << (HALF - 1)  # the bit that says so
_NUMBER = _ADDRESS - 1
_MOST_NEGATIVE = 1 << 24
_COUNT = _ADDRESS - _MOST_NEGATIVE  # of addresses
UNSET = 0xA11C_5E7A_B1E5_0000
"""What 8 bytes hold that were never set."""
_UNSET_CODE = _ADDRESS - _MOST_NEGATIVE
_FROM_UNSET = UNSET + _MOST_NEGATIVE  # the code of such memory is that of the number below the least
RANGE = "addresses, and numbers from -16,777,215 to 2,130,706,431"


def fits(number: Expr) -> Expr:
    """Whether a number has a code."""
    if isinstance(number, Address):
        return TRUE
    moved = _op(BinaryOp.ADD, number, Constant(_MOST_NEGATIVE - 1))
    is_small = _op(BinaryOp.LT, moved, Constant(_ADDRESS - 1))
    others = _op(BinaryOp.OR, _is_address(number), _op(BinaryOp.EQ, number, Constant(UNSET)))
    return _simplified(_op(BinaryOp.OR, is_small, others), number)


def code_of(number: Expr) -> Expr:
    """The code of a number that fits."""
    is_address = _is_address(number)
    is_unset = _op(BinaryOp.EQ, number, Constant(UNSET))
    moved = _op(BinaryOp.SUB, number, _op(BinaryOp.MUL, is_address, Constant(FIRST_ALIGNED)))
    moved = _op(BinaryOp.SUB, moved, _op(BinaryOp.MUL, is_unset, Constant(_FROM_UNSET)))
    mark = _op(BinaryOp.SHL, is_address, Constant(HALF - 1))
    return _simplified(_op(BinaryOp.OR, _op(BinaryOp.AND, moved, Constant(_NUMBER)), mark), number)


def number_of(code: Expr) -> Expr:
    """The number that a code stands for."""
    moved = _op(BinaryOp.AND, _op(BinaryOp.ADD, code, Constant(_MOST_NEGATIVE)), Constant(_NUMBER))
    number = _op(BinaryOp.SUB, moved, Constant(_MOST_NEGATIVE))
    is_unset = _op(BinaryOp.EQ, code, Constant(_UNSET_CODE))
    is_address = _op(BinaryOp.SHR, code, Constant(HALF - 1))
    number = _op(BinaryOp.ADD, number, _op(BinaryOp.MUL, is_address, Constant(FIRST_ALIGNED)))
    return _simplified(_op(BinaryOp.ADD, number, _op(BinaryOp.MUL, is_unset, Constant(_FROM_UNSET))), code)


def join_codes(low: Expr, high: Expr) -> Expr:
    """The word of two codes."""
    return _simplified(_op(BinaryOp.OR, low, _op(BinaryOp.SHL, high, Constant(HALF))), low, high)


def low_code(word: Expr) -> Expr:
    """The code of the lower number of a word."""
    return _simplified(_op(BinaryOp.AND, word, Constant((1 << HALF) - 1)), word)


def high_code(word: Expr) -> Expr:
    """The code of the upper number of a word."""
    return _simplified(_op(BinaryOp.SHR, word, Constant(HALF)), word)


def word_of(low: int, high: int) -> int | None:
    """The word of two numbers; None if one of them does not fit."""
    both = Constant(low & MASK), Constant(high & MASK)
    if not all(evaluate(fits(number), {}, {}) for number in both):
        return None
    return evaluate(join_codes(*map(code_of, both)), {}, {})


def numbers_of(word: int) -> tuple[int, int]:
    """The two numbers of a word."""
    low, high = (number_of(code(Constant(word))) for code in (low_code, high_code))
    return evaluate(low, {}, {}), evaluate(high, {}, {})


def shown_pair(program: Program, word: int) -> str:
    """`{&node, 3}`: both numbers, for reports."""
    shown = [
        "uninitialised" if number == UNSET else program.name_of_address(number) or str(signed(number))
        for number in numbers_of(word)
    ]
    return f"{{{', '.join(shown)}}}"


def _op(op: BinaryOp, left: Expr, right: Expr) -> Expr:
    return Binary(op, left, right)


def _simplified(found: Expr, *parts: Expr) -> Expr:
    """A constant if all parts are."""
    are_known = all(isinstance(part, Constant) for part in parts)
    return Constant(evaluate(found, {}, {})) if are_known else found


def _is_address(number: Expr) -> Expr:
    distance = _op(BinaryOp.SUB, number, Constant(FIRST_ALIGNED))
    return _op(BinaryOp.LT, distance, Constant(_COUNT))
