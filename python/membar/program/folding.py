"""Simplifies expressions: folds constants and removes known parts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from membar.program import expr as e

NOTHING_KNOWN: Mapping[str, int] = {}
# By identity, expressions that folding changes no more: who builds a large one folds it after each step.
_FOLDED: dict[int, e.Expr] = {}
_MOST_FOLDED = 100_000


def simplify(expr: e.Expr, leaf: Callable[[e.Expr], e.Expr], known: Collection[e.Expr] = ()) -> e.Expr:
    """The expression with its leaves replaced, simplified; expressions in `known` are true."""
    is_plain = leaf is _as_it_stands and not known
    if is_plain and id(expr) in _FOLDED:
        return expr
    found = _simplify_parts(expr, leaf, known)
    if is_plain:
        if len(_FOLDED) >= _MOST_FOLDED:
            _FOLDED.clear()
        _FOLDED[id(found)] = found
        return found
    if found in known and e.is_truth(found):
        return e.TRUE
    if known and e.is_truth(found) and logical_not(found) in known:
        return e.FALSE
    return found


def _simplify_parts(expr: e.Expr, leaf: Callable[[e.Expr], e.Expr], known: Collection[e.Expr]) -> e.Expr:
    match expr:
        case e.Constant() | e.Register() | e.Address():
            return leaf(expr)
        case e.Unary(op=op, operand=operand):
            return _unary(op, simplify(operand, leaf, known))
        case e.Binary(op=op, left=left, right=right):
            return _binary(op, simplify(left, leaf, known), simplify(right, leaf, known))
        case e.Extend(operand=operand, width=width, signed=signed):
            return _fold(e.Extend(simplify(operand, leaf, known), width, signed))
        case e.Select(condition=condition, then=then, otherwise=otherwise):
            asked = simplify(condition, leaf, known)
            a, b = simplify(then, leaf, known), simplify(otherwise, leaf, known)
            if isinstance(asked, e.Constant):
                return a if asked.value else b
            return a if a == b else e.Select(asked, a, b)


def _as_it_stands(leaf: e.Expr) -> e.Expr:
    return leaf


def substitute_values(expr: e.Expr, values: Mapping[str, e.Expr], known: Collection[e.Expr] = ()) -> e.Expr:
    """The expression with registers replaced by their values."""

    def leaf(item: e.Expr) -> e.Expr:
        return values.get(item.name, item) if isinstance(item, e.Register) else item

    return simplify(expr, leaf, known)


def logical_not(expr: e.Expr) -> e.Expr:
    """1 if the expression is 0, else 0."""
    if isinstance(expr, e.Constant):
        return e.FALSE if expr.value else e.TRUE
    if isinstance(expr, e.Unary) and expr.op is e.UnaryOp.NOT and e.is_truth(expr.operand):
        return expr.operand
    if isinstance(expr, e.Binary) and expr.op in (e.BinaryOp.EQ, e.BinaryOp.NE):
        return e.Binary(e.BinaryOp.NE if expr.op is e.BinaryOp.EQ else e.BinaryOp.EQ, expr.left, expr.right)
    return e.negation(expr)


def _fold(expr: e.Expr) -> e.Expr:
    operands: tuple[e.Expr, ...]
    match expr:
        case e.Binary(left=left, right=right):
            operands = (left, right)
        case e.Unary(operand=operand) | e.Extend(operand=operand):
            operands = (operand,)
        case _:
            return expr
    if all(isinstance(item, e.Constant) for item in operands):
        return e.Constant(e.evaluate(expr, {}, {}))
    return expr


def _unary(op: e.UnaryOp, operand: e.Expr) -> e.Expr:
    return logical_not(operand) if op is e.UnaryOp.NOT else _fold(e.Unary(op, operand))


def _binary(op: e.BinaryOp, left: e.Expr, right: e.Expr) -> e.Expr:
    found = _fold(e.Binary(op, left, right))
    if isinstance(found, e.Constant):
        return found
    zero, one = left == e.FALSE, right == e.FALSE
    match op:
        case e.BinaryOp.AND:
            if zero or one:
                return e.FALSE
            if left == e.TRUE and e.is_truth(right):
                return right
            if right == e.TRUE and e.is_truth(left):
                return left
        case e.BinaryOp.OR:
            if zero or one:
                return right if zero else left
            if e.TRUE in (left, right) and e.is_truth(left) and e.is_truth(right):
                return e.TRUE
        case e.BinaryOp.ADD:
            if zero or one:
                return right if zero else left
        case e.BinaryOp.NE if one and e.is_truth(left):
            return left
        case e.BinaryOp.EQ if one and e.is_truth(left):
            return logical_not(left)
        case e.BinaryOp.EQ if left == right:
            return e.TRUE
        case e.BinaryOp.NE if left == right:
            return e.FALSE
        case _:
            pass
    return found


def fold(expr: e.Expr, known: Mapping[str, int] = NOTHING_KNOWN) -> e.Expr:
    """The expression, simplified by the values of the registers in `known`."""
    if not known:
        return simplify(expr, _as_it_stands)
    return substitute_values(expr, {name: e.Constant(value) for name, value in known.items()})


def rename_registers(expr: e.Expr, names: Mapping[str, str]) -> e.Expr:
    """The expression with registers renamed."""
    return substitute_values(expr, {name: e.Register(new) for name, new in names.items()})


def truth(expr: e.Expr) -> e.Expr:
    """1 if the expression is not 0, else 0."""
    return expr if e.is_truth(expr) else fold(e.Binary(e.BinaryOp.NE, expr, e.FALSE))


def both(left: e.Expr, right: e.Expr) -> e.Expr:
    """Whether both hold."""
    return fold(e.Binary(e.BinaryOp.AND, truth(left), truth(right)))


def either(left: e.Expr, right: e.Expr) -> e.Expr:
    """Whether one of the two holds."""
    return fold(e.Binary(e.BinaryOp.OR, truth(left), truth(right)))


def all_of(*parts: e.Expr) -> e.Expr:
    """Whether all hold."""
    result: e.Expr = e.TRUE
    for part in parts:
        result = both(result, part)
    return result
