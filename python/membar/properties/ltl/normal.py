"""Formulas in negation normal form, made smaller on the way.

In normal form, `Not` stands only before an `Atom`. Every rule of `smaller` keeps the meaning of a formula for
every run; most of them take temporal operators away, because each `Until` costs an acceptance set.
"""

from __future__ import annotations

from membar.program.temporal import (
    FALSE,
    TRUE,
    And,
    Atom,
    Formula,
    Next,
    Not,
    Or,
    Release,
    Truth,
    Until,
)


def normal_form(formula: Formula, *, negated: bool = False) -> Formula:
    """The formula, or its negation, in negation normal form."""
    match formula:
        case Truth(value):
            return TRUE if value is not negated else FALSE
        case Atom():
            return Not(formula) if negated else formula
        case Not(operand):
            return normal_form(operand, negated=not negated)
        case Next(operand):
            return smaller(Next(normal_form(operand, negated=negated)))
        case And(left, right) | Or(left, right):
            parts = normal_form(left, negated=negated), normal_form(right, negated=negated)
            is_and = isinstance(formula, And) is not negated
            return smaller(And(*parts) if is_and else Or(*parts))
        case Until(left, right) | Release(left, right):
            parts = normal_form(left, negated=negated), normal_form(right, negated=negated)
            is_until = isinstance(formula, Until) is not negated
            return smaller(Until(*parts) if is_until else Release(*parts))


def smaller(formula: Formula) -> Formula:
    """An equivalent formula whose outermost operator was simplified, given parts in normal form."""
    match formula:
        case And(left, right):
            return _and(left, right)
        case Or(left, right):
            return _or(left, right)
        case Next(operand):
            return operand if isinstance(operand, Truth) else formula
        case Until(left, right):
            return _until(left, right)
        case Release(left, right):
            return _release(left, right)
        case _:
            return formula


def is_negation(one: Formula, other: Formula) -> bool:
    """Whether one of two formulas in normal form is the literal negation of the other."""
    return one == Not(other) or other == Not(one)


def _and(left: Formula, right: Formula) -> Formula:
    for one, other in ((left, right), (right, left)):
        if one in (TRUE, other):
            return other
        if one == FALSE or is_negation(one, other):
            return FALSE
        if implies_syntactically(one, other):
            return one
    match left, right:
        case Next(a), Next(b):
            return smaller(Next(_and(a, b)))
        case Release(a, b), Release(c, d) if a == c:  # a R b & a R d = a R (b & d)
            return _release(a, _and(b, d))
        case Until(a, b), Until(c, d) if b == d:  # a U b & c U b = (a & c) U b
            return _until(_and(a, c), b)
        case _:
            return And(left, right)


def _or(left: Formula, right: Formula) -> Formula:
    for one, other in ((left, right), (right, left)):
        if one in (FALSE, other):
            return other
        if one == TRUE or is_negation(one, other):
            return TRUE
        if implies_syntactically(one, other):
            return other
    match left, right:
        case Next(a), Next(b):
            return smaller(Next(_or(a, b)))
        case Until(a, b), Until(c, d) if a == c:  # a U b | a U d = a U (b | d)
            return _until(a, _or(b, d))
        case Release(a, b), Release(c, d) if b == d:  # a R b | c R b = (a | c) R b
            return _release(_or(a, c), b)
        case _:
            return Or(left, right)


def _until(left: Formula, right: Formula) -> Formula:
    if isinstance(right, Truth) or left in (FALSE, right):
        return right
    if implies_syntactically(left, right):
        return right
    match left, right:
        case _, Until(a, _) if a == left:  # a U (a U b) = a U b
            return right
        case Next(a), Next(b):
            return smaller(Next(_until(a, b)))
        case Truth(), Until(_, b):  # F (a U b) = F b
            return _until(TRUE, b)
        case Truth(), Next(b):  # F X b = X F b
            return smaller(Next(_until(TRUE, b)))
        case Truth(), Release(Truth(value=False), Until(Truth(value=True))):  # F G F b = G F b
            return right
        case _:
            return Until(left, right)


def _release(left: Formula, right: Formula) -> Formula:
    if isinstance(right, Truth) or left in (TRUE, right):
        return right
    if implies_syntactically(right, left):
        return right
    match left, right:
        case _, Release(a, _) if a == left:  # a R (a R b) = a R b
            return right
        case Next(a), Next(b):
            return smaller(Next(_release(a, b)))
        case Truth(), Release(_, b):  # G (a R b) = G b
            return _release(FALSE, b)
        case Truth(), Next(b):  # G X b = X G b
            return smaller(Next(_release(FALSE, b)))
        case Truth(), Until(Truth(value=True), Release(Truth(value=False))):  # G F G b = F G b
            return right
        case _:
            return Release(left, right)


def implies_syntactically(one: Formula, other: Formula) -> bool:
    """Whether the shape of two formulas in normal form shows that one implies the other; may miss it."""
    if one in (other, FALSE) or other == TRUE:
        return True
    match one:
        case And(a, b) if implies_syntactically(a, other) or implies_syntactically(b, other):
            return True
        case Or(a, b) if implies_syntactically(a, other) and implies_syntactically(b, other):
            return True
        case Until(a, b) if implies_syntactically(a, other) and implies_syntactically(b, other):
            return True
        case Release(_, b) if implies_syntactically(b, other):
            return True
        case _:
            pass
    match other:
        case And(a, b):
            return implies_syntactically(one, a) and implies_syntactically(one, b)
        case Or(a, b):
            return implies_syntactically(one, a) or implies_syntactically(one, b)
        case Until(_, b) if implies_syntactically(one, b):
            return True
        case Release(a, b) if implies_syntactically(one, a) and implies_syntactically(one, b):
            return True
        case _:
            pass
    match one, other:
        case (Until(a, b), Until(c, d)) | (Release(a, b), Release(c, d)):
            return implies_syntactically(a, c) and implies_syntactically(b, d)
        case Next(a), Next(b):
            return implies_syntactically(a, b)
        case _:
            return False
