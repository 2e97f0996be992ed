"""Evaluates, simplifies and prints terms."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Final

from membar.objects import terms as t
from membar.records import replace

MOST_BITS: Final = 4096
"""Larger numbers are neither computed nor shown: Python does not print them."""


def evaluate_term(term: t.Term, values: Callable[[t.Variable], int]) -> int:
    """The value of a term over variables only."""
    match term:
        case t.Number(value=value):
            return value
        case t.Variable():
            return values(term)
        case t.Unary(op=op, operand=operand):
            inner = evaluate_term(operand, values)
            return -inner if op is t.UnaryOp.NEGATE else int(not inner)
        case t.Choice(condition=condition, then=then, otherwise=otherwise):
            return evaluate_term(then if evaluate_term(condition, values) else otherwise, values)
        case t.Binary(op=t.BinaryOp.AND, left=left, right=right):
            return int(bool(evaluate_term(left, values)) and bool(evaluate_term(right, values)))
        case t.Binary(op=t.BinaryOp.OR, left=left, right=right):
            return int(bool(evaluate_term(left, values)) or bool(evaluate_term(right, values)))
        case t.Binary(op=t.BinaryOp.IMPLIES, left=left, right=right):
            return int(not evaluate_term(left, values) or bool(evaluate_term(right, values)))
        case t.Binary(op=op, left=left, right=right):
            return int(_ARITHMETIC[op](evaluate_term(left, values), evaluate_term(right, values)))
        case _:
            raise TypeError(f"{type(term).__name__} has no value outside a thread's control")


_ARITHMETIC: Mapping[t.BinaryOp, Callable[[int, int], int]] = {
    t.BinaryOp.ADD: operator.add,
    t.BinaryOp.SUB: operator.sub,
    t.BinaryOp.MUL: operator.mul,
    t.BinaryOp.DIV: operator.floordiv,
    t.BinaryOp.REM: operator.mod,
    t.BinaryOp.EQ: operator.eq,
    t.BinaryOp.NE: operator.ne,
    t.BinaryOp.LT: operator.lt,
    t.BinaryOp.LE: operator.le,
    t.BinaryOp.GT: operator.gt,
    t.BinaryOp.GE: operator.ge,
}


def simplify(term: t.Term) -> t.Term:
    """The term with constant parts evaluated."""
    match term:
        case t.Unary(op=op, operand=operand):
            inner = simplify(operand)
            if isinstance(inner, t.Number):
                return t.Number(evaluate_term(t.Unary(op, inner), _none))
            if op is t.UnaryOp.NOT and isinstance(inner, t.Unary) and inner.op is t.UnaryOp.NOT:
                return _truth(inner.operand)
            return t.Unary(op, inner)
        case t.Choice(condition=condition, then=then, otherwise=otherwise):
            chosen = simplify(condition)
            if isinstance(chosen, t.Number):
                return simplify(then if chosen.value else otherwise)
            first, second = simplify(then), simplify(otherwise)
            return first if first == second else t.Choice(chosen, first, second)
        case t.Binary():
            return _simplified_binary(term)
        case t.Element(name=name, index=index):
            return t.Element(name, simplify(index))
        case t.ForEach(body=body):
            return replace(term, body=simplify(body))
        case _:
            return term


def _none(_: t.Variable) -> int:
    raise TypeError("a constant has no variables")


def _truth(term: t.Term) -> t.Term:
    """The term as a truth value."""
    is_truth = isinstance(term, t.Binary) and term.op not in _NUMERIC
    is_truth |= isinstance(term, t.Unary) and term.op is t.UnaryOp.NOT
    return term if is_truth else t.Binary(t.BinaryOp.NE, term, t.FALSE)


_NUMERIC = {t.BinaryOp.ADD, t.BinaryOp.SUB, t.BinaryOp.MUL, t.BinaryOp.DIV, t.BinaryOp.REM}


def _simplified_binary(term: t.Binary) -> t.Term:
    left, right = simplify(term.left), simplify(term.right)
    if isinstance(left, t.Number) and isinstance(right, t.Number):
        value = evaluate_term(t.Binary(term.op, left, right), _none)
        return t.Number(value) if value.bit_length() <= MOST_BITS else t.Binary(term.op, left, right)
    match term.op:
        case t.BinaryOp.AND:
            if isinstance(left, t.Number):
                return _truth(right) if left.value else t.FALSE
            if isinstance(right, t.Number):
                return _truth(left) if right.value else t.FALSE
        case t.BinaryOp.OR:
            if isinstance(left, t.Number):
                return t.TRUE if left.value else _truth(right)
            if isinstance(right, t.Number):
                return t.TRUE if right.value else _truth(left)
        case t.BinaryOp.IMPLIES:
            if isinstance(left, t.Number):
                return _truth(right) if left.value else t.TRUE
            if isinstance(right, t.Number):
                return t.TRUE if right.value else simplify(t.Unary(t.UnaryOp.NOT, left))
        case t.BinaryOp.EQ | t.BinaryOp.LE | t.BinaryOp.GE if left == right:
            return t.TRUE
        case _:
            pass
    return t.Binary(term.op, left, right)


_BINDING = {
    t.BinaryOp.IMPLIES: 1,
    t.BinaryOp.OR: 2,
    t.BinaryOp.AND: 3,
    **dict.fromkeys(
        (t.BinaryOp.EQ, t.BinaryOp.NE, t.BinaryOp.LT, t.BinaryOp.LE, t.BinaryOp.GT, t.BinaryOp.GE),
        4,
    ),
    t.BinaryOp.ADD: 5,
    t.BinaryOp.SUB: 5,
    t.BinaryOp.MUL: 6,
    t.BinaryOp.DIV: 6,
    t.BinaryOp.REM: 6,
}


def term_text(term: t.Term, *, around: int = 0) -> str:
    """The term in the object language; `around` is the precedence of its context."""
    match term:
        case t.Binary(op=op, left=left, right=right):
            level = _BINDING[op]
            first = term_text(left, around=level + (level in (1, 4)))
            second = term_text(right, around=level + (level != 1))
            text = f"{first} {op.value} {second}"
            return f"({text})" if level < around else text
        case t.Choice(condition=condition, then=then, otherwise=otherwise):
            text = f"{term_text(condition, around=1)} ? {term_text(then)} : {term_text(otherwise)}"
            return f"({text})" if around else text
        case t.Unary(op=op, operand=operand):
            return f"{op.value}{term_text(operand, around=7)}"
        case t.Number(value=value):
            return str(value)
        case t.Element(name=name, index=index):
            return f"{name}[{term_text(index)}]"
        case t.Loaded():
            return "loaded"
        case t.ForEach(line=line, store=store, body=body):
            other = "other." if term.who is t.VariableOwner.OTHER else ""
            text = f"forall {store} in {other}pending({line}): {term_text(body)}"
            return f"({text})" if around else text
        case t.Bound(store=store, name=name):
            return f"{store}.{_field(name)}"
        case _:
            return _spelled_leaf(term)


def _spelled_leaf(
    term: t.Variable
    | t.At
    | t.Pending
    | t.PendingValue
    | t.PendingCount
    | t.StoredBefore
    | t.Sees
    | t.Linearized
    | t.Promised
    | t.Deferred
    | t.DeferredResult,
) -> str:
    other = "other." if term.who is t.VariableOwner.OTHER else ""
    match term:
        case t.Variable(space=t.Space.LOCAL, name=name, operation=operation) if operation:
            return f"{other}{operation}.{name}"
        case t.Variable(name=name):
            return other + name
        case t.At(lines=lines):
            return f"{other}at({', '.join(sorted(lines))})"
        case t.Pending(line=line):
            return f"{other}pending({line})"
        case t.PendingValue(line=line, name=name, which=which):
            return f"{other}{which.value}({line}).{_field(name)}"
        case t.PendingCount(line=line):
            return f"{other}pending({line}).count"
        case t.StoredBefore(line=line, than=than):
            return f"{other}ahead({line}, {than})"
        case t.Sees(name=name):
            return f"{other}sees({name})"
        case t.Linearized():
            return f"{other}linearized"
        case t.Promised(number=number):
            return f"{other}linearized.result{number}"
        case t.Deferred(line=line):
            return f"{other}deferred({line})"
        case t.DeferredResult(line=line, number=number):
            return f"{other}deferred({line}).result{number}"


def _field(name: str | None) -> str:
    return (name or "value").replace("@", "result")
