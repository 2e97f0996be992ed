"""Marks: cells that say whether scalars of memory were set that are too small to say so themselves.

Such a scalar begins with the number of `heap.BLANK`. Who finds another one there knows that it was set. The
mark, as far behind the scalar as `heap.mark_of` says, is for those who find this one: it is 1 until just
before the scalar is set. It is read just after the scalar, so that whatever orders the reading of the scalar
behind its setting orders the marks too. A `bool` needs none, and a program that sets only other constants
clears none.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from pycparser import c_ast as ast

from membar.languages.c import heap, liveness
from membar.languages.c import types as t
from membar.languages.c.values import B, binary, known, select
from membar.program.expr import FALSE, TRUE, Address, Constant, Expr, Register
from membar.program.operations import Load, Store
from membar.program.program import Value as Initial

if TYPE_CHECKING:
    from membar.languages.c.machine import Machine
    from membar.languages.c.world import Object, Place

# Nobody is ordered by marks: the scalars are, or have a race.
_TAGS: Final = frozenset({"RLX"})


def settings_checked(unmarked: Collection[int]) -> tuple[tuple[str, str], ...]:
    """That nothing says of the small scalars of memory that begins at these lines whether they were set."""
    if not unmarked:
        return ()
    places = f"line{'s' * (len(unmarked) > 1)} {', '.join(map(str, sorted(unmarked)))}"
    part = f"without checking that small numbers in memory of {places} are set before they are read"
    return (("memory", part),)


def first_values(m: Machine, item: Object, number: int) -> dict[int, Initial]:
    """What memory from a call of `malloc` holds before it is set, by offset."""
    has_marks = not m.world.is_kernel
    return {at: heap.first(size, number, has_marks=has_marks) for at, size in item.places.items()}


def set_mark(m: Machine, place: Place, value: Expr, node: ast.Node) -> None:
    """A scalar is about to be set."""
    number, size = known(value), t.size_of(place.type) or 0
    address = None if _is_bool(place.type) else _mark(m, place)
    if address is None:
        return
    if number is None or number & ((1 << (8 * size)) - 1) == heap.BLANK[size]:
        m.world.after.blurs = True
    if m.world.before.blurs:
        m.flow.emit(Store(address=address, value=FALSE, size=size, tags=_TAGS), m.span(node))


def changed(m: Machine, place: Place, found: Expr, node: ast.Node) -> None:
    """A scalar was changed by a single step that found this in it: a violation if it was never set."""
    if not _is_bool(place.type) and _mark(m, place) is not None:
        m.world.after.blurs = True
    check_set(m, place, found, node)


def unset(m: Machine, address: Expr, shape: heap.Shape, node: ast.Node, *, is_zero: bool) -> None:
    """Memory at `address` begins again."""
    for offset, size in heap.scalars(shape):
        if heap.has_mark(size) and not m.world.is_kernel:
            mark = binary(B.ADD, address, Constant(offset + heap.mark_of(shape)))
            value = Constant(int(not is_zero))
            m.flow.emit(Store(address=mark, value=value, size=size, tags=_TAGS), m.span(node))


def begin_unset(m: Machine, item: Object, node: ast.Node) -> None:
    """A local variable without a value begins, perhaps once more."""
    if item.slot is None or not heap.has_small(item.slot.shape) or not m.loops:
        return
    for offset, size in heap.scalars(item.slot.shape):
        if heap.has_mark(size):
            mark = _mark_of(m, item, Address(item.label, offset))
            m.flow.emit(Store(address=mark, value=TRUE, size=size, tags=_TAGS), m.span(node))


def is_set(m: Machine, place: Place, found: Expr, node: ast.Node) -> Expr:
    """Whether a scalar was set that holds `found`, as a word: true also if it has no mark."""
    address = _mark(m, place)
    if address is None:
        return TRUE
    register, size = m.flow.register(), t.size_of(place.type) or 1
    is_other = binary(B.NE, binary(B.AND, found, Constant((1 << (8 * size)) - 1)), Constant(heap.BLANK[size]))
    if _is_bool(place.type):
        return is_other
    m.flow.emit(Load(register=register, address=address, size=size, tags=_TAGS), m.span(node))
    return binary(B.OR, is_other, binary(B.EQ, Register(register), FALSE))


def _is_bool(kind: t.CType) -> bool:
    plain = t.unqualified(kind)
    return isinstance(plain, t.Integer) and plain.is_bool


def check_set(m: Machine, place: Place, found: Expr, node: ast.Node) -> None:
    """A violation if a scalar was never set, in which a read found this."""
    m.check(is_set(m, place, found, node), f"{_what(m, place.address)} is read before it was set", node)


def _what(m: Machine, address: Expr) -> str:
    item, before = liveness.base_of(m.world, address), m.world.before
    if item is not None and item.slot is not None:
        return f"`{item.name}`" if item.slot.thread else f"memory allocated at line {item.slot.line}"
    both = (("allocated", before.malloc_places), ("declared", before.local_places))
    words = [(word, [place.line for place in places.values()]) for word, places in both if places]
    where = liveness.lines(line for _, lines in words for line in lines)
    return f"memory {' or '.join(word for word, _ in words)} at {where}"


def _mark(m: Machine, place: Place) -> Expr | None:
    """The address of the mark of what lies at a place; None if it has none."""
    size = t.size_of(place.type) or 0
    if not heap.has_mark(size) or m.world.is_kernel or m.flow.is_dead:
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


def _mark_of(m: Machine, item: Object, address: Expr) -> Expr:
    """The mark of part of an object in a slot."""
    slot = item.slot
    assert slot is not None
    behind = slot.index * heap.stride_of(slot.shape) + heap.HEADER + heap.mark_of(slot.shape)
    region = heap.region(m.world.shape_number(slot.shape))
    if isinstance(address, Address):
        return Address(region, behind + address.offset)
    return binary(B.ADD, Address(region, behind), binary(B.SUB, address, Address(item.label)))
