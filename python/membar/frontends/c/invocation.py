"""What `main` gets: the program is run without arguments, and the verdict says so if that matters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pycparser import c_ast as ast

from membar.frontends.c import types as t
from membar.frontends.c.machine import Machine
from membar.frontends.c.values import Aggregate, Value, constant
from membar.frontends.c.world import Defined, Object
from membar.program.expr import FALSE, TRUE, Address, Register
from membar.program.operations import Choose

_NAME: Final = "string@program"
_LIST: Final = "arguments@program"
LABELS: Final = (_NAME, _LIST)
_POINTER: Final = 8


def arguments(machine: Machine, function: Defined, program: str) -> list[Value | Aggregate]:
    """The name of the program and nothing else; other ways to run it are cut, if `main` looks at them."""
    kinds = function.type.parameters or ()
    names = _names(function.node)
    given: Mapping[int, Value] = {0: constant(1), 1: Value(FALSE, t.Pointer(t.Pointer(t.CHAR)))}
    if any(name in names for name in _used(function.node.body)):
        _one_way(machine, function.node.decl)
        given = {0: constant(1), 1: _list(machine, program)}
    return [given[at] if at in given else Value(FALSE, kind) for at, kind in enumerate(kinds)]


def _names(node: ast.FuncDef) -> frozenset[str]:
    """What the parameters are called."""
    parameters = node.decl.type.args
    found = parameters.params if parameters is not None else ()
    return frozenset(item.name for item in found if isinstance(item, ast.Decl) and item.name)


def _used(node: ast.Node) -> Iterator[str]:
    """The names that something depends on: not what `(void)name` only names."""
    match node:
        case ast.ID(name=name):
            yield name
        case ast.Cast(to_type=ast.Typename(type=ast.TypeDecl(type=ast.IdentifierType(names=["void"])))):
            return
        case _:
            for child in node:
                yield from _used(child)


def _one_way(machine: Machine, node: ast.Node) -> None:
    """There are arguments, which is not followed; or there are none."""
    flow, span = machine.flow, machine.span(node)
    register = Register(flow.register())
    flow.emit(Choose(register.name, FALSE, TRUE), span)
    some, none = flow.branch(register, span)
    flow.state = some
    flow.endless(span)
    flow.state = none


def _list(machine: Machine, program: str) -> Value:
    """The name of the program, and a null pointer."""
    letters = [*program.encode(), 0]
    made: tuple[tuple[str, t.CType, dict[int, int | Address]], ...] = (
        (_NAME, t.Array(t.CHAR, len(letters)), dict(enumerate(letters))),
        (_LIST, t.Array(t.Pointer(t.CHAR), 2), {0: Address(_NAME), _POINTER: 0}),
    )
    for label, kind, initial in made:
        machine.world.new_object(
            Object(label=label, name=label, type=kind, declared=label, in_memory=True, initial={**initial})
        )
    return Value(Address(_LIST), t.Pointer(t.Pointer(t.CHAR)))
