"""<string.h>: memory that is copied, set and compared as a whole, scalar by scalar."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations, product
from types import MappingProxyType
from typing import Final

from pycparser import c_ast as ast

from membar.languages.c import arenas, codes, parts
from membar.languages.c import types as t
from membar.languages.c.calls import Arguments, Library
from membar.languages.c.expressions import Expressions
from membar.languages.c.values import B, Slot, Value, binary, constant, converted, extended, known, select
from membar.languages.c.world import Object, Place
from membar.program.expr import FALSE, Address, Constant, Expr

_BYTES: Final = 0x0101_0101_0101_0101
_MOST_SCALARS: Final = 4096
_APART: Final = frozenset({"memcpy", "__builtin_memcpy"})
Layout = tuple[tuple[int, t.CType], ...]


def _pointer(e: Expressions, node: ast.Node) -> Value:
    value = e.m.kept(e.scalar(node), node)
    if not isinstance(value.type, t.Pointer):
        e.m.refuse(node, f"a `{t.spelled(value.type)}` is no pointer", codes.TYPE)
    return value


def _layout(e: Expressions, pointer: Value, size: int) -> Layout | None:
    """The scalars of the first `size` bytes that a pointer points to; None if its type does not say."""
    assert isinstance(pointer.type, t.Pointer)
    kind = t.unqualified(pointer.type.target)
    each = None if isinstance(kind, t.Void | t.Function) else t.size_of(kind)
    item = e.m.object_at(pointer.expr)
    start = pointer.expr.offset if isinstance(pointer.expr, Address) else 0
    if item is not None and 0 <= start <= (t.size_of(item.type) or 0) - size:
        ends = ((at, at + (t.size_of(part) or 1), part) for at, part in item.kinds.items())
        return tuple((at - start, part) for at, end, part in ends if start < end and at < start + size)
    if each is None or each == 1:
        return None
    count = -(-size // each)
    every = [(turn * each + at, part) for turn in range(count) for at, part in e.m.scalars(kind)]
    return tuple((at, part) for at, part in every if at < size)


def _common(e: Expressions, node: ast.FuncCall, pointers: list[Value], size: int) -> Layout:
    """The scalars that all pointers agree on; arenas agree with everything."""
    for pointer, other in permutations(pointers, 2):
        assert isinstance(other.type, t.Pointer)
        if not isinstance(pointer.expr, Address) and t.size_of(other.type.target) == size:
            arenas.view(e.m, pointer, other.type.target)
    each = [(pointer, _layout(e, pointer, size)) for pointer in pointers]
    found = [layout for _, layout in each if layout is not None]
    if not found and all(_is_bytes(pointer) for pointer in pointers):
        found = [_bytes(size)]
    if not found:
        e.m.refuse(node, "memory whose layout is not known from the text", codes.LAYOUT)
    if _is_mixed(found, size):
        for pointer, layout in product(pointers, found):
            arenas.copied(e.m, pointer.expr, layout, size)
        arenas_ = [arenas.is_arena(e.m, pointer.expr, size) for pointer in pointers]
        typed = [layout for (_, layout), free in zip(each, arenas_, strict=True) if layout and not free]
        found = typed or ([_bytes(size)] if all(arenas_) else found)
    if _is_mixed(found, size):
        e.m.refuse(node, "part of a scalar, or memory of another layout", codes.LAYOUT)
    if len(found[0]) > _MOST_SCALARS:
        e.m.refuse(node, f"{size} bytes at once", codes.LAYOUT)
    return found[0]


def _bytes(size: int) -> Layout:
    return tuple((at, t.CHAR) for at in range(size))


def _is_mixed(layouts: list[Layout], size: int) -> bool:
    """Whether layouts differ, or a scalar lies only partly in so many bytes."""
    is_cut = any(at < 0 or at + (t.size_of(kind) or 1) > size for at, kind in layouts[0])
    return is_cut or any(_places(layout) != _places(layouts[0]) for layout in layouts)


def _places(layout: Layout) -> set[tuple[int, int | None]]:
    """Offset and size of every scalar."""
    return {(at, t.size_of(kind)) for at, kind in layout}


def _is_bytes(pointer: Value) -> bool:
    return isinstance(pointer.type, t.Pointer) and t.size_of(pointer.type.target) == 1


def _size(e: Expressions, node: ast.Node) -> int:
    number = known(e.scalar(node).expr)
    if number is None or number > 8 * _MOST_SCALARS:
        e.m.refuse(node, "a number of bytes that is not known before the program runs", codes.LAYOUT)
    return number


def _moved(pointer: Value, offset: int) -> Expr:
    return binary(B.ADD, pointer.expr, Constant(offset))


def _copy(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    """`memcpy` and `memmove`: all is read before anything is written."""
    target, source = _pointer(e, arguments[0]), _pointer(e, arguments[1])
    size = _size(e, arguments[2])
    if size == 0:
        return Value(target.expr, t.VOID_POINTER)
    if node.name.name in _APART:
        _check_apart(e, node, (target.expr, source.expr), size)
    scalars = [(at, t.unqualified(kind)) for at, kind in _common(e, node, [target, source], size)]
    found: list[tuple[int, t.CType, Slot]] = []
    for at, kind in scalars:
        address = _moved(source, at)
        item = e.m.object_at(address)
        if isinstance(item, Object) and not item.in_memory and isinstance(address, Address):
            part = parts.part_of(e.m, Place(address, kind))
            if part is None and e.m.is_bad(Place(address, kind), node):
                return Value(FALSE, t.VOID_POINTER)
            whole = e.m.flow.get(item.key(address.offset)) or Slot(FALSE, FALSE)
            found.append((at, kind, whole if part is None else parts.held(e.m, item, part, kind)))
        else:
            found.append((at, kind, e.m.read_part(Place(address, kind), node)))
    for at, kind, slot in found:
        address = _moved(target, at)
        item = e.m.object_at(address)
        if isinstance(item, Object) and not item.in_memory and isinstance(address, Address):
            part = parts.part_of(e.m, Place(address, kind))
            if part is not None:
                parts.hold(e.m, item, part, slot)
            elif not e.m.is_bad(Place(address, kind), node):
                e.m.flow.put(item.key(address.offset), slot)
        else:
            e.m.write(Place(address, kind), Value(slot.expr, kind), node)
    return Value(target.expr, t.VOID_POINTER)


def _check_apart(e: Expressions, node: ast.FuncCall, pointers: tuple[Expr, Expr], size: int) -> None:
    """A violation if two stretches of memory overlap."""
    first, second = pointers
    message = f"`{node.name.name}` of memory that overlaps"
    if isinstance(first, Address) and isinstance(second, Address):
        is_apart = first.name != second.name or abs(first.offset - second.offset) >= size
        e.m.check(Constant(int(is_apart)), message, node)
    elif not any(e.m.is_private(pointer) for pointer in pointers):
        length = Constant(size)
        distances = (binary(B.SUB, first, second), binary(B.SUB, second, first))
        here, there = (binary(B.LE, length, distance) for distance in distances)
        e.m.check(binary(B.AND, here, there), message, node)


def _set(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    target = _pointer(e, arguments[0])
    byte = binary(B.AND, converted(e.scalar(arguments[1]), t.ULONG).expr, Constant(0xFF))
    size = _size(e, arguments[2])
    word = binary(B.MUL, byte, Constant(_BYTES))
    for at, kind in _common(e, node, [target], size) if size else ():
        plain = t.unqualified(kind)
        if isinstance(plain, t.Whole) and plain.shift and byte != FALSE:
            e.m.refuse(node, "an atomic structure of 16 bytes, set byte by byte", codes.LAYOUT)
        narrow = plain if isinstance(plain, t.Integer) else parts.word_of(t.size_of(plain) or 8)
        e.m.write(Place(_moved(target, at), plain), Value(extended(word, narrow), plain), node)
    return Value(target.expr, t.VOID_POINTER)


def _compare(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    left, right = _pointer(e, arguments[0]), _pointer(e, arguments[1])
    size = _size(e, arguments[2])
    result: Expr = FALSE
    scalars = _common(e, node, [left, right], size) if size else []
    if sum(t.size_of(kind) or 0 for _, kind in scalars) < size:
        words = "a comparison of bytes between the members of a structure, which hold anything"
        e.m.refuse(node, words, codes.LAYOUT, "compare member by member")
    for at, kind in reversed(scalars):
        plain = t.unqualified(kind)
        if isinstance(plain, t.Whole):
            e.m.refuse(node, "an atomic structure that is compared byte by byte", codes.LAYOUT)
        values = [e.m.read(Place(_moved(pointer, at), plain), node) for pointer in (left, right)]
        x, y = (value.expr if isinstance(value, Value) else FALSE for value in values)
        result = e.m.flow.named(_first_difference(x, y, t.size_of(plain) or 1, result), e.m.span(node))
    return Value(result, t.INT)


def _first_difference(x: Expr, y: Expr, size: int, otherwise: Expr) -> Expr:
    """-1 or 1 by the first byte, lowest first, in which two scalars differ."""
    for index in reversed(range(size)):
        a, b = (binary(B.AND, binary(B.SHR, word, Constant(8 * index)), Constant(0xFF)) for word in (x, y))
        sign = select(binary(B.LT, a, b), constant(-1).expr, constant(1).expr)
        otherwise = select(binary(B.EQ, a, b), otherwise, sign)
    return otherwise


FUNCTIONS: Final[Mapping[str, Library]] = MappingProxyType(
    {
        "memcpy": Library(_copy, 3),
        "memmove": Library(_copy, 3),
        "memset": Library(_set, 3),
        "memcmp": Library(_compare, 3),
        "__builtin_memcpy": Library(_copy, 3),
        "__builtin_memset": Library(_set, 3),
    }
)
"""What each of them does."""
