"""Numbers of 128 bits, which only atomic accesses have: one word that stands for both halves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from membar.code import ir
from membar.code.lowering.refusal import NotSupportedError
from membar.code.wide import HIGH, LOW, PAIR
from membar.program.expr import FALSE, TRUE, Binary, BinaryOp, Constant, Expr, Register, Unary, UnaryOp
from membar.program.operations import Set
from membar.program.wide_cells import RANGE, code_of, fits, high_code, join_codes, low_code, number_of

if TYPE_CHECKING:
    from membar.code.lowering.thread import ThreadLowering

OPERATIONS = frozenset({PAIR, LOW, HIGH})
_OTHERS = f"16-byte values other than {RANGE}"
_BITWISE = {"and": BinaryOp.AND, "or": BinaryOp.OR, "xor": BinaryOp.XOR, "nand": BinaryOp.AND}


def lower_wide(thread: ThreadLowering, item: ir.Compute) -> None:
    """A number from its halves, or one of these."""
    words = [_keep(thread, thread.value(each, item), item) for each in item.operands]
    if thread.flow.state is None:
        return
    if item.operation == PAIR:
        known = [thread.codes.get(word.name) if isinstance(word, Register) else None for word in words]
        new = [word for word, code in zip(words, known, strict=True) if code is None]
        follow_only(thread, _all_fit(*new), item)
        low, high = (code or code_of(word) for word, code in zip(words, known, strict=True))
        thread.values[item.result.name] = _keep(thread, join_codes(low, high), item)
        return
    code = (low_code if item.operation == LOW else high_code)(words[0])
    number = _keep(thread, number_of(code), item)
    if isinstance(number, Register):
        thread.codes[number.name] = code
    thread.values[item.result.name] = number


def updated_pair(item: ir.Update, old: Expr, word: Expr) -> tuple[Expr, Expr]:
    """What a read-modify-write of 16 bytes stores, and whether that fits.

    Raises:
        NotSupportedError: an operation that is not one of C.
    """
    if item.operation == "xchg":
        return word, TRUE
    left, right = ((number_of(low_code(each)), number_of(high_code(each))) for each in (old, word))
    halves: list[Expr]
    if item.operation in _BITWISE:
        halves = [
            Binary(_BITWISE[item.operation], one, other) for one, other in zip(left, right, strict=True)
        ]
        halves = [Unary(UnaryOp.INVERT, each) if item.operation == "nand" else each for each in halves]
    elif item.operation in {"add", "sub"}:
        op = BinaryOp.ADD if item.operation == "add" else BinaryOp.SUB
        low = Binary(op, left[0], right[0])
        carry = Binary(BinaryOp.LT, *((low, left[0]) if item.operation == "add" else (left[0], right[0])))
        halves = [low, Binary(op, Binary(op, left[1], right[1]), carry)]
    else:
        raise NotSupportedError(f"the atomic operation `{item.operation}` on 16 bytes", item.place)
    return join_codes(*map(code_of, halves)), _all_fit(*halves)


def follow_only(thread: ThreadLowering, condition: Expr, item: ir.Instruction) -> None:
    """Goes on only where numbers fit."""
    if isinstance(condition, Constant):
        condition = TRUE if condition.value else FALSE
    thread.flow.follow_only(condition, _OTHERS, thread.context.span(item.place))


def _all_fit(*numbers: Expr) -> Expr:
    found: Expr = TRUE
    for number in numbers:
        each = fits(number)
        found = each if found == TRUE else found if each == TRUE else Binary(BinaryOp.AND, found, each)
    return found


def _keep(thread: ThreadLowering, word: Expr, item: ir.Instruction) -> Expr:
    """A word that may be used more than once: in a register, unless it is small."""
    if not isinstance(word, Binary | Unary) or thread.flow.state is None:
        return word
    register = thread.flow.register()
    thread.flow.emit(Set(register, word), thread.context.span(item.place))
    return Register(register)
