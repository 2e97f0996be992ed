"""Any number of threads: the loops that create them and wait for them, up to a number that nobody knows.

The macro that says how many threads there are (`N`) is `ANY` then: a number without a value. Arrays of so
many elements have one per thread; `for (i = 0; i < N; i++)` around a call that creates a thread creates
them all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from pycparser import c_ast as ast

from membar.diagnostics import error
from membar.languages.c import codes
from membar.languages.c import types as t
from membar.languages.c.declarations import ANY
from membar.languages.c.expressions import Expressions
from membar.languages.c.values import Slot, converted, known
from membar.languages.c.world import Object, ThreadPlan
from membar.program.expr import Register, registers_of
from membar.program.operations import Join, Spawn
from membar.program.template import ME
from membar.source import SourceFile

# Where the function and its argument stand in the call.
_CREATING: Final = {"pthread_create": (2, 3), "thrd_create": (1, 2)}
_JOINING: Final = ("pthread_join", "thrd_join")
_CODE: Final = "W1204"
_HELP: Final = "create them by `for (long i = 0; i < N; i++) pthread_create(&t[i], NULL, f, (void *)i);`"


@dataclass(frozen=True, slots=True)
class Repeated:
    """`for (variable = 0; variable < N; variable++) call;`."""

    variable: str
    call: ast.FuncCall
    name: str


def repeated_call(node: ast.For) -> Repeated | None:
    """The call that a loop makes once for each thread, if it is one that creates or joins threads."""
    variable = _counter(node.init)
    if variable is None or not _is_below_all(node.cond, variable) or not _is_next(node.next, variable):
        return None
    body = node.stmt
    while isinstance(body, ast.Compound) and len(body.block_items or ()) == 1:
        body = body.block_items[0]
    if isinstance(body, ast.FuncCall) and isinstance(body.name, ast.ID):
        name = body.name.name
        if name in _CREATING or name in _JOINING:
            return Repeated(variable, body, name)
    return None


def _counter(init: ast.Node | None) -> str | None:
    match init:
        case ast.DeclList(decls=[ast.Decl(name=str() as name, init=ast.Constant(value="0"))]):
            return name
        case ast.Assignment(op="=", lvalue=ast.ID(name=str() as name), rvalue=ast.Constant(value="0")):
            return name
        case _:
            return None


def _is_below_all(condition: ast.Node | None, variable: str) -> bool:
    match condition:
        case ast.BinaryOp(op="<" | "!=", left=ast.ID(name=left), right=ast.ID(name=right)):
            return bool(left == variable and right == ANY)
        case _:
            return False


def _is_next(step: ast.Node | None, variable: str) -> bool:
    match step:
        case ast.UnaryOp(op="p++" | "++", expr=ast.ID(name=name)):
            return bool(name == variable)
        case ast.Assignment(op="+=", lvalue=ast.ID(name=name), rvalue=ast.Constant(value="1")):
            return bool(name == variable)
        case _:
            return False


def made(e: Expressions, found: Repeated, node: ast.For) -> None:
    """Creates all threads, or waits for them; the loop's variable is in scope."""
    m = e.m
    arguments = list(found.call.args.exprs) if found.call.args is not None else []
    if m.loops or m.number != 1:
        m.refuse(node, "threads created outside the straight way of `main`", codes.THREADS)
    if found.name in _JOINING:
        _joined(e, arguments, node)
        return
    at, given = _CREATING[found.name]
    if len(arguments) <= given:
        m.refuse(found.call, f"too few arguments of `{found.name}`", codes.CALL)
    function = m.world.function_at(e.scalar(arguments[at]).expr)
    if function is None:
        m.refuse(arguments[at], "a thread whose function is not known before the program runs")
    symbol = m.scope.find(found.variable)
    if not isinstance(symbol, Object) or symbol.in_memory:
        m.refuse(node, "a loop over all threads whose variable others may see", codes.THREADS)
    m.flow.put(symbol.key(0), Slot(Register(ME)))
    mark = m.flow.mark()
    argument = converted(e.scalar(arguments[given]), t.VOID_POINTER).expr
    if m.flow.mark() != mark or set(registers_of(argument)) - {ME}:
        m.refuse(
            arguments[given],
            "an argument that is neither constant nor the number of the thread",
            _CODE,
            _HELP,
        )
    if m.world.copied is not None:
        m.refuse(node, "two kinds of threads, each any number of them", _CODE)
    plan = ThreadPlan(
        name=function.name,
        number=len(m.world.plans) + 2,
        function=function,
        argument=argument,
        is_c11=found.name == "thrd_create",
        span=m.span(found.call),
    )
    m.world.plans.append(plan)
    m.world.copied = plan
    m.flow.emit(Spawn(plan.name), m.span(found.call))


def _joined(e: Expressions, arguments: list[ast.Node], node: ast.For) -> None:
    m = e.m
    if m.world.copied is None:
        m.refuse(node, "threads are joined before they are created", codes.THREADS)
    if len(arguments) < 2 or known(e.scalar(arguments[1]).expr) != 0:
        m.refuse(node, "what any number of threads return", _CODE)
    m.flow.emit(Join(f"@{m.world.copied.number}"), m.span(node))


def check_directives(source: SourceFile, macro: str) -> None:
    """Refuses texts that are other texts for other numbers of threads.

    Raises:
        InputError: a directive looks at the value of the macro.
    """
    for found in re.finditer(r"^[ \t]*#[ \t]*(?:if|elif)\b.*$", source.text, re.MULTILINE):
        line = re.sub(rf"defined\s*\(?\s*{re.escape(macro)}\b", "", found.group())
        place = re.search(rf"\b{re.escape(macro)}\b", line)
        if place is not None:
            raise error(
                _CODE,
                f"a text that depends on `{macro}`: not possible with any number of threads",
                source.span(found.start(), found.end()),
                "here",
            )


def check_private(created: Iterable[Object], plan: ThreadPlan) -> None:
    """Refuses memory that each copy has for itself, and others may see.

    Raises:
        InputError: there is some.
    """
    for item in created:
        is_private = "/" in item.label or item.label.startswith(("result@", "argument@"))
        if item.in_memory and is_private:
            place = item.span or plan.span
            assert place is not None
            raise error(
                _CODE,
                f"`{item.name}`, which each thread has in memory: not possible with any number of threads",
                place,
                "here",
            )


def nothing_copied(source: SourceFile, macro: str) -> None:
    """Refuses programs that do not create any number of threads.

    Raises:
        InputError: always.
    """
    found = re.search(rf"^[ \t]*#[ \t]*define[ \t]+{re.escape(macro)}\b.*$", source.text, re.MULTILINE)
    place = source.span(found.start(), found.end()) if found else source.span(0, 1)
    raise error(
        _CODE,
        f"no loop creates threads up to `{macro}`",
        place,
        "expected `#ifndef` around this" if found else "expected `main` to do it",
        help=_HELP,
    )
