"""Formulas in negation normal form, simplified on the way.

In normal form, `Not` occurs only before an `Atom`. Every rule of `smaller` preserves the meaning of a formula
on every run; most of them remove temporal operators, because each `Until` costs an acceptance set.
"""

from __future__ import annotations

from membar.program import temporal as ltl


def normal_form(formula: ltl.Formula, *, negated: bool = False) -> ltl.Formula:
    """The formula, or its negation, in negation normal form."""
    match formula:
        case ltl.Truth(value):
            return ltl.TRUE if value is not negated else ltl.FALSE
        case ltl.Atom():
            return ltl.Not(formula) if negated else formula
        case ltl.Not(operand):
            return normal_form(operand, negated=not negated)
        case ltl.Next(operand):
            return smaller(ltl.Next(normal_form(operand, negated=negated)))
        case ltl.And(left, right) | ltl.Or(left, right):
            parts = normal_form(left, negated=negated), normal_form(right, negated=negated)
            is_and = isinstance(formula, ltl.And) is not negated
            return smaller(ltl.And(*parts) if is_and else ltl.Or(*parts))
        case ltl.Until(left, right) | ltl.Release(left, right):
            parts = normal_form(left, negated=negated), normal_form(right, negated=negated)
            is_until = isinstance(formula, ltl.Until) is not negated
            return smaller(ltl.Until(*parts) if is_until else ltl.Release(*parts))
        case ltl.Previous() | ltl.Since():
            raise AssertionError("operators of the past are translated before")


def smaller(formula: ltl.Formula) -> ltl.Formula:
    """An equivalent formula whose outermost operator was simplified, given parts in normal form."""
    match formula:
        case ltl.And(left, right):
            return _and(left, right)
        case ltl.Or(left, right):
            return _or(left, right)
        case ltl.Next(operand):
            return operand if isinstance(operand, ltl.Truth) else formula
        case ltl.Until(left, right):
            return _until(left, right)
        case ltl.Release(left, right):
            return _release(left, right)
        case _:
            return formula


def is_negation(one: ltl.Formula, other: ltl.Formula) -> bool:
    """Whether one of two formulas in normal form is the literal negation of the other."""
    return one == ltl.Not(other) or other == ltl.Not(one)


def _and(left: ltl.Formula, right: ltl.Formula) -> ltl.Formula:
    for one, other in ((left, right), (right, left)):
        if one in (ltl.TRUE, other):
            return other
        if one == ltl.FALSE or is_negation(one, other):
            return ltl.FALSE
        if implies_syntactically(one, other):
            return one
    match left, right:
        case ltl.Next(a), ltl.Next(b):
            return smaller(ltl.Next(_and(a, b)))
        case ltl.Release(a, b), ltl.Release(c, d) if a == c:  # a R b & a R d = a R (b & d)
            return _release(a, _and(b, d))
        case ltl.Until(a, b), ltl.Until(c, d) if b == d:  # a U b & c U b = (a & c) U b
            return _until(_and(a, c), b)
        case _:
            return ltl.And(left, right)


def _or(left: ltl.Formula, right: ltl.Formula) -> ltl.Formula:
    for one, other in ((left, right), (right, left)):
        if one in (ltl.FALSE, other):
            return other
        if one == ltl.TRUE or is_negation(one, other):
            return ltl.TRUE
        if implies_syntactically(one, other):
            return other
    match left, right:
        case ltl.Next(a), ltl.Next(b):
            return smaller(ltl.Next(_or(a, b)))
        case ltl.Until(a, b), ltl.Until(c, d) if a == c:  # a U b | a U d = a U (b | d)
            return _until(a, _or(b, d))
        case ltl.Release(a, b), ltl.Release(c, d) if b == d:  # a R b | c R b = (a | c) R b
            return _release(_or(a, c), b)
        case _:
            return ltl.Or(left, right)


def _until(left: ltl.Formula, right: ltl.Formula) -> ltl.Formula:
    if isinstance(right, ltl.Truth) or left in (ltl.FALSE, right):
        return right
    if implies_syntactically(left, right):
        return right
    match left, right:
        case _, ltl.Until(a, _) if a == left:  # a U (a U b) = a U b
            return right
        case ltl.Next(a), ltl.Next(b):
            return smaller(ltl.Next(_until(a, b)))
        case ltl.Truth(), ltl.Until(_, b):  # F (a U b) = F b
            return _until(ltl.TRUE, b)
        case ltl.Truth(), ltl.Next(b):  # F X b = X F b
            return smaller(ltl.Next(_until(ltl.TRUE, b)))
        case ltl.Truth(), ltl.Release(
            ltl.Truth(value=False), ltl.Until(ltl.Truth(value=True))
        ):  # F G F b = G F b
            return right
        case _:
            return ltl.Until(left, right)


def _release(left: ltl.Formula, right: ltl.Formula) -> ltl.Formula:
    if isinstance(right, ltl.Truth) or left in (ltl.TRUE, right):
        return right
    if implies_syntactically(right, left):
        return right
    match left, right:
        case _, ltl.Release(a, _) if a == left:  # a R (a R b) = a R b
            return right
        case ltl.Next(a), ltl.Next(b):
            return smaller(ltl.Next(_release(a, b)))
        case ltl.Truth(), ltl.Release(_, b):  # G (a R b) = G b
            return _release(ltl.FALSE, b)
        case ltl.Truth(), ltl.Next(b):  # G X b = X G b
            return smaller(ltl.Next(_release(ltl.FALSE, b)))
        case ltl.Truth(), ltl.Until(
            ltl.Truth(value=True), ltl.Release(ltl.Truth(value=False))
        ):  # G F G b = F G b
            return right
        case _:
            return ltl.Release(left, right)


def implies_syntactically(one: ltl.Formula, other: ltl.Formula) -> bool:
    """Whether the shape of two formulas in normal form shows that one implies the other; may miss it."""
    if one in (other, ltl.FALSE) or other == ltl.TRUE:
        return True
    match one:
        case ltl.And(a, b) if implies_syntactically(a, other) or implies_syntactically(b, other):
            return True
        case ltl.Or(a, b) if implies_syntactically(a, other) and implies_syntactically(b, other):
            return True
        case ltl.Until(a, b) if implies_syntactically(a, other) and implies_syntactically(b, other):
            return True
        case ltl.Release(_, b) if implies_syntactically(b, other):
            return True
        case _:
            pass
    match other:
        case ltl.And(a, b):
            return implies_syntactically(one, a) and implies_syntactically(one, b)
        case ltl.Or(a, b):
            return implies_syntactically(one, a) or implies_syntactically(one, b)
        case ltl.Until(_, b) if implies_syntactically(one, b):
            return True
        case ltl.Release(a, b) if implies_syntactically(one, a) and implies_syntactically(one, b):
            return True
        case _:
            pass
    match one, other:
        case (ltl.Until(a, b), ltl.Until(c, d)) | (ltl.Release(a, b), ltl.Release(c, d)):
            return implies_syntactically(a, c) and implies_syntactically(b, d)
        case ltl.Next(a), ltl.Next(b):
            return implies_syntactically(a, b)
        case _:
            return False
