"""Loops that do nothing but wait for a condition variable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pycparser import c_ast as ast

from membar.languages.c.parse import Tree

_WAITS: Final = frozenset({"pthread_cond_wait", "cnd_wait", "pthread_cond_timedwait", "cnd_timedwait"})


def plain_waits(tree: Tree) -> frozenset[int]:
    """The calls in `while (condition) wait(…);` whose condition only looks, each by its identity."""
    if tree.plain_waits is None:
        tree.plain_waits = frozenset(_found(tree.root))
    return tree.plain_waits


def _found(node: ast.Node) -> Iterator[int]:
    if isinstance(node, ast.While) and _only_looks(node.cond):
        body = node.stmt
        while isinstance(body, ast.Compound) and len(body.block_items or ()) == 1:
            body = body.block_items[0]
        if isinstance(body, ast.FuncCall) and isinstance(body.name, ast.ID) and body.name.name in _WAITS:
            yield id(body)
    for child in node:
        yield from _found(child)


def _only_looks(node: ast.Node) -> bool:
    match node:
        case ast.Assignment() | ast.Compound():
            return False
        case ast.UnaryOp(op="++" | "--" | "p++" | "p--"):
            return False
        case ast.FuncCall(name=ast.ID(name=name)) if not str(name).startswith("atomic_load"):
            return False
        case ast.FuncCall(name=ast.ID()):
            pass
        case ast.FuncCall():
            return False
        case _:
            pass
    return all(_only_looks(child) for child in node)
