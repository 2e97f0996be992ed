"""What arithmetic leaves in the flags CF, ZF, SF and OF, each a register that is 0 or 1."""

from __future__ import annotations

from membar.languages.litmus.dialects.x86.mnemonics import CARRY, OVERFLOW, SIGN, ZERO
from membar.program.expr import (
    FALSE,
    TRUE,
    Binary,
    BinaryOp,
    Constant,
    Expr,
    Extend,
    Register,
    Select,
    equals,
)
from membar.program.operations import Set


def bit(value: Expr, number: int) -> Expr:
    """Bit `number` of `value`, as 0 or 1."""
    return Binary(BinaryOp.AND, Binary(BinaryOp.SHR, value, Constant(number)), TRUE)


def of_result(result: Expr, width: int) -> tuple[Set, ...]:
    """ZF and SF of a result that fits into `width` bits."""
    return Set(ZERO, equals(result, FALSE)), Set(SIGN, bit(result, width - 1))


def of_logic(result: Expr, width: int) -> tuple[Set, ...]:
    """AND, OR, XOR, TEST: no carry and no overflow."""
    return *of_result(result, width), Set(CARRY, FALSE), Set(OVERFLOW, FALSE)


def of_sum(left: Expr, right: Expr, result: Expr, width: int, *, carry: bool = True) -> tuple[Set, ...]:
    """`left + right`, all of `width` bits. INC leaves the carry alone."""
    both = Binary(BinaryOp.AND, Binary(BinaryOp.XOR, left, result), Binary(BinaryOp.XOR, right, result))
    carried = (Set(CARRY, Binary(BinaryOp.LT, result, left)),) if carry else ()
    return *of_result(result, width), *carried, Set(OVERFLOW, bit(both, width - 1))


def of_difference(
    left: Expr, right: Expr, result: Expr, width: int, *, carry: bool = True
) -> tuple[Set, ...]:
    """`left - right`, all of `width` bits. DEC leaves the carry alone."""
    both = Binary(BinaryOp.AND, Binary(BinaryOp.XOR, left, right), Binary(BinaryOp.XOR, left, result))
    borrowed = (Set(CARRY, Binary(BinaryOp.LT, left, right)),) if carry else ()
    return *of_result(result, width), *borrowed, Set(OVERFLOW, bit(both, width - 1))


def of_shift(mnemonic: str, left: Expr, count: Expr, result: Expr, width: int) -> tuple[Set, ...]:
    """SHL, SHR, SAR by `count`; a count of 0 changes no flag.

    OF is defined by the architecture for a count of 1 only; the same formula is used for all counts.
    """
    if mnemonic == "SHL":
        away = Binary(BinaryOp.SUB, Constant(width), count)
        carry = Binary(BinaryOp.AND, Binary(BinaryOp.SHR, left, away), TRUE)
        overflow: Expr = Binary(BinaryOp.XOR, bit(result, width - 1), carry)
    else:
        shifted = left if mnemonic == "SHR" else Extend(left, width, signed=True)
        away = Binary(BinaryOp.SUB, count, TRUE)
        carry = Binary(
            BinaryOp.AND, Binary(BinaryOp.SAR if mnemonic == "SAR" else BinaryOp.SHR, shifted, away), TRUE
        )
        overflow = bit(left, width - 1) if mnemonic == "SHR" else FALSE
    changes = (*of_result(result, width), Set(CARRY, carry), Set(OVERFLOW, overflow))
    if isinstance(count, Constant):
        return changes if count.value else ()
    return tuple(
        Set(change.register, Select(count, change.value, Register(change.register))) for change in changes
    )
