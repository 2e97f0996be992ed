"""What `main` gets: the arguments that the user gives, or none, and the verdict says so if that matters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pycparser import c_ast as ast

from membar.diagnostics import Diagnostic, InputError
from membar.languages.c import types as t
from membar.languages.c.machine import Machine
from membar.languages.c.values import Aggregate, B, Value, binary, constant, known
from membar.languages.c.world import Defined, Object, World
from membar.program.arguments import note_on_arguments
from membar.program.expr import FALSE, TRUE, Address, Register
from membar.program.operations import Choose

_NAME: Final = "string@program"
_LIST: Final = "arguments@program"
EXITS: Final = "exits"
"""The property that is violated where the process ends by failing."""
LABELS: Final = (_NAME, _LIST)
_POINTER: Final = 8


def arguments(machine: Machine, function: Defined, program: str) -> list[Value | Aggregate]:
    """The name of the program, and what the user gives.

    If that is not said, other ways to run it are cut, if `main` looks at them: no HOLDS covers them.
    """
    kinds = function.type.parameters or ()
    world = machine.world
    words = world.arguments or ()
    if world.arguments is not None and not uses_arguments(function):
        message = "--args has no effect: `main` does not look at its arguments"
        raise InputError(Diagnostic(code="W0413", message=message, help="leave it out"))
    given: Mapping[int, Value] = {0: constant(1), 1: Value(FALSE, t.Pointer(t.Pointer(t.CHAR)))}
    if uses_arguments(function):
        if world.arguments is None:
            _one_way(machine, function.node.decl)
        given = {0: constant(1 + len(words)), 1: _list(machine, (program, *words))}
    return [given[at] if at in given else Value(FALSE, kind) for at, kind in enumerate(kinds)]


def check_exit(machine: Machine, code: Value, message: str, node: ast.Node) -> None:
    """A violation of `exits` if the exit code is not 0.

    A program that looks at its arguments is run without any, unless the user gives some, and most such
    programs fail then: before it has started a thread that is no violation. A note names the line if it fails
    in any case; the verdict says that other ways to run it are not followed.
    """
    has_threads = machine.number > 1 or bool(machine.world.plans)
    if _is_open(machine.world) and not has_threads:
        if machine.flow.is_straight and not machine.flow.is_dead and known(code.expr):
            machine.world.after.usage_line = machine.span(node).line
        return
    machine.check(binary(B.EQ, code.expr, FALSE), message, node, kind=EXITS)


def uses_arguments(function: Defined) -> bool:
    """Whether `main` looks at its arguments."""
    names = _names(function.node)
    return any(name in names for name in _used(function.node.body))


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
    flow.is_straight = True


def notes_on_usage(world: World) -> tuple[str, ...]:
    """Which run of a program that looks at its arguments is explored."""
    return (note_on_arguments(world.after.usage_line),) if _is_open(world) else ()


def _is_open(world: World) -> bool:
    """Whether `main` looks at its arguments and gets none."""
    main = world.scope.symbols.get("main")
    return world.arguments is None and isinstance(main, Defined) and uses_arguments(main)


def _list(machine: Machine, words: Sequence[str]) -> Value:
    """The name of the program, its arguments, and a null pointer."""
    made: list[tuple[str, t.CType, dict[int, int | Address]]] = []
    places: dict[int, int | Address] = {}
    for number, word in enumerate(words):
        letters = [*word.encode(errors="surrogateescape"), 0]
        label = f"{_NAME}{number or ''}"
        made.append((label, t.Array(t.CHAR, len(letters)), dict(enumerate(letters))))
        places[number * _POINTER] = Address(label)
    places[len(words) * _POINTER] = 0
    made.append((_LIST, t.Array(t.Pointer(t.CHAR), len(words) + 1), places))
    for label, kind, initial in made:
        machine.world.new_object(
            Object(label=label, name=label, type=kind, declared=label, in_memory=True, initial={**initial})
        )
    return Value(Address(_LIST), t.Pointer(t.Pointer(t.CHAR)))
