"""The effect of single lines: the memory and the variables that they read and write, and how they end."""

from __future__ import annotations

from collections.abc import Iterator

from membar.objects import syntax as o
from membar.objects import terms as t


def with_loaded(term: t.Term, value: t.Term) -> t.Term:
    """The term with the loaded value substituted."""
    return t.replace_subterms(term, lambda part: value if part == t.Loaded() else None)


def rmw_outcomes(rmw: o.Rmw, old: t.Term) -> Iterator[tuple[t.Term, t.Term | None, t.Term]]:
    """The ways an RMW can end: when, what is stored (None: nothing), and its result."""
    match rmw.kind:
        case o.RmwKind.CAS:
            expected, new = rmw.operands
            yield t.equals(old, expected), new, t.Number(1)
            yield t.negation(t.equals(old, expected)), None, t.Number(0)
        case o.RmwKind.SWAP:
            yield t.TRUE, rmw.operands[0], old
        case o.RmwKind.FETCH_ADD:
            yield t.TRUE, t.Binary(t.BinaryOp.ADD, old, rmw.operands[0]), old


def is_full(action: o.Action) -> bool:
    """Whether it is a full fence."""
    return isinstance(action, o.Rmw) or (isinstance(action, o.Fence) and action.kind is o.FenceKind.FULL)


def place_of(action: o.Action) -> o.Location | None:
    """The location that it accesses; None if it accesses none."""
    return action.location if isinstance(action, o.Load | o.Store | o.Rmw) else None


def is_shifted(action: o.Action) -> bool:
    """Whether its address is computed."""
    place = place_of(action)
    return place is not None and place.index is not None


def variables_read(action: o.Action) -> frozenset[tuple[t.Space, str]]:
    """The variables that it reads."""
    return frozenset(
        (part.space, part.name)
        for term in o.terms_of(action)
        for part in t.subterms(term)
        if isinstance(part, t.Variable)
    )


def variables_written(action: o.Action) -> frozenset[tuple[t.Space, str]]:
    """The variables that it writes."""
    if isinstance(action, o.Assign):
        return frozenset({(t.Space.PRIVATE if action.private else t.Space.LOCAL, action.target)})
    if isinstance(action, o.Load | o.Rmw) and action.target is not None:
        return frozenset({(t.Space.LOCAL, action.target)})
    return frozenset()
