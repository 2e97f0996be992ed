"""Constant folding of expressions."""

from __future__ import annotations

from collections.abc import Mapping

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
    evaluate,
    is_truth,
    negation,
    substitute,
)

Known = Mapping[str, int]
NOTHING: Known = {}


def fold(expr: Expr, known: Known = NOTHING) -> Expr:
    """The expression, as short as the values of the registers in `known` make it."""
    match expr:
        case Register(name):
            return Constant(known[name]) if name in known else expr
        case Constant() | Address():
            return expr
        case Unary(op, operand):
            inner = fold(operand, known)
            return _evaluate_constants(Unary(op, inner), inner)
        case Extend(operand, width, signed):
            inner = fold(operand, known)
            return _evaluate_constants(Extend(inner, width, signed), inner)
        case Binary(op, left, right):
            return _binary(op, fold(left, known), fold(right, known))
        case Select(condition, then, otherwise):
            test = fold(condition, known)
            if isinstance(test, Constant):
                return fold(then if test.value else otherwise, known)
            return Select(test, fold(then, known), fold(otherwise, known))


def _binary(op: BinaryOp, left: Expr, right: Expr) -> Expr:
    for one, other in ((left, right), (right, left)):
        if (
            op in (BinaryOp.AND, BinaryOp.OR)
            and is_truth(left)
            and is_truth(right)
            and isinstance(one, Constant)
        ):
            absorbs = op is BinaryOp.OR
            return one if bool(one.value) is absorbs else other
    return _evaluate_constants(Binary(op, left, right), left, right)


def _evaluate_constants(expr: Expr, *operands: Expr) -> Expr:
    if all(isinstance(operand, Constant) for operand in operands):
        return Constant(evaluate(expr, {}, {}))
    return expr


def rename_registers(expr: Expr, names: Mapping[str, str]) -> Expr:
    """The expression with other names of registers."""
    return substitute(expr, lambda name: Register(names.get(name, name)))


def truth(expr: Expr) -> Expr:
    """1 where the expression is not 0."""
    return expr if is_truth(expr) else fold(Binary(BinaryOp.NE, expr, FALSE))


def both(left: Expr, right: Expr) -> Expr:
    """Whether both hold."""
    return fold(Binary(BinaryOp.AND, truth(left), truth(right)))


def either(left: Expr, right: Expr) -> Expr:
    """Whether one of the two holds."""
    return fold(Binary(BinaryOp.OR, truth(left), truth(right)))


def no(expr: Expr) -> Expr:
    """Whether the expression is 0."""
    return fold(negation(expr))


def all_of(*parts: Expr) -> Expr:
    """Whether all hold."""
    result: Expr = TRUE
    for part in parts:
        result = both(result, part)
    return result
