"""malloc, calloc, aligned_alloc and realloc: how much they allocate, and what is kept.

A size that only the execution knows is one of a few: no element, or up to `_MOST_ELEMENTS` of them, each with
memory of its own. What would be larger is cut, and the verdict says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from pycparser import c_ast as ast

from membar.languages.c import codes, contents, heap, liveness
from membar.languages.c import types as t
from membar.languages.c.calls import Arguments, Library
from membar.languages.c.expressions import Expressions
from membar.languages.c.library.heap import allocated, freed, sizes_in
from membar.languages.c.machine import Machine
from membar.languages.c.values import B, Slot, Value, binary, converted, known
from membar.languages.c.world import Place
from membar.program.expr import FALSE, TRUE, Address, Constant, Expr

_LARGEST_ALIGNMENT: Final = heap.HEADER
_MOST_ELEMENTS: Final = 8
_WORDS: Final = {1: t.UCHAR, 2: t.USHORT, 4: t.UINT, 8: t.ULONG}


def _malloc(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    return _new(e, node, arguments, _bytes(e, arguments[0]), is_zero=False)


def _calloc(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    size = binary(B.MUL, _bytes(e, arguments[0]), _bytes(e, arguments[1]))
    return _new(e, node, arguments, size, is_zero=True)


def _aligned(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    alignment = known(e.scalar(arguments[0]).expr)
    if alignment is None or alignment & (alignment - 1) or not 0 < alignment <= _LARGEST_ALIGNMENT:
        e.m.refuse(node, f"an alignment that is no power of two up to {_LARGEST_ALIGNMENT}", codes.HEAP_SIZE)
    e.m.world.alignments[id(node)] = max(alignment, heap.ALIGNMENT)
    return _new(e, node, arguments[1:], _bytes(e, arguments[1]), is_zero=False)


def _bytes(e: Expressions, node: ast.Node) -> Expr:
    return e.m.kept(converted(e.scalar(node), t.ULONG), node).expr


def _new(e: Expressions, node: ast.FuncCall, arguments: Arguments, size: Expr, *, is_zero: bool) -> Value:
    """New memory of a size that is known, or one of a few."""
    number = known(size)
    if number is not None or e.m.flow.is_dead:
        return allocated(e, node, arguments, number or 0, is_zero=is_zero)
    contents.needed(e.m)
    m, flow, span = e.m, e.m.flow, e.m.span(node)
    if m.loops:
        contents.needed_to_go_on(m)
        m.refuse(node, "memory whose size is not known before the program runs, in a loop", codes.HEAP_SIZE)
    first, each = _step(e, arguments)
    end, key = flow.exit(), ("sized", id(node), "")
    size = flow.named(size, span)
    for count in range(_MOST_ELEMENTS + 1):
        this = first + count * each
        yes, no = flow.branch(binary(B.EQ, size, Constant(this)), span)
        flow.state = yes
        flow.put(key, Slot(allocated(e, node, arguments, this, is_zero=is_zero).expr))
        flow.jump(end)
        flow.state = no
    flow.endless(span)
    flow.arrive(end)
    pointer = (flow.get(key) or Slot(FALSE)).expr
    flow.forget([key])
    return Value(pointer, t.VOID_POINTER)


def _step(e: Expressions, arguments: Arguments) -> tuple[int, int]:
    """How sizes grow, as the types in a call say: from the first number in steps of the second one."""
    kinds = [e.operand_type(inner.expr) for argument in arguments for inner in sizes_in(argument)]
    if not kinds:
        return 0, 1
    tail = t.flexible(kinds[0])
    first = t.size_of(kinds[0]) or 1
    return (0, first) if tail is None else (first, t.size_of(tail.element) or 1)


# realloc


def _realloc(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    m = e.m
    old = m.kept(e.scalar(arguments[0]), node)
    size = _bytes(e, arguments[1])
    if known(size) == 0 and known(old.expr) != 0:
        freed(m, old.expr, node)
        return Value(FALSE, t.VOID_POINTER)
    item = liveness.base_of(m.world, old.expr) if isinstance(old.expr, Address) else None
    if item is not None:
        _keep_layout(m, node, item.type, known(size))
    new = _new(e, node, arguments[1:], size, is_zero=False)
    if known(old.expr) == 0 or m.flow.is_dead:
        return new
    new = m.kept(new, node)
    move = _Move(old.expr, new.expr, size)
    if item is not None and item.slot is not None and not item.slot.thread:
        _keep(m, move, [(at, t.size_of(kind) or 1) for at, kind in item.kinds.items()], node)
    elif item is None:
        _keep_any(m, move, node)
    freed(m, old.expr, node)
    return new


def _keep_layout(m: Machine, node: ast.FuncCall, kind: t.CType, size: int | None) -> None:
    """Memory that is allocated again has the type that it had."""
    element = kind.element if isinstance(kind, t.Array) else kind
    each = t.size_of(element) or 1
    if id(node) not in m.world.before.layouts and size and size % each == 0:
        m.world.after.layouts[id(node)] = element if size == each else t.Array(element, size // each)


@dataclass(frozen=True, slots=True)
class _Move:
    """Memory that moves: where it was, where it is now, and its new size."""

    old: Expr
    new: Expr
    size: Expr


def _keep(m: Machine, move: _Move, scalars: list[tuple[int, int]], node: ast.Node) -> None:
    """Copies what fits into the new memory, scalar by scalar."""
    flow = m.flow
    for offset, width in scalars:
        kind = _WORDS[width]
        yes, no = flow.branch(binary(B.LE, Constant(offset + width), move.size), m.span(node))
        flow.state = yes
        if yes is not None:
            part = m.read_part(Place(binary(B.ADD, move.old, Constant(offset)), kind), node)
            is_small = not heap.says_unset(width)
            yes, unset = flow.branch(part.defined if is_small else TRUE, m.span(node))
            flow.state = yes
            m.write(Place(binary(B.ADD, move.new, Constant(offset)), kind), Value(part.expr, kind), node)
            flow.resume(flow.leave(), unset)
        flow.resume(flow.leave(), no)


def _keep_any(m: Machine, move: _Move, node: ast.Node) -> None:
    """The same of memory that only the execution knows: it is of one of the shapes that there are."""
    flow, span = m.flow, m.span(node)
    end = flow.exit()
    null, other = flow.branch(binary(B.EQ, move.old, FALSE), span)
    flow.state = null
    flow.jump(end)
    flow.state = other
    for index, shape, count in heap.allocated(m.world.before.shapes):
        distance = binary(B.SUB, move.old, Address(heap.region(index)))
        yes, no = flow.branch(binary(B.LT, distance, Constant(count * heap.stride_of(shape))), span)
        flow.state = yes
        _keep(m, move, list(heap.scalars(shape)), node)
        flow.jump(end)
        flow.state = no
    flow.jump(end)  # `free` says what is wrong with it
    flow.arrive(end)


FUNCTIONS: Final[Mapping[str, Library]] = MappingProxyType(
    {
        "malloc": Library(_malloc, 1),
        "calloc": Library(_calloc, 2),
        "aligned_alloc": Library(_aligned, 2),
        "realloc": Library(_realloc, 2),
    }
)
"""What each of them does."""
