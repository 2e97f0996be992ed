"""Set-of-pairs arithmetic, as in a textbook: what the bit rows must agree with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Pairs: TypeAlias = frozenset[tuple[int, int]]
Events: TypeAlias = frozenset[int]


def sequence(left: Pairs, right: Pairs) -> Pairs:
    return frozenset((a, d) for a, b in left for c, d in right if b == c)


def plus(pairs: Pairs) -> Pairs:
    result = pairs
    while True:
        more = result | sequence(result, pairs)
        if more == result:
            return result
        result = more


def identity(events: Events) -> Pairs:
    return frozenset((event, event) for event in events)


def product(left: Events, right: Events) -> Pairs:
    return frozenset((a, b) for a in left for b in right)


def inverse(pairs: Pairs) -> Pairs:
    return frozenset((b, a) for a, b in pairs)


def domain(pairs: Pairs) -> Events:
    return frozenset(a for a, _ in pairs)


def range_(pairs: Pairs) -> Events:
    return frozenset(b for _, b in pairs)


def is_acyclic(pairs: Pairs) -> bool:
    return all(a != b for a, b in plus(pairs))


def least(step: Callable[[Pairs], Pairs]) -> Pairs:
    """The least fixpoint, from below."""
    value: Pairs = frozenset()
    while step(value) != value:
        value = step(value)
    return value
