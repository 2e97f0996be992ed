"""What operations on floating-point numbers are, as expressions over their IEEE 754 bits.

Those on numbers of 32 bits calculate with 64 bits and round the result: its first rounding changes nothing,
because it keeps more than twice as many digits.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from membar.code import ir
from membar.program.expr import (
    FALSE,
    TRUE,
    WORD,
    Binary,
    BinaryOp,
    Constant,
    Expr,
    Extend,
    Unary,
    UnaryOp,
    blend,
    evaluate,
    negation,
)

_ARITHMETIC = {
    "fadd": BinaryOp.FADD, "fsub": BinaryOp.FSUB, "fmul": BinaryOp.FMUL, "fdiv": BinaryOp.FDIV,
    "frem": BinaryOp.FREM,
}  # fmt: skip
_FUSED = frozenset({"fma", "fmuladd"})
_ON_BITS = frozenset({"fneg", "fabs", "copysign"})
_FROM_INTEGERS: Mapping[str, tuple[UnaryOp, UnaryOp]] = {
    "sitofp": (UnaryOp.F32_OF_I64, UnaryOp.F64_OF_I64),
    "uitofp": (UnaryOp.F32_OF_U64, UnaryOp.F64_OF_U64),
}
_TO_INTEGERS = {"fptosi": UnaryOp.I64_OF_F64, "fptoui": UnaryOp.U64_OF_F64}
_SATURATING = {f"{name}.sat": name for name in _TO_INTEGERS}
_ORDERS = frozenset({"eq", "ne", "gt", "ge", "lt", "le"})
COMPARISONS = frozenset(f"f{order}{word}" for order in "ou" for word in _ORDERS) | {"ford", "funo"}
IS_CLASS = "is.fpclass"
FLOATING = frozenset(
    {*_ARITHMETIC, *_FUSED, *_ON_BITS, *_FROM_INTEGERS, *_TO_INTEGERS, *_SATURATING, *COMPARISONS}
    | {"sqrt", "fpext", "fptrunc", IS_CLASS}
)
FRACTION = {32: 23, 64: 52}
"""The bits of the fraction of a number, by its width."""


def float_expression(operation: str, words: Sequence[Expr], bits: int, result_bits: int) -> Expr | None:
    """What an operation computes; None for what is not known here.

    Args:
        operation: its name in code IR.
        words: its operands.
        bits: the width of the first operand.
        result_bits: the width of the result.
    """
    first = words[0]
    if operation in _FROM_INTEGERS:
        if operation == "sitofp" and bits < WORD:
            first = Extend(first, bits, signed=True)
        return Unary(_FROM_INTEGERS[operation][result_bits == WORD], first)
    if operation in _ON_BITS:
        return _on_bits(operation, words, bits)
    if operation == IS_CLASS:
        return _is_of_class(first, words[1], bits)
    numbers = [_widen(word, bits) for word in words]
    if operation in COMPARISONS:
        return _comparison(operation[1:], *numbers)
    if operation in _TO_INTEGERS:
        found: Expr = Unary(_TO_INTEGERS[operation], numbers[0])
        return found if result_bits == WORD else Extend(found, result_bits, signed=False)
    if operation in _SATURATING:
        return _saturate(_SATURATING[operation], numbers[0], result_bits)
    if operation in _FUSED:
        product = _widen(_narrow(Binary(BinaryOp.FMUL, *numbers[:2]), bits), bits)
        return _narrow(Binary(BinaryOp.FADD, product, numbers[2]), bits)
    if operation in _ARITHMETIC:
        return _narrow(Binary(_ARITHMETIC[operation], *numbers), bits)
    if operation == "sqrt":
        return _narrow(Unary(UnaryOp.SQRT, numbers[0]), bits)
    return _narrow(numbers[0], result_bits) if operation in ("fpext", "fptrunc") else None


def condition_of(operation: str, words: Sequence[Expr], bits: int, result_bits: int) -> Expr:
    """Whether the result of an operation is defined, and the same for all compilers.

    A conversion to an integer must give one of its type. A product to which something is added may be
    rounded first, or not: that must make no difference.
    """
    numbers = [_widen(word, bits) for word in words]
    if operation in _TO_INTEGERS:
        return _is_in_range(operation, numbers[0], result_bits)
    if operation not in _FUSED:
        return TRUE
    if bits == WORD:
        return Binary(BinaryOp.FEXACT, *numbers[:2])
    product = Binary(BinaryOp.FMUL, *numbers[:2])
    is_kept = Binary(BinaryOp.FEQ, product, _widen(_narrow(product, bits), bits))
    return Binary(BinaryOp.OR, is_kept, _is_unordered(product, product))


def may_make_nan(operation: str, type_: ir.Type) -> bool:
    """Whether a result may be no number, although its bits are not those of an operand."""
    return isinstance(type_, ir.Float) and operation not in _ON_BITS and operation not in _FROM_INTEGERS


def is_number(word: Expr, bits: int) -> Expr:
    """Whether the bits are those of a number or an infinity."""
    return Binary(BinaryOp.LE, _magnitude(word, bits), Constant(infinity(bits)))


def compute_float(operation: str, operands: tuple[ir.Constant, ...], type_: ir.Type) -> int | None:
    """The bits of a result; None where it is undefined, is no number, or is not known here."""
    types = [each.type for each in operands] + [type_]
    if any(isinstance(each, ir.Float) and each.bits not in FRACTION for each in types):
        return None
    words = [Constant(each.value) for each in operands]
    bits, result_bits = (each.bits if not isinstance(each, ir.Ptr) else WORD for each in (types[0], type_))
    if max(bits, result_bits) > WORD:
        return None
    found = float_expression(operation, words, bits, result_bits)
    if found is None or not evaluate(condition_of(operation, words, bits, result_bits), {}, {}):
        return None
    result = evaluate(found, {}, {})
    if may_make_nan(operation, type_) and not evaluate(is_number(Constant(result), result_bits), {}, {}):
        return None
    return result


def _widen(word: Expr, bits: int) -> Expr:
    return word if bits == WORD else Unary(UnaryOp.F64_OF_F32, word)


def _narrow(number: Expr, bits: int) -> Expr:
    return number if bits == WORD else Unary(UnaryOp.F32_OF_F64, number)


def infinity(bits: int) -> int:
    """The bits of an infinity without its sign; larger ones are those of what is not a number."""
    return (1 << (bits - 1)) - (1 << FRACTION[bits])


def _magnitude(word: Expr, bits: int) -> Expr:
    return Binary(BinaryOp.AND, word, Constant((1 << (bits - 1)) - 1))


def _on_bits(operation: str, words: Sequence[Expr], bits: int) -> Expr:
    sign = Constant(1 << (bits - 1))
    if operation == "fneg":
        return Binary(BinaryOp.XOR, words[0], sign)
    magnitude = _magnitude(words[0], bits)
    if operation == "fabs":
        return magnitude
    return Binary(BinaryOp.OR, magnitude, Binary(BinaryOp.AND, words[1], sign))


def _is_unordered(left: Expr, right: Expr) -> Expr:
    equal_to_itself = [Binary(BinaryOp.FEQ, each, each) for each in dict.fromkeys((left, right))]
    both = equal_to_itself[0] if len(equal_to_itself) == 1 else Binary(BinaryOp.AND, *equal_to_itself)
    return negation(both)


def _comparison(predicate: str, left: Expr, right: Expr) -> Expr:
    """An ordered comparison (`o`) is false of what is no number; an unordered one (`u`) is true of it."""
    if predicate in ("ord", "uno"):
        found = _is_unordered(left, right)
        return found if predicate == "uno" else negation(found)
    order, word = predicate[0], predicate[1:]
    if order == "u":
        opposite = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}[word]
        return negation(_comparison(f"o{opposite}", left, right))
    if word in ("gt", "ge"):
        left, right = right, left
    less = Binary(BinaryOp.FLT, left, right)
    match word:
        case "eq":
            return Binary(BinaryOp.FEQ, left, right)
        case "ne":
            return Binary(BinaryOp.OR, less, Binary(BinaryOp.FLT, right, left))
        case "lt" | "gt":
            return less
        case _:
            return Binary(BinaryOp.FLE, left, right)


def _constant(value: float) -> Constant:
    return Constant(int.from_bytes(struct.pack("<d", value), "little"))


def _is_in_range(operation: str, number: Expr, bits: int) -> Expr:
    """Whether a number without its fraction is an integer of so many bits."""
    below = _constant(2.0 ** (bits - 1 if operation == "fptosi" else bits))
    is_below = Binary(BinaryOp.FLT, number, below)
    if operation == "fptoui":
        is_above = Binary(BinaryOp.FLT, _constant(-1.0), number)
    elif bits <= FRACTION[WORD]:
        is_above = Binary(BinaryOp.FLT, _constant(-(2.0 ** (bits - 1)) - 1), number)
    else:  # there is no number between the least integer and the one before it
        is_above = Binary(BinaryOp.FLE, _constant(-(2.0 ** (bits - 1))), number)
    return Binary(BinaryOp.AND, is_above, is_below)


def _saturate(operation: str, number: Expr, bits: int) -> Expr:
    found: Expr = Unary(_TO_INTEGERS[operation], number)
    if bits == WORD:
        return found
    if operation == "fptoui":
        most = Constant((1 << bits) - 1)
        return blend(Binary(BinaryOp.LT, most, found), most, found)
    least, most = Constant(-(1 << (bits - 1))), Constant((1 << (bits - 1)) - 1)
    found = blend(Binary(BinaryOp.SLT, most, found), most, found)
    return Extend(blend(Binary(BinaryOp.SLT, found, least), least, found), bits, signed=False)


def _is_of_class(word: Expr, classes: Expr, bits: int) -> Expr | None:
    """Whether a number is of one of these classes; None for one kind of NaN without the other."""
    if not isinstance(classes, Constant) or (classes.value & 3) in (1, 2):
        return None
    largest, normal = infinity(bits), 1 << FRACTION[bits]
    ranges = [(largest, largest), (normal, largest - 1), (1, normal - 1), (0, 0)]
    sign = 1 << (bits - 1)
    ranges = [*((low + sign, high + sign) for low, high in ranges), *reversed(ranges)]
    found: Expr = negation(is_number(word, bits)) if classes.value & 3 else FALSE
    for number, (low, high) in enumerate(ranges, start=2):
        if classes.value >> number & 1:
            distance = Binary(BinaryOp.SUB, word, Constant(low))
            is_inside = Binary(BinaryOp.LE, distance, Constant(high - low))
            found = is_inside if found == FALSE else Binary(BinaryOp.OR, found, is_inside)
    return found
