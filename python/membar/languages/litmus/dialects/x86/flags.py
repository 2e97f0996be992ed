"""What arithmetic leaves in the flags CF, ZF, SF and OF, each a register that is 0 or 1."""

from __future__ import annotations

from membar.languages.litmus.dialects.x86.mnemonics import CARRY, OVERFLOW, SIGN, ZERO
from membar.program import expr as e
from membar.program.operations import Set


def bit(value: e.Expr, number: int) -> e.Expr:
    """Bit `number` of `value`, as 0 or 1."""
    return e.Binary(e.BinaryOp.AND, e.Binary(e.BinaryOp.SHR, value, e.Constant(number)), e.TRUE)


def of_result(result: e.Expr, width: int) -> tuple[Set, ...]:
    """ZF and SF of a result that fits into `width` bits."""
    return Set(ZERO, e.equals(result, e.FALSE)), Set(SIGN, bit(result, width - 1))


def of_logic(result: e.Expr, width: int) -> tuple[Set, ...]:
    """AND, OR, XOR, TEST: no carry and no overflow."""
    return *of_result(result, width), Set(CARRY, e.FALSE), Set(OVERFLOW, e.FALSE)


def of_sum(left: e.Expr, right: e.Expr, result: e.Expr, width: int, *, carry: bool = True) -> tuple[Set, ...]:
    """`left + right`, all of `width` bits. INC leaves the carry alone."""
    both = e.Binary(
        e.BinaryOp.AND, e.Binary(e.BinaryOp.XOR, left, result), e.Binary(e.BinaryOp.XOR, right, result)
    )
    carried = (Set(CARRY, e.Binary(e.BinaryOp.LT, result, left)),) if carry else ()
    return *of_result(result, width), *carried, Set(OVERFLOW, bit(both, width - 1))


def of_difference(
    left: e.Expr, right: e.Expr, result: e.Expr, width: int, *, carry: bool = True
) -> tuple[Set, ...]:
    """`left - right`, all of `width` bits. DEC leaves the carry alone."""
    both = e.Binary(
        e.BinaryOp.AND, e.Binary(e.BinaryOp.XOR, left, right), e.Binary(e.BinaryOp.XOR, left, result)
    )
    borrowed = (Set(CARRY, e.Binary(e.BinaryOp.LT, left, right)),) if carry else ()
    return *of_result(result, width), *borrowed, Set(OVERFLOW, bit(both, width - 1))


def of_shift(mnemonic: str, left: e.Expr, count: e.Expr, result: e.Expr, width: int) -> tuple[Set, ...]:
    """SHL, SHR, SAR by `count`; a count of 0 changes no flag.

    OF is defined by the architecture for a count of 1 only; the same formula is used for all counts.
    """
    if mnemonic == "SHL":
        away = e.Binary(e.BinaryOp.SUB, e.Constant(width), count)
        carry = e.Binary(e.BinaryOp.AND, e.Binary(e.BinaryOp.SHR, left, away), e.TRUE)
        overflow: e.Expr = e.Binary(e.BinaryOp.XOR, bit(result, width - 1), carry)
    else:
        shifted = left if mnemonic == "SHR" else e.Extend(left, width, signed=True)
        away = e.Binary(e.BinaryOp.SUB, count, e.TRUE)
        carry = e.Binary(
            e.BinaryOp.AND,
            e.Binary(e.BinaryOp.SAR if mnemonic == "SAR" else e.BinaryOp.SHR, shifted, away),
            e.TRUE,
        )
        overflow = bit(left, width - 1) if mnemonic == "SHR" else e.FALSE
    changes = (*of_result(result, width), Set(CARRY, carry), Set(OVERFLOW, overflow))
    if isinstance(count, e.Constant):
        return changes if count.value else ()
    return tuple(
        Set(change.register, e.Select(count, change.value, e.Register(change.register))) for change in changes
    )
