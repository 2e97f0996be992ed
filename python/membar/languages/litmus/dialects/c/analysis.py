"""What evaluating an expression may do, judged by its syntax: shared accesses, assignments, their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from membar.languages.litmus.dialects.c import syntax as x
from membar.languages.litmus.dialects.c.tokens import KEPT

TRANSPARENT_CALL = "kill_dependency"
"""The one function that only passes its argument on."""


def children(node: x.Expression) -> tuple[x.Expression, ...]:
    """The direct parts of an expression, left to right."""
    match node:
        case x.Number() | x.Name():
            return ()
        case x.Prefix(operand=operand) | x.Cast(operand=operand):
            return (operand,)
        case x.Infix(left=left, right=right) | x.Logical(left=left, right=right):
            return (left, right)
        case x.Conditional(condition=condition, then=then, otherwise=otherwise):
            return (condition, then, otherwise)
        case x.Assign(target=target, value=value):
            return (target, value)
        case x.Increment(target=target):
            return (target,)
        case x.Index(base=base, index=index):
            return (base, index)
        case x.Call(arguments=arguments):
            return arguments
        case x.Comma(first=first, second=second):
            return (first, second)


def address_parts(node: x.Expression) -> tuple[x.Expression, ...] | None:
    """What the address of the shared place `*p` or `p[i]` is computed from; None for anything else."""
    match node:
        case x.Prefix(op="*", operand=operand):
            return (operand,)
        case x.Index(base=base, index=index):
            return (base, index)
        case _:
            return None


def is_pure(node: x.Expression, is_known: Callable[[x.Expression], bool]) -> bool:
    """Whether evaluation neither accesses memory nor assigns; nodes that `is_known` have been evaluated."""
    if is_known(node):
        return True
    match node:
        case x.Prefix(op="&", operand=operand):
            parts = address_parts(operand)
            return all(is_pure(part, is_known) for part in parts or (operand,))
        case x.Prefix(op="*") | x.Index() | x.Assign() | x.Increment():
            return False
        case x.Call(function=function) if function != TRANSPARENT_CALL:
            return False
    return all(is_pure(part, is_known) for part in children(node))


def accesses(node: x.Expression, is_known: Callable[[x.Expression], bool]) -> list[x.Expression] | None:
    """The shared accesses in `node` if none depends on another and nothing else happens; else None."""
    if is_pure(node, is_known):
        return []
    match node:
        case x.Prefix(op="*") | x.Index() | x.Call() if not _is_transparent(node):
            return [node] if all(is_pure(part, is_known) for part in children(node)) else None
        case x.Prefix() | x.Cast() | x.Infix() | x.Call():
            parts = [accesses(part, is_known) for part in children(node)]
            return None if None in parts else [access for part in parts for access in part or ()]
        case _:
            return None


def _is_transparent(node: x.Expression) -> bool:
    return isinstance(node, x.Call) and node.function == TRANSPARENT_CALL


def everything(node: x.Expression) -> Iterator[x.Expression]:
    """The expression and all its parts."""
    yield node
    for part in children(node):
        yield from everything(part)


def assigned_variables(node: x.Expression) -> frozenset[str]:
    """The local variables that evaluation assigns."""
    return frozenset(
        part.target.name
        for part in everything(node)
        if isinstance(part, x.Assign | x.Increment) and isinstance(part.target, x.Name)
    )


@lru_cache(maxsize=KEPT)  # statements recur, and with them their parts
def changed_variables(node: x.Expression) -> frozenset[str]:
    """The local variables that evaluation assigns, or whose address is taken: a function may change them."""
    return assigned_variables(node) | {
        part.operand.name
        for part in everything(node)
        if isinstance(part, x.Prefix) and part.op == "&" and isinstance(part.operand, x.Name)
    }


def names_in(node: x.Expression) -> frozenset[str]:
    """All names in an expression."""
    return frozenset(part.name for part in everything(node) if isinstance(part, x.Name))
