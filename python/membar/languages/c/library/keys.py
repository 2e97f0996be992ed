"""What each thread has for itself under a key: `pthread_key_create`, `tss_create` and their like."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pycparser import c_ast as ast

from membar.languages.c import codes
from membar.languages.c import types as t
from membar.languages.c.calls import Arguments, Library
from membar.languages.c.expressions import Expressions
from membar.languages.c.flow import Key
from membar.languages.c.library.heap import freed
from membar.languages.c.machine import Machine
from membar.languages.c.values import NOTHING, B, Slot, Value, binary, constant, converted, known, select
from membar.languages.c.world import Defined, Place
from membar.program.expr import FALSE, Constant, Expr

FREE: Final = "free"
_ROUNDS: Final = 4
"""How often functions of keys are called at most: PTHREAD_DESTRUCTOR_ITERATIONS, TSS_DTOR_ITERATIONS."""
_UNKNOWN: Final = "a key that was never created is used"


def key_of(number: int) -> Key:
    """The variable of the flow that holds what a thread has under a key."""
    return ("specific", number, "specific")


def _create(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    m = e.m
    into = e.scalar(arguments[0])
    if not isinstance(into.type, t.Pointer):
        m.refuse(arguments[0], "a pointer to a key is needed here", codes.CALL)
    if m.loops:
        m.refuse(node, "a key created in a loop whose number of turns is not known", codes.THREADS)
    m.world.keys.append(_destructor(e, arguments[1]))
    number = Constant(len(m.world.keys))
    m.write(Place(into.expr, into.type.target), Value(number, t.UINT), node)
    return constant(0)


def _destructor(e: Expressions, node: ast.Node) -> str:
    """The name of the function that gets what a thread leaves behind; empty if there is none."""
    if isinstance(node, ast.ID) and node.name == FREE and not isinstance(e.m.scope.find(FREE), Defined):
        return FREE
    value = e.scalar(node)
    if known(value.expr) == 0:
        return ""
    function = e.m.world.function_at(value.expr)
    if function is None:
        e.m.refuse(node, "a function that is not known before the program runs")
    return function.name


def _number(e: Expressions, node: ast.Node, call: ast.Node) -> Expr:
    """The number of a key, which is one that was created."""
    word = converted(e.scalar(node), t.UINT).expr
    distance = binary(B.SUB, word, Constant(1))
    is_one = binary(B.LT, distance, Constant(max(len(e.m.world.before.keys), len(e.m.world.keys))))
    e.m.check(is_one, _UNKNOWN, call)
    return word


def _set(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    m = e.m
    number = _number(e, arguments[0], node)
    value = m.kept(converted(e.scalar(arguments[1]), t.VOID_POINTER), node)
    for index in range(1, len(m.world.before.keys) + 1):
        old = m.flow.get(key_of(index)) or Slot(FALSE)
        new = select(binary(B.EQ, number, Constant(index)), value.expr, old.expr)
        m.flow.put(key_of(index), Slot(m.kept(Value(new, t.VOID_POINTER), node).expr))
    return constant(0)


def _get(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    number = _number(e, arguments[0], node)
    found: Expr = FALSE
    for index in range(1, len(e.m.world.before.keys) + 1):
        held = (e.m.flow.get(key_of(index)) or Slot(FALSE)).expr
        found = select(binary(B.EQ, number, Constant(index)), held, found)
    return e.m.kept(Value(found, t.VOID_POINTER), node)


def _delete(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    _number(e, arguments[0], node)
    return constant(0)


def _delete_c11(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    _delete(e, node, arguments)
    return NOTHING


def leave(m: Machine, call: ast.Node) -> None:
    """The end of a thread: what it has under its keys goes to their functions, as long as they leave more."""
    for _ in range(_ROUNDS):
        _leave_once(m, call)


def _leave_once(m: Machine, call: ast.Node) -> None:
    """What the thread has under each key goes to the key's function."""
    for index, name in enumerate(m.world.before.keys, start=1):
        slot = m.flow.get(key_of(index))
        if not name or slot is None or slot.expr == FALSE or m.flow.is_dead:
            continue
        yes, no = m.flow.branch(binary(B.NE, slot.expr, FALSE), m.span(call))
        m.flow.state = yes
        m.flow.put(key_of(index), Slot(FALSE))
        function = m.world.scope.symbols.get(name)
        if name == FREE:
            freed(m, slot.expr, call)
        elif isinstance(function, Defined):
            m.enter(m, function, [Value(slot.expr, t.VOID_POINTER)], call)
        m.flow.resume(m.flow.leave(), no)


FUNCTIONS: Final[Mapping[str, Library]] = MappingProxyType(
    {
        "pthread_key_create": Library(_create, 2),
        "pthread_key_delete": Library(_delete, 1),
        "pthread_setspecific": Library(_set, 2),
        "pthread_getspecific": Library(_get, 1),
        "tss_create": Library(_create, 2),
        "tss_delete": Library(_delete_c11, 1),
        "tss_set": Library(_set, 2),
        "tss_get": Library(_get, 1),
    }
)
"""What each of them does."""
