"""<string.h> for text: characters up to the first 0, one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from pycparser import c_ast as ast

from membar.languages.c import codes
from membar.languages.c import types as t
from membar.languages.c.calls import Arguments, Library
from membar.languages.c.expressions import Expressions
from membar.languages.c.library.heap import allocated
from membar.languages.c.values import B, Slot, Value, binary, constant, converted, extended, known, select
from membar.languages.c.world import Place
from membar.program.expr import FALSE, TRUE, Constant, Expr

_MOST: Final = 256
Turn: TypeAlias = Callable[[int], Iterator[tuple[Expr, Expr]]]


def _text(e: Expressions, node: ast.Node) -> Value:
    """A pointer to characters."""
    value = e.m.kept(e.scalar(node), node)
    if not isinstance(value.type, t.Pointer) or t.size_of(value.type.target) not in (1, None):
        e.m.refuse(node, f"text is needed here, not `{t.spelled(value.type)}`", codes.CALL)
    return value


def _place(pointer: Value, index: int) -> Place:
    return Place(binary(B.ADD, pointer.expr, Constant(index)), t.CHAR)


def _character(e: Expressions, pointer: Value, index: int, node: ast.Node) -> Expr:
    found = e.m.read(_place(pointer, index), node)
    return found.expr if isinstance(found, Value) else FALSE


def _is_end(character: Expr) -> Expr:
    return binary(B.EQ, character, FALSE)


def _through(e: Expressions, node: ast.Node, turn: Turn) -> Expr:
    """Goes from character to character: a turn gives conditions under which that ends, and with what."""
    flow, span, key = e.m.flow, e.m.span(node), ("text", id(node), "")
    end = flow.exit()
    for index in range(_MOST):
        for condition, result in turn(index):
            if flow.is_dead:
                break
            yes, no = flow.branch(condition, span)
            flow.state = yes
            flow.put(key, Slot(result))
            flow.jump(end)
            flow.state = no
        if flow.is_dead:
            break
    else:
        flow.endless(span)
    flow.arrive(end)
    found = (flow.get(key) or Slot(FALSE)).expr
    flow.forget([key])
    return found


def _length(e: Expressions, text: Value, node: ast.Node) -> Expr:
    def turn(index: int) -> Iterator[tuple[Expr, Expr]]:
        yield _is_end(_character(e, text, index, node)), Constant(index)

    return _through(e, node, turn)


def _strlen(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    return Value(_length(e, _text(e, arguments[0]), node), t.ULONG)


def _strcmp(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    """The sign of the first difference; with a third argument, of so many characters at most."""
    left, right = _text(e, arguments[0]), _text(e, arguments[1])
    most = _count(e, arguments[2]) if len(arguments) > 2 else None

    def turn(index: int) -> Iterator[tuple[Expr, Expr]]:
        if index == most:
            yield TRUE, FALSE
            return
        x, y = (_character(e, pointer, index, node) for pointer in (left, right))
        a, b = (extended(word, t.UCHAR) for word in (x, y))
        sign = select(binary(B.LT, a, b), constant(-1).expr, constant(1).expr)
        yield binary(B.NE, a, b), sign
        yield _is_end(x), FALSE

    return Value(_through(e, node, turn), t.INT)


def _count(e: Expressions, node: ast.Node) -> int:
    number = known(converted(e.scalar(node), t.ULONG).expr)
    if number is None or number >= _MOST:
        e.m.refuse(node, f"a number of characters that is not known, or not less than {_MOST}", codes.LAYOUT)
    return number


def _copied(e: Expressions, node: ast.Node, target: Value, source: Value) -> None:
    def turn(index: int) -> Iterator[tuple[Expr, Expr]]:
        character = e.m.kept(Value(_character(e, source, index, node), t.CHAR), node)
        if not e.m.flow.is_dead:
            e.m.write(_place(target, index), character, node)
        yield _is_end(character.expr), FALSE

    _through(e, node, turn)


def _strcpy(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    target, source = _text(e, arguments[0]), _text(e, arguments[1])
    _copied(e, node, target, source)
    return Value(target.expr, t.Pointer(t.CHAR))


def _strcat(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    target, source = _text(e, arguments[0]), _text(e, arguments[1])
    end = binary(B.ADD, target.expr, _length(e, target, arguments[0]))
    _copied(e, node, e.m.kept(Value(end, t.Pointer(t.CHAR)), node), source)
    return Value(target.expr, t.Pointer(t.CHAR))


def _strncpy(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    target, source = _text(e, arguments[0]), _text(e, arguments[1])
    most = _count(e, arguments[2])
    zero = constant(0, t.CHAR)

    def turn(index: int) -> Iterator[tuple[Expr, Expr]]:
        if index == most:
            yield TRUE, FALSE
            return
        character = e.m.kept(Value(_character(e, source, index, node), t.CHAR), node)
        if not e.m.flow.is_dead:
            e.m.write(_place(target, index), character, node)
        yield _is_end(character.expr), Constant(index + 1)

    done = _through(e, node, turn)
    # Behind the end of a shorter text come zeros.
    for index in range(1, most):
        yes, no = e.m.flow.branch(_is_behind(done, index), e.m.span(node))
        e.m.flow.state = yes
        if yes is not None:
            e.m.write(_place(target, index), zero, node)
        e.m.flow.resume(e.m.flow.leave(), no)
    return Value(target.expr, t.Pointer(t.CHAR))


def _is_behind(done: Expr, index: int) -> Expr:
    """Whether a text ended before a character; `done` is how many were copied, or 0 if it did not end."""
    return binary(B.LT, binary(B.SUB, done, Constant(1)), Constant(index))


def _strchr(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    text = _text(e, arguments[0])
    wanted = extended(converted(e.scalar(arguments[1]), t.INT).expr, t.CHAR)

    def turn(index: int) -> Iterator[tuple[Expr, Expr]]:
        character = _character(e, text, index, node)
        yield binary(B.EQ, character, wanted), binary(B.ADD, text.expr, Constant(index))
        yield _is_end(character), FALSE

    return Value(_through(e, node, turn), t.Pointer(t.CHAR))


def _strdup(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    source = _text(e, arguments[0])
    length = known(_length(e, source, arguments[0]))
    if e.m.flow.is_dead:
        return Value(FALSE, t.Pointer(t.CHAR))
    if length is None:
        e.m.refuse(node, "a copy of text whose length is not known before the program runs", codes.HEAP_SIZE)
    e.m.world.after.layouts[id(node)] = t.Array(t.CHAR, length + 1)
    target = Value(allocated(e, node, (), length + 1, is_zero=False).expr, t.Pointer(t.CHAR))
    _copied(e, node, target, source)
    return target


FUNCTIONS: Final[Mapping[str, Library]] = MappingProxyType(
    {
        "strlen": Library(_strlen, 1),
        "strcmp": Library(_strcmp, 2),
        "strncmp": Library(_strcmp, 3),
        "strcpy": Library(_strcpy, 2),
        "strncpy": Library(_strncpy, 3),
        "strcat": Library(_strcat, 2),
        "strchr": Library(_strchr, 2),
        "strdup": Library(_strdup, 1),
    }
)
"""What each of them does."""
