"""Expressions made simpler: constants folded, known parts removed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from membar.program.expr import (
    FALSE,
    TRUE,
    Address,
    Binary,
    BinaryOp,
    Constant,
    Expr,
    Extend,
    Register,
    Select,
    Unary,
    UnaryOp,
    evaluate,
    is_truth,
    negation,
)

NOTHING_KNOWN: Mapping[str, int] = {}


def simplify(expr: Expr, leaf: Callable[[Expr], Expr], known: Collection[Expr] = ()) -> Expr:
    """The expression with its leaves replaced, simplified; what is in `known` is true."""
    found = _simplify_parts(expr, leaf, known)
    if found in known and is_truth(found):
        return TRUE
    if known and is_truth(found) and logical_not(found) in known:
        return FALSE
    return found


def _simplify_parts(expr: Expr, leaf: Callable[[Expr], Expr], known: Collection[Expr]) -> Expr:
    match expr:
        case Constant() | Register() | Address():
            return leaf(expr)
        case Unary(op=op, operand=operand):
            return _unary(op, simplify(operand, leaf, known))
        case Binary(op=op, left=left, right=right):
            return _binary(op, simplify(left, leaf, known), simplify(right, leaf, known))
        case Extend(operand=operand, width=width, signed=signed):
            return _fold(Extend(simplify(operand, leaf, known), width, signed))
        case Select(condition=condition, then=then, otherwise=otherwise):
            asked = simplify(condition, leaf, known)
            a, b = simplify(then, leaf, known), simplify(otherwise, leaf, known)
            if isinstance(asked, Constant):
                return a if asked.value else b
            return a if a == b else Select(asked, a, b)


def substitute_values(expr: Expr, values: Mapping[str, Expr], known: Collection[Expr] = ()) -> Expr:
    """The expression with registers replaced by their values."""

    def leaf(item: Expr) -> Expr:
        return values.get(item.name, item) if isinstance(item, Register) else item

    return simplify(expr, leaf, known)


def logical_not(expr: Expr) -> Expr:
    """1 where the expression is 0, else 0."""
    if isinstance(expr, Constant):
        return FALSE if expr.value else TRUE
    if isinstance(expr, Unary) and expr.op is UnaryOp.NOT and is_truth(expr.operand):
        return expr.operand
    if isinstance(expr, Binary) and expr.op in (BinaryOp.EQ, BinaryOp.NE):
        return Binary(BinaryOp.NE if expr.op is BinaryOp.EQ else BinaryOp.EQ, expr.left, expr.right)
    return negation(expr)


def _fold(expr: Expr) -> Expr:
    operands: tuple[Expr, ...]
    match expr:
        case Binary(left=left, right=right):
            operands = (left, right)
        case Unary(operand=operand) | Extend(operand=operand):
            operands = (operand,)
        case _:
            return expr
    if all(isinstance(item, Constant) for item in operands):
        return Constant(evaluate(expr, {}, {}))
    return expr


def _unary(op: UnaryOp, operand: Expr) -> Expr:
    return logical_not(operand) if op is UnaryOp.NOT else _fold(Unary(op, operand))


def _binary(op: BinaryOp, left: Expr, right: Expr) -> Expr:
    found = _fold(Binary(op, left, right))
    if isinstance(found, Constant):
        return found
    zero, one = left == FALSE, right == FALSE
    match op:
        case BinaryOp.AND:
            if zero or one:
                return FALSE
            if left == TRUE and is_truth(right):
                return right
            if right == TRUE and is_truth(left):
                return left
        case BinaryOp.OR:
            if zero or one:
                return right if zero else left
            if TRUE in (left, right) and is_truth(left) and is_truth(right):
                return TRUE
        case BinaryOp.ADD:
            if zero or one:
                return right if zero else left
        case BinaryOp.NE if one and is_truth(left):
            return left
        case BinaryOp.EQ if one and is_truth(left):
            return logical_not(left)
        case BinaryOp.EQ if left == right:
            return TRUE
        case BinaryOp.NE if left == right:
            return FALSE
        case _:
            pass
    return found


def fold(expr: Expr, known: Mapping[str, int] = NOTHING_KNOWN) -> Expr:
    """The expression, as short as the values of the registers in `known` make it."""
    return substitute_values(expr, {name: Constant(value) for name, value in known.items()})


def rename_registers(expr: Expr, names: Mapping[str, str]) -> Expr:
    """The expression with other names of registers."""
    return substitute_values(expr, {name: Register(new) for name, new in names.items()})


def truth(expr: Expr) -> Expr:
    """1 where the expression is not 0."""
    return expr if is_truth(expr) else fold(Binary(BinaryOp.NE, expr, FALSE))


def both(left: Expr, right: Expr) -> Expr:
    """Whether both hold."""
    return fold(Binary(BinaryOp.AND, truth(left), truth(right)))


def either(left: Expr, right: Expr) -> Expr:
    """Whether one of the two holds."""
    return fold(Binary(BinaryOp.OR, truth(left), truth(right)))


def all_of(*parts: Expr) -> Expr:
    """Whether all hold."""
    result: Expr = TRUE
    for part in parts:
        result = both(result, part)
    return result
