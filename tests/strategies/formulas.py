"""Random LTL formulas and runs."""

from __future__ import annotations

from random import Random

from membar.program import temporal as t
from membar.program.expr import Register
from membar.program.predicate import CellValue, StatePredicate
from membar.properties.ltl.lasso import Lasso, Letter

NAMES = ("p", "q", "r")


def predicate(name: str) -> StatePredicate:
    """The predicate that a variable is not 0."""
    return StatePredicate(Register("#0"), (("#0", CellValue(name)),), name)


ATOMS = tuple(predicate(name) for name in NAMES)


def formula(random: Random, size: int, *, past: bool = False) -> t.Formula:
    """A formula of about `size` operators, some of them of the past if asked for."""
    if size <= 0:
        if random.random() < 0.08:
            return t.Truth(random.random() < 0.5)
        return t.Atom(random.choice(ATOMS))
    if random.random() < 0.45:
        operand = formula(random, size - 1, past=past)
        if past and random.random() < 0.5:
            return random.choice((t.Previous, t.weak_previous, t.once, t.historically))(operand)
        return random.choice((t.Not, t.Next, t.finally_, t.globally, t.finally_, t.globally))(operand)
    left = random.randint(0, size - 1)
    parts = formula(random, left, past=past), formula(random, size - 1 - left, past=past)
    if past and random.random() < 0.4:
        return random.choice((t.Since, t.triggered))(*parts)
    binary = (t.And, t.Or, t.Until, t.Release, t.Until, t.implies, t.equivalent, t.weak_until)
    return random.choice(binary)(*parts)


def letter(random: Random) -> Letter:
    """A set of atoms."""
    return frozenset(atom for atom in ATOMS if random.random() < 0.5)


def lasso(random: Random) -> Lasso:
    """A run with a prefix of up to 4 letters and a cycle of up to 4."""
    prefix = tuple(letter(random) for _ in range(random.randint(0, 4)))
    return Lasso(prefix, tuple(letter(random) for _ in range(random.randint(1, 4))))


def text(item: t.Formula) -> str:
    """The formula in SPIN's words."""
    match item:
        case t.Truth(value):
            return "true" if value else "false"
        case t.Atom(what):
            return what.text
        case t.Not(operand):
            return f"!({text(operand)})"
        case t.Next(operand):
            return f"X({text(operand)})"
        case t.And(left, right):
            return f"(({text(left)}) && ({text(right)}))"
        case t.Or(left, right):
            return f"(({text(left)}) || ({text(right)}))"
        case t.Until(t.Truth(value=True), right):
            return f"(<> ({text(right)}))"
        case t.Release(t.Truth(value=False), right):
            return f"([] ({text(right)}))"
        case t.Until(left, right):
            return f"(({text(left)}) U ({text(right)}))"
        case t.Release(left, right):
            return f"(({text(left)}) V ({text(right)}))"
        case t.Previous(operand):
            return f"Y({text(operand)})"
        case t.Since(left, right):
            return f"(({text(left)}) S ({text(right)}))"
