"""Expressions of the object language. What a name means depends on where it stands: a `Leaf` reads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from membar.diagnostics import error
from membar.languages.objects.tokens import Words
from membar.objects.terms import FALSE, TRUE, Binary, BinaryOp, Choice, Number, Term, Unary, UnaryOp, weight

# Reads what begins with a name or one of the language's functions.
Leaf: TypeAlias = Callable[[Words], Term]

# Loose to tight; `->` groups to the right and stands before them, `?:` before that.
_LEVELS: tuple[tuple[str, ...], ...] = (
    ("||",),
    ("&&",),
    ("==", "!=", "<", "<=", ">", ">="),
    ("+", "-"),
    ("*", "/", "%"),
)
_COMPARISONS = 2
_DEEPEST = 60
_LONGEST = 100
_HEAVIEST = 3000
_MOST_DIGITS = 100


def expression(words: Words, leaf: Leaf) -> Term:
    """An expression.

    Raises:
        InputError: what comes is none.
    """
    start = words.next.span
    found = _choice(words, leaf, 0)
    if weight(found) > _HEAVIEST:
        span = start.to(words.previous.span)
        raise error("W1311", "an expression that is too large after expanding its definitions", span)
    return found


def _choice(words: Words, leaf: Leaf, depth: int) -> Term:
    if depth > _DEEPEST:
        raise error("W1311", "the expression is nested too deeply", words.next.span, "name a part of it")
    condition = _implication(words, leaf, depth)
    if not words.accept("?"):
        return condition
    then = _choice(words, leaf, depth + 1)
    words.expect(":", "between the two values of `?`")
    return Choice(condition, then, _choice(words, leaf, depth + 1))


def _implication(words: Words, leaf: Leaf, depth: int) -> Term:
    left = _level(words, leaf, depth, 0)
    if not words.accept("->"):
        return left
    if depth > _DEEPEST:
        raise error("W1311", "the expression is nested too deeply", words.next.span, "name a part of it")
    return Binary(BinaryOp.IMPLIES, left, _implication(words, leaf, depth + 1))


def _level(words: Words, leaf: Leaf, depth: int, level: int) -> Term:
    if level == len(_LEVELS):
        return _unary(words, leaf, depth)
    left = _level(words, leaf, depth, level + 1)
    count = 0
    while sign := words.accept(*_LEVELS[level]):
        count += 1
        if count > _LONGEST:
            raise error("W1311", "an expression with too many parts", sign.span, "name a part of it")
        right = _level(words, leaf, depth, level + 1)
        if sign.text in ("/", "%") and not (isinstance(right, Number) and right.value > 0):
            message = f"`{sign.text}` by something that is not a positive number"
            raise error("W1310", message, sign.span, "write a number such as 2 to the right")
        left = Binary(BinaryOp(sign.text), left, right)
        if level == _COMPARISONS and words.sees(*_LEVELS[level]):
            raise words.wrong("comparisons do not chain: combine two of them with `&&`")
    return left


def _unary(words: Words, leaf: Leaf, depth: int) -> Term:
    if depth > _DEEPEST:
        raise error("W1311", "the expression is nested too deeply", words.next.span, "name a part of it")
    if words.accept("!"):
        return Unary(UnaryOp.NOT, _unary(words, leaf, depth + 1))
    if words.accept("-"):
        operand = _unary(words, leaf, depth + 1)
        return Number(-operand.value) if isinstance(operand, Number) else Unary(UnaryOp.NEGATE, operand)
    if words.accept("("):
        inside = _choice(words, leaf, depth + 1)
        words.expect(")", "after the expression")
        return inside
    if words.next.group == "number":
        return Number(_literal(words))
    if words.accept("true"):
        return TRUE
    if words.accept("false"):
        return FALSE
    return leaf(words)


def several(words: Words, leaf: Leaf) -> tuple[Term, ...]:
    """Expressions between brackets, separated by commas; `()` is none."""
    words.expect("(", "before the values")
    found: list[Term] = []
    while not words.sees(")"):
        found.append(expression(words, leaf))
        if not words.accept(","):
            break
    words.expect(")", "after the values")
    return tuple(found)


def number(words: Words, what: str) -> int:
    """A whole number with its sign."""
    sign = -1 if words.accept("-") else 1
    if words.next.group != "number":
        raise words.wrong(f"expected {what}")
    return sign * _literal(words)


def _literal(words: Words) -> int:
    token = words.take()
    if len(token.text) > _MOST_DIGITS:
        message = f"a number of {len(token.text)} digits"
        raise error("W1319", message, token.span, f"at most {_MOST_DIGITS} digits")
    return int(token.text)
