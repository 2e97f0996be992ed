"""Evaluates, simplifies and prints terms."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Final

from membar.objects.terms import (
    FALSE,
    TRUE,
    Ahead,
    At,
    Binary,
    BinaryOp,
    Bound,
    Choice,
    Deferred,
    DeferredResult,
    Element,
    ForEach,
    Linearized,
    Loaded,
    Number,
    Pending,
    PendingCount,
    PendingValue,
    Promised,
    Sees,
    Space,
    Term,
    Unary,
    UnaryOp,
    Variable,
    Who,
)
from membar.records import replace

MOST_BITS: Final = 4096
"""Larger numbers are neither computed nor shown: Python does not print them."""


def evaluate_term(term: Term, values: Callable[[Variable], int]) -> int:
    """The value of a term over variables only."""
    match term:
        case Number(value=value):
            return value
        case Variable():
            return values(term)
        case Unary(op=op, operand=operand):
            inner = evaluate_term(operand, values)
            return -inner if op is UnaryOp.NEGATE else int(not inner)
        case Choice(condition=condition, then=then, otherwise=otherwise):
            return evaluate_term(then if evaluate_term(condition, values) else otherwise, values)
        case Binary(op=BinaryOp.AND, left=left, right=right):
            return int(bool(evaluate_term(left, values)) and bool(evaluate_term(right, values)))
        case Binary(op=BinaryOp.OR, left=left, right=right):
            return int(bool(evaluate_term(left, values)) or bool(evaluate_term(right, values)))
        case Binary(op=BinaryOp.IMPLIES, left=left, right=right):
            return int(not evaluate_term(left, values) or bool(evaluate_term(right, values)))
        case Binary(op=op, left=left, right=right):
            return int(_ARITHMETIC[op](evaluate_term(left, values), evaluate_term(right, values)))
        case _:
            raise TypeError(f"{type(term).__name__} has no value outside of a thread's control")


_ARITHMETIC: Mapping[BinaryOp, Callable[[int, int], int]] = {
    BinaryOp.ADD: operator.add,
    BinaryOp.SUB: operator.sub,
    BinaryOp.MUL: operator.mul,
    BinaryOp.DIV: operator.floordiv,
    BinaryOp.REM: operator.mod,
    BinaryOp.EQ: operator.eq,
    BinaryOp.NE: operator.ne,
    BinaryOp.LT: operator.lt,
    BinaryOp.LE: operator.le,
    BinaryOp.GT: operator.gt,
    BinaryOp.GE: operator.ge,
}


def simplify(term: Term) -> Term:
    """The term with what is constant in it worked out."""
    match term:
        case Unary(op=op, operand=operand):
            inner = simplify(operand)
            if isinstance(inner, Number):
                return Number(evaluate_term(Unary(op, inner), _none))
            if op is UnaryOp.NOT and isinstance(inner, Unary) and inner.op is UnaryOp.NOT:
                return _truth(inner.operand)
            return Unary(op, inner)
        case Choice(condition=condition, then=then, otherwise=otherwise):
            chosen = simplify(condition)
            if isinstance(chosen, Number):
                return simplify(then if chosen.value else otherwise)
            first, second = simplify(then), simplify(otherwise)
            return first if first == second else Choice(chosen, first, second)
        case Binary():
            return _simplified_binary(term)
        case Element(name=name, index=index):
            return Element(name, simplify(index))
        case ForEach(body=body):
            return replace(term, body=simplify(body))
        case _:
            return term


def _none(_: Variable) -> int:
    raise TypeError("a constant has no variables")


def _truth(term: Term) -> Term:
    """The term as a truth value."""
    is_truth = isinstance(term, Binary) and term.op not in _NUMERIC
    is_truth |= isinstance(term, Unary) and term.op is UnaryOp.NOT
    return term if is_truth else Binary(BinaryOp.NE, term, FALSE)


_NUMERIC = {BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL, BinaryOp.DIV, BinaryOp.REM}


def _simplified_binary(term: Binary) -> Term:
    left, right = simplify(term.left), simplify(term.right)
    if isinstance(left, Number) and isinstance(right, Number):
        value = evaluate_term(Binary(term.op, left, right), _none)
        return Number(value) if value.bit_length() <= MOST_BITS else Binary(term.op, left, right)
    match term.op:
        case BinaryOp.AND:
            if isinstance(left, Number):
                return _truth(right) if left.value else FALSE
            if isinstance(right, Number):
                return _truth(left) if right.value else FALSE
        case BinaryOp.OR:
            if isinstance(left, Number):
                return TRUE if left.value else _truth(right)
            if isinstance(right, Number):
                return TRUE if right.value else _truth(left)
        case BinaryOp.IMPLIES:
            if isinstance(left, Number):
                return _truth(right) if left.value else TRUE
            if isinstance(right, Number):
                return TRUE if right.value else simplify(Unary(UnaryOp.NOT, left))
        case BinaryOp.EQ | BinaryOp.LE | BinaryOp.GE if left == right:
            return TRUE
        case _:
            pass
    return Binary(term.op, left, right)


_BINDING = {
    BinaryOp.IMPLIES: 1,
    BinaryOp.OR: 2,
    BinaryOp.AND: 3,
    **dict.fromkeys(
        (BinaryOp.EQ, BinaryOp.NE, BinaryOp.LT, BinaryOp.LE, BinaryOp.GT, BinaryOp.GE),
        4,
    ),
    BinaryOp.ADD: 5,
    BinaryOp.SUB: 5,
    BinaryOp.MUL: 6,
    BinaryOp.DIV: 6,
    BinaryOp.REM: 6,
}


def term_text(term: Term, *, around: int = 0) -> str:
    """The term in the object language; `around` says how tightly what stands around it binds."""
    match term:
        case Binary(op=op, left=left, right=right):
            level = _BINDING[op]
            first = term_text(left, around=level + (level in (1, 4)))
            second = term_text(right, around=level + (level != 1))
            text = f"{first} {op.value} {second}"
            return f"({text})" if level < around else text
        case Choice(condition=condition, then=then, otherwise=otherwise):
            text = f"{term_text(condition, around=1)} ? {term_text(then)} : {term_text(otherwise)}"
            return f"({text})" if around else text
        case Unary(op=op, operand=operand):
            return f"{op.value}{term_text(operand, around=7)}"
        case Number(value=value):
            return str(value)
        case Element(name=name, index=index):
            return f"{name}[{term_text(index)}]"
        case Loaded():
            return "loaded"
        case ForEach(line=line, store=store, body=body):
            other = "other." if term.who is Who.OTHER else ""
            text = f"forall {store} in {other}pending({line}): {term_text(body)}"
            return f"({text})" if around else text
        case Bound(store=store, name=name):
            return f"{store}.{_field(name)}"
        case _:
            return _spelled_leaf(term)


def _spelled_leaf(
    term: Variable
    | At
    | Pending
    | PendingValue
    | PendingCount
    | Ahead
    | Sees
    | Linearized
    | Promised
    | Deferred
    | DeferredResult,
) -> str:
    other = "other." if term.who is Who.OTHER else ""
    match term:
        case Variable(space=Space.LOCAL, name=name, operation=operation) if operation:
            return f"{other}{operation}.{name}"
        case Variable(name=name):
            return other + name
        case At(lines=lines):
            return f"{other}at({', '.join(sorted(lines))})"
        case Pending(line=line):
            return f"{other}pending({line})"
        case PendingValue(line=line, name=name, which=which):
            return f"{other}{which.value}({line}).{_field(name)}"
        case PendingCount(line=line):
            return f"{other}pending({line}).count"
        case Ahead(line=line, than=than):
            return f"{other}ahead({line}, {than})"
        case Sees(name=name):
            return f"{other}sees({name})"
        case Linearized():
            return f"{other}linearized"
        case Promised(number=number):
            return f"{other}linearized.result{number}"
        case Deferred(line=line):
            return f"{other}deferred({line})"
        case DeferredResult(line=line, number=number):
            return f"{other}deferred({line}).result{number}"


def _field(name: str | None) -> str:
    return (name or "value").replace("@", "result")
