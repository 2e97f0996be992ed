"""Arithmetic of code IR as expressions of a `Program`.

A value of N bits is held as a word whose other bits are 0. No operand is dropped, even where the result does
not depend on it: dependencies are part of the meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from membar.program.expr import (
    FALSE,
    MASK,
    TRUE,
    WORD,
    Binary,
    BinaryOp,
    Constant,
    Expr,
    Extend,
    Select,
    Unary,
    UnaryOp,
    blend,
    evaluate,
    is_truth,
    negation,
)


class UnknownOperationError(Exception):
    """An operation that no expression says."""


_WRAPPING = {"add": BinaryOp.ADD, "sub": BinaryOp.SUB, "mul": BinaryOp.MUL, "shl": BinaryOp.SHL}
_SAME = {
    "and": BinaryOp.AND, "or": BinaryOp.OR, "xor": BinaryOp.XOR, "udiv": BinaryOp.DIV, "urem": BinaryOp.REM,
    "lshr": BinaryOp.SHR,
}  # fmt: skip
_SIGNED = {"sdiv": BinaryOp.SDIV, "srem": BinaryOp.SREM}
_COMPARED = {
    "eq": (BinaryOp.EQ, False), "ne": (BinaryOp.NE, False), "ult": (BinaryOp.LT, False),
    "ule": (BinaryOp.LE, False), "slt": (BinaryOp.SLT, True), "sle": (BinaryOp.SLE, True),
}  # fmt: skip
_SWAPPED = {"ugt": "ult", "uge": "ule", "sgt": "slt", "sge": "sle"}
_LESS = {"umin": "ult", "umax": "ult", "smin": "slt", "smax": "slt"}


def expression(operation: str, operands: Sequence[Expr], bits: int, result_bits: int) -> Expr:
    """What an operation computes; a constant if its operands are.

    Args:
        operation: its name in code IR.
        operands: their words.
        bits: the width of the operands.
        result_bits: the width of the result.

    Raises:
        UnknownOperationError: none of these.
    """
    found = _expression(operation, operands, bits, result_bits)
    return Constant(evaluate(found, {}, {})) if all(isinstance(x, Constant) for x in operands) else found


def _expression(operation: str, operands: Sequence[Expr], bits: int, result_bits: int) -> Expr:
    if max(bits, result_bits) > WORD:
        raise UnknownOperationError
    convert = _CONVERSIONS.get(operation)
    if convert is not None:
        return convert(operands[0], bits, result_bits)
    if len(operands) != 2:
        raise UnknownOperationError
    left, right = operands
    if operation in _SWAPPED:
        operation, left, right = _SWAPPED[operation], right, left
    if operation in _COMPARED:
        return _comparison(operation, left, right, bits)
    if operation in _WRAPPING:
        return zero_extend(Binary(_WRAPPING[operation], left, right), bits)
    if operation == "xor" and bits == 1 and right == TRUE:
        return _negate(left)
    if operation in _SAME:
        return Binary(_SAME[operation], left, right)
    if operation in _SIGNED:
        return zero_extend(
            Binary(_SIGNED[operation], sign_extend(left, bits), sign_extend(right, bits)), bits
        )
    if operation == "ashr":
        return zero_extend(Binary(BinaryOp.SAR, sign_extend(left, bits), right), bits)
    if operation in _LESS:
        less = _comparison(_LESS[operation], left, right, bits)
        return blend(less, left, right) if operation.endswith("min") else blend(less, right, left)
    if operation.endswith(".overflows"):
        return negation(fits(operation[1:].split(".")[0], left, right, bits, is_signed=operation[0] == "s"))
    raise UnknownOperationError


def _comparison(operation: str, left: Expr, right: Expr, bits: int) -> Expr:
    op, is_signed = _COMPARED[operation]
    if is_signed:
        left, right = sign_extend(left, bits), sign_extend(right, bits)
    elif op in (BinaryOp.EQ, BinaryOp.NE) and right == FALSE and is_truth(left):
        return (
            left if op is BinaryOp.NE else _negate(left)
        )  # `(a < b) != 0`, as conditions of C are written out
    return Binary(op, left, right)


def _negate(condition: Expr) -> Expr:
    match condition:
        case Unary(op=UnaryOp.NOT, operand=operand) if is_truth(operand):
            return operand
        case _:
            return negation(condition)


def zero_extend(value: Expr, bits: int) -> Expr:
    """The low bits of a word, the others 0."""
    if bits >= WORD:
        return value
    if isinstance(value, Constant):
        return Constant(value.value & ((1 << bits) - 1))
    return Extend(value, bits, signed=False)


def sign_extend(value: Expr, bits: int) -> Expr:
    """A value of so many bits as a signed word."""
    if bits >= WORD:
        return value
    if isinstance(value, Constant):
        sign = 1 << (bits - 1)
        return Constant((value.value & (sign - 1)) - (value.value & sign))
    if isinstance(value, Extend) and not value.signed and value.width == bits:
        value = value.operand
    return Extend(value, bits, signed=True)


def fits(operation: str, left: Expr, right: Expr, bits: int, *, is_signed: bool) -> Expr:
    """Whether the result of `add`, `sub`, `mul` or `shl` can be said in so many bits.

    Raises:
        UnknownOperationError: not known for this width.
    """
    op = _WRAPPING.get(operation)
    if op is None or operation == "shl":
        raise UnknownOperationError
    if is_signed and bits <= WORD // 2:
        exact = Binary(op, sign_extend(left, bits), sign_extend(right, bits))
        return Binary(BinaryOp.EQ, exact, Extend(exact, bits, signed=True))
    if not is_signed and bits <= WORD // 2 and operation != "sub":
        exact = Binary(op, left, right)
        return Binary(BinaryOp.EQ, exact, Extend(exact, bits, signed=False))
    if not is_signed and operation == "sub":
        return Binary(BinaryOp.LE, right, left)
    wrapped = zero_extend(Binary(op, left, right), bits)
    if not is_signed and operation == "add":
        return Binary(BinaryOp.LE, left, wrapped)
    if operation == "mul":
        return _product_fits(left, right, bits, is_signed=is_signed)
    # The sign of the result differs from what both operands say it must be.
    other = right if operation == "add" else Unary(UnaryOp.INVERT, right)
    wrong = Binary(BinaryOp.AND, Binary(BinaryOp.XOR, left, wrapped), Binary(BinaryOp.XOR, other, wrapped))
    return Binary(BinaryOp.SLE, FALSE, sign_extend(wrong, bits))


def _product_fits(left: Expr, right: Expr, bits: int, *, is_signed: bool) -> Expr:
    """Whether the product, divided again, gives the factor back."""
    if bits != WORD:
        raise UnknownOperationError
    product = Binary(BinaryOp.MUL, left, right)
    divide = BinaryOp.SDIV if is_signed else BinaryOp.DIV
    is_back = Binary(BinaryOp.EQ, Binary(divide, product, right), left)
    is_fine = Binary(BinaryOp.OR, Binary(BinaryOp.EQ, right, FALSE), is_back)
    if is_signed:
        least, minus = Constant(1 << (WORD - 1)), Constant(-1)
        is_least = Binary(BinaryOp.EQ, left, least)
        is_wrong = Binary(BinaryOp.AND, is_least, Binary(BinaryOp.EQ, right, minus))
        is_fine = Binary(BinaryOp.AND, is_fine, negation(is_wrong))
    return is_fine


def unset_bits(
    operation: str, words: Sequence[Expr], masks: Sequence[Expr], bits: int, result_bits: int
) -> Expr:
    """The bits of a result that were never set, if those in `masks` of its operands were not.

    A bit that the other operand decides (`x & 0`) is set.
    """
    if operation not in ("and", "or", "xor"):  # moves and shifts, the distance of which is a constant
        given = (masks[0], words[1]) if operation in ("shl", "lshr") else masks[:1]
        return expression(operation, given, bits, result_bits)
    (left, right), (one, other) = words, masks
    if operation == "or":
        left, right = (_both("xor", each, Constant((1 << bits) - 1)) for each in (left, right))
    if operation == "xor":
        return _both("or", one, other)
    kept = _both("or", _both("and", one, right), _both("and", other, left))
    return _both("or", kept, _both("and", one, other))


def _both(operation: str, left: Expr, right: Expr) -> Expr:
    """`left operation right`, without what constants decide."""
    if operation == "and" and FALSE in (left, right):
        return FALSE
    if operation == "or" and FALSE in (left, right):
        return right if left == FALSE else left
    return expression(operation, (left, right), WORD, WORD)


def is_zero(value: Expr) -> Expr:
    """Whether a word is 0."""
    return expression("eq", (value, FALSE), WORD, 1)


def _extend(value: Expr, bits: int, result_bits: int) -> Expr:
    return zero_extend(sign_extend(value, bits), result_bits)


def _keep(value: Expr, bits: int, result_bits: int) -> Expr:
    return value if result_bits >= bits else zero_extend(value, result_bits)


_CONVERSIONS: Mapping[str, Callable[[Expr, int, int], Expr]] = {
    "zext": _keep,
    "trunc": _keep,
    "inttoptr": _keep,
    "ptrtoint": _keep,
    "ptrtoaddr": _keep,
    "bitcast": _keep,
    "freeze": _keep,
    "sext": _extend,
}


def check_of(check: str, operation: str, operands: Sequence[Expr], bits: int) -> Expr | None:
    """The condition under which what `checks` names does not happen; None if it always does not."""
    left, right = operands
    if check in {"signed-overflow", "unsigned-overflow"} and operation != "shl":
        is_fine = fits(operation, left, right, bits, is_signed=check == "signed-overflow")
    elif check == "inexact":
        is_fine = _exact(operation, left, right, bits)
    elif check == "overlap":
        is_fine = Binary(BinaryOp.EQ, Binary(BinaryOp.AND, left, right), FALSE)
    elif check == "signed-shift":
        is_fine = _keeps_bits(left, right, bits)
    else:
        raise UnknownOperationError
    return None if is_fine == TRUE else is_fine


def _keeps_bits(left: Expr, right: Expr, bits: int) -> Expr:
    """Whether a left shift of a signed number loses nothing; a bit may go into the sign, as in GNU C."""
    signed = Extend(left, bits, signed=True)
    lost = Binary(BinaryOp.SHR, left, Binary(BinaryOp.SUB, Constant(bits), right))
    kept = Binary(BinaryOp.SAR, signed, Binary(BinaryOp.SUB, Constant(bits - 1), right))
    return Select(
        Binary(BinaryOp.SLT, signed, FALSE),
        Binary(BinaryOp.EQ, kept, Constant(MASK)),
        Binary(BinaryOp.EQ, lost, FALSE),
    )


def _exact(operation: str, left: Expr, right: Expr, bits: int) -> Expr:
    if operation in {"lshr", "ashr"}:
        back = Binary(BinaryOp.SHL, Binary(BinaryOp.SHR, left, right), right)
        return Binary(BinaryOp.EQ, zero_extend(back, bits), left)
    rest = "urem" if operation == "udiv" else "srem"
    return Binary(BinaryOp.EQ, expression(rest, (left, right), bits, bits), FALSE)
