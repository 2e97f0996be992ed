"""Marks that clients of objects carry: where a call begins, and what it returned. See `objects/client.py`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pycparser import c_ast as ast

from membar.languages.c import codes
from membar.languages.c import types as t
from membar.languages.c.calls import Arguments, Library
from membar.languages.c.expressions import Expressions
from membar.languages.c.values import NOTHING, Value, known
from membar.objects.orders import CALL, DONE, RESULT
from membar.program.expr import TRUE, Expr
from membar.program.operations import Set


def _begins(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    """A mark for the number of a call, in its thread."""
    _mark(e, node, f"{CALL}{_number(e, node, arguments)}", TRUE)
    return NOTHING


def _returns(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    """Does the call, and marks what it returned: its value, if it has one, then all further arguments."""
    number = _number(e, node, arguments)
    found = [e.value(item) for item in arguments[1:]]
    values = [value for value in found if isinstance(value, Value) and value.type != t.VOID]
    for place, value in enumerate(values):
        _mark(e, node, f"{RESULT}{number}.{place}", value.expr)
    _mark(e, node, f"{DONE}{number}", TRUE)
    return NOTHING


def _number(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> int:
    number = known(e.scalar(arguments[0]).expr)
    if number is None:
        e.m.refuse(node, "the number of a call is a constant", codes.CALL)
    return number


def _mark(e: Expressions, node: ast.FuncCall, register: str, value: Expr) -> None:
    e.m.flow.cut()
    e.m.flow.emit(Set(register, value), e.m.span(node))
    e.m.flow.cut()


FUNCTIONS: Final[Mapping[str, Library]] = MappingProxyType(
    {"__membar_call": Library(_begins, 1), "__membar_return": Library(_returns, 2, 100)}
)
"""What each of them does."""
