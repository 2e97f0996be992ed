"""The effect of single lines: the memory and the variables that they read and write, and how they end."""

from __future__ import annotations

from collections.abc import Iterator

from membar.objects import terms as t
from membar.objects.syntax import (
    Action,
    Assign,
    Branch,
    Fence,
    FenceKind,
    Load,
    Location,
    Return,
    Rmw,
    RmwKind,
    Store,
)


def with_loaded(term: t.Term, value: t.Term) -> t.Term:
    """The term with what was loaded."""
    return t.replace_subterms(term, lambda part: value if part == t.Loaded() else None)


def rmw_outcomes(rmw: Rmw, old: t.Term) -> Iterator[tuple[t.Term, t.Term | None, t.Term]]:
    """The ways an RMW can end: when, what is stored (None: nothing), and its result."""
    match rmw.kind:
        case RmwKind.CAS:
            expected, new = rmw.operands
            yield t.equals(old, expected), new, t.Number(1)
            yield t.negation(t.equals(old, expected)), None, t.Number(0)
        case RmwKind.SWAP:
            yield t.TRUE, rmw.operands[0], old
        case RmwKind.FETCH_ADD:
            yield t.TRUE, t.Binary(t.BinaryOp.ADD, old, rmw.operands[0]), old


def is_full(action: Action) -> bool:
    """Whether nothing passes it."""
    return isinstance(action, Rmw) or (isinstance(action, Fence) and action.kind is FenceKind.FULL)


def place_of(action: Action) -> Location | None:
    """Where it accesses memory; None if it does not."""
    return action.location if isinstance(action, Load | Store | Rmw) else None


def is_shifted(action: Action) -> bool:
    """Whether its address is computed."""
    place = place_of(action)
    return place is not None and place.index is not None


def _variables_in(*terms: t.Term | None) -> frozenset[tuple[t.Space, str]]:
    return frozenset(
        (part.space, part.name)
        for term in terms
        if term is not None
        for part in t.subterms(term)
        if isinstance(part, t.Variable)
    )


def variables_read(action: Action) -> frozenset[tuple[t.Space, str]]:
    """The variables that it takes values from."""
    place = place_of(action)
    index = None if place is None else place.index
    match action:
        case Load(value=value) | Store(value=value) | Assign(value=value):
            return _variables_in(value, index)
        case Branch(condition=condition):
            return _variables_in(condition)
        case Rmw(operands=operands):
            return _variables_in(*operands, index)
        case Return(results=results):
            return _variables_in(*results)
        case _:
            return frozenset()


def variables_written(action: Action) -> frozenset[tuple[t.Space, str]]:
    """The variables that it gives a value."""
    if isinstance(action, Assign):
        return frozenset({(t.Space.PRIVATE if action.private else t.Space.LOCAL, action.target)})
    if isinstance(action, Load | Rmw) and action.target is not None:
        return frozenset({(t.Space.LOCAL, action.target)})
    return frozenset()
