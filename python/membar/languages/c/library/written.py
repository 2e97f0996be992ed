"""Calls of functions that are written in C: the body is put in place, and every step of it is the call's."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pycparser import c_ast as ast

from membar.languages.c import types as t
from membar.languages.c import written
from membar.languages.c.calls import Arguments, Library
from membar.languages.c.expressions import Expressions
from membar.languages.c.values import NOTHING, B, Value, binary
from membar.languages.c.world import Defined
from membar.program.expr import FALSE

_NO_ADDRESS: Final = 0


def _placed(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    name = node.name.name
    body = e.m.world.tree.placed(node, lambda: written.definition(name))
    kind = e.declarations.type_of(body.decl.type)
    assert isinstance(kind, t.Function)
    values = [e.value(item) for item in arguments]
    found = e.m.enter(e.m, Defined(name, body, kind, _NO_ADDRESS), values, node)
    assert isinstance(found, Value)
    return found


def _meaningful(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    """A violation unless the bits that a function of GCC counts are not all 0."""
    condition = binary(B.NE, e.scalar(arguments[0]).expr, FALSE)
    e.m.check(condition, "bits of 0 are counted, which gives no number", node)
    return NOTHING


def _arity(head: str) -> int:
    return head.count(",") + 1


FUNCTIONS: Final[Mapping[str, Library]] = MappingProxyType(
    {name: Library(_placed, _arity(head)) for name, head in written.heads().items()}
    | {"bsearch": Library(_placed, 5), "__membar_meaningful": Library(_meaningful, 1)}
)
"""What each of them does."""
