"""Functions with any number of arguments, errors told by `errno`, and signals, which never come."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NoReturn

from pycparser import c_ast as ast

from membar.languages.c import types as t
from membar.languages.c.calls import Arguments, Library
from membar.languages.c.expressions import Expressions
from membar.languages.c.values import Value, constant, known
from membar.languages.c.world import LITERAL, Object
from membar.program.expr import Address

_IGNORE: Final = 1


def _va_arg(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> NoReturn:
    del arguments
    e.m.refuse(node, "`va_arg`: arguments that a function looks at without their names")


def _nothing(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    del node
    for item in arguments:
        if not isinstance(item, ast.Constant):
            e.value(item)
    return constant(0)


def _handler(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    """`signal`: a signal may be ignored, or do what it does by itself."""
    e.value(arguments[0])
    number = known(e.scalar(arguments[1]).expr)
    if number is None or number > _IGNORE:
        e.m.refuse(node, "a function that is called by a signal")
    return constant(0)


def _signals(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> NoReturn:
    del arguments
    name = node.name.name if isinstance(node.name, ast.ID) else "a signal"
    e.m.refuse(node, f"`{name}`: signals")


def _error_text(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    """`strerror`: some text, for messages."""
    for item in arguments:
        e.value(item)
    label = f"{LITERAL}error"
    if label not in e.m.world.objects:
        kind = t.Array(t.CHAR, 6)
        item = Object(
            label=label, name="error", type=kind, declared=label, in_memory=True, span=e.m.span(node)
        )
        item.initial = dict(enumerate(b"error\0"))
        e.m.world.new_object(item)
    return Value(Address(label), t.Pointer(t.CHAR))


FUNCTIONS: Final[Mapping[str, Library]] = MappingProxyType(
    {
        "__membar_va_arg": Library(_va_arg, 1),
        "vprintf": Library(_nothing, 2),
        "vfprintf": Library(_nothing, 3),
        "strerror": Library(_error_text, 1),
        "signal": Library(_handler, 2),
        "sigaction": Library(_signals, 3),
        "raise": Library(_signals, 1),
        "kill": Library(_signals, 2),
        "pthread_kill": Library(_signals, 2),
        "sigwait": Library(_signals, 2),
        "alarm": Library(_signals, 1),
        "pause": Library(_signals, 0),
    }
    | dict.fromkeys(("sigemptyset", "sigfillset"), Library(_nothing, 1))
    | dict.fromkeys(("sigaddset", "sigdelset"), Library(_nothing, 2))
    | dict.fromkeys(("pthread_sigmask", "sigprocmask"), Library(_nothing, 3))
)
"""What each of them does."""
