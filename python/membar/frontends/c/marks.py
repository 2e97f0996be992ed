"""Marks: cells that say whether scalars of allocated memory were set that are too small to say so themselves.

A mark lies as far behind its scalar as `heap.mark_of` says, and is 1 until the scalar is set. Atomic scalars
have none: who reads one and its mark may see the one new and the other old.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pycparser import c_ast as ast

from membar.frontends.c import heap, liveness
from membar.frontends.c import types as t
from membar.frontends.c.values import B, binary, select
from membar.program.expr import FALSE, TRUE, Address, Constant, Expr, Register
from membar.program.operations import Load, Store

if TYPE_CHECKING:
    from membar.frontends.c.machine import Machine
    from membar.frontends.c.world import Object, Place

# Nobody is ordered by marks: the scalars are, or have a race.
_TAGS: Final = frozenset({"RLX"})


def set_mark(m: Machine, place: Place, node: ast.Node) -> None:
    """A scalar was set."""
    address = _mark(m, place)
    if address is not None:
        size = t.size_of(place.type) or 1
        m.flow.emit(Store(address=address, value=FALSE, size=size, tags=_TAGS), m.span(node))


def unset(m: Machine, address: Expr, shape: heap.Shape, node: ast.Node, *, is_zero: bool) -> None:
    """Memory at `address` begins again."""
    for offset, size in heap.scalars(shape):
        if not heap.says_unset(size) and not m.world.is_kernel:
            mark = binary(B.ADD, address, Constant(offset + heap.mark_of(shape)))
            value = Constant(int(not is_zero))
            m.flow.emit(Store(address=mark, value=value, size=size, tags=_TAGS), m.span(node))


def is_set(m: Machine, place: Place, node: ast.Node) -> Expr:
    """Whether a scalar was set, as a word: true also if it has no mark."""
    address = _mark(m, place)
    if address is None:
        return TRUE
    register, size = m.flow.register(), t.size_of(place.type) or 1
    m.flow.emit(Load(register=register, address=address, size=size, tags=_TAGS), m.span(node))
    return binary(B.EQ, Register(register), FALSE)


def check_set(m: Machine, place: Place, node: ast.Node) -> None:
    """A violation if a scalar was never set."""
    item = liveness.base_of(m.world, place.address)
    places = m.world.before.malloc_places.values()
    where = (
        liveness.lines(place.line for place in places)
        if item is None or item.slot is None
        else f"line {item.slot.line}"
    )
    m.check(is_set(m, place, node), f"memory allocated at {where} is read before it was set", node)


def _mark(m: Machine, place: Place) -> Expr | None:
    """The address of the mark of what lies at a place; None if it has none."""
    size = t.size_of(place.type) or 0
    if isinstance(place.type, t.Atomic) or heap.says_unset(size) or m.world.is_kernel or m.flow.is_dead:
        return None
    small = {shape: count for shape, count in m.world.before.shapes.items() if heap.has_small(shape)}
    item = liveness.base_of(m.world, place.address)
    if item is not None:
        return (
            _mark_of(m, item, place.address) if item.slot is not None and item.slot.shape in small else None
        )
    if not small:
        return None
    chosen: Expr = Address(heap.apart(m.number, size))
    for shape, count in small.items():
        distance = binary(B.SUB, place.address, Address(heap.region(m.world.shape_number(shape))))
        inside = binary(B.LT, distance, Constant(count * heap.stride_of(shape)))
        chosen = select(inside, binary(B.ADD, place.address, Constant(heap.mark_of(shape))), chosen)
    return chosen


def _mark_of(m: Machine, item: Object, address: Expr) -> Expr | None:
    """The mark of part of an object in the heap."""
    slot = item.slot
    assert slot is not None
    if isinstance(address, Address) and isinstance(item.kinds.get(address.offset), t.Atomic):
        return None
    behind = slot.index * heap.stride_of(slot.shape) + heap.HEADER + heap.mark_of(slot.shape)
    region = heap.region(m.world.shape_number(slot.shape))
    if isinstance(address, Address):
        return Address(region, behind + address.offset)
    return binary(B.ADD, Address(region, behind), binary(B.SUB, address, Address(item.label)))
