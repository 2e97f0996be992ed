"""Bit fields: some bits of a word that neighbouring ones share, which C calls one location.

Setting one reads the word and writes all of it, by plain accesses: two threads that set neighbours race.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pycparser import c_ast as ast

from membar.languages.c import parts
from membar.languages.c import types as t
from membar.languages.c.values import UNSET, B, Slot, Value, binary, narrowed, select
from membar.languages.c.world import Object, Place
from membar.program.expr import FALSE, MASK, Address, Constant, Expr

if TYPE_CHECKING:
    from membar.languages.c.machine import Machine


def read(m: Machine, place: Place, kind: t.BitField, node: ast.Node) -> Value:
    """What a bit field holds, which must have been set."""
    word = Place(place.address, kind.word, place.within)
    item = m.object_at(place.address)
    if item is None or item.in_memory or m.is_constant_only:
        found = m.read(word, node)
        assert isinstance(found, Value)
        return Value(_bits(found.expr, kind.first, kind), kind.value)
    offset, first, around = _where(item, word, kind)
    if m.is_bad(Place(Address(item.label, offset), around), node):
        return Value(FALSE, kind.value)
    slot = m.flow.get(item.key(offset)) or UNSET
    m.check(parts.are_set(slot, _mask(first, kind)), f"`{item.name}` is read before it was set", node)
    return Value(_bits(slot.expr, first, kind), kind.value)


def write(m: Machine, place: Place, kind: t.BitField, value: Value, node: ast.Node) -> None:
    """Sets a bit field; its neighbours stay as they are, or are 0 in memory that was never set."""
    word = Place(place.address, kind.word, place.within)
    item = m.object_at(place.address)
    if item is None or item.in_memory:
        old = m.read_part(word, node)
        if m.flow.is_dead:
            return
        before = select(parts.are_all_set(old), old.expr, FALSE)
        new = parts.put_bits(before, kind.first, kind.width, value.expr, kind.word)
        m.write(word, Value(new, kind.word), node)
        return
    offset, first, around = _where(item, word, kind)
    if m.is_bad(Place(Address(item.label, offset), around), node):
        return
    slot = m.flow.get(item.key(offset)) or UNSET
    new = m.kept(Value(parts.put_bits(slot.expr, first, kind.width, value.expr, around), around), node).expr
    m.flow.put(item.key(offset), Slot(new, parts.with_bits(slot.defined, _mask(first, kind), around)))


def _where(item: Object, word: Place, kind: t.BitField) -> tuple[int, int, t.CType]:
    """The scalar of a variable that a bit field lies in: its offset, the first bit in it, and its type."""
    assert isinstance(word.address, Address)
    offset = word.address.offset
    part = parts.part_in(item.kinds, offset, kind.word.size)
    if part is None:
        return offset, kind.first, t.unqualified(item.kinds.get(offset, kind.word))
    assert isinstance(part.address, Address)
    return part.address.offset, 8 * part.start + kind.first, t.unqualified(part.kind)


def _bits(word: Expr, first: int, kind: t.BitField) -> Expr:
    word, first = parts.without_others(word, first, kind.width)
    return narrowed(binary(B.SHR, word, Constant(first)) if first else word, kind.width, kind.integer)


def _mask(first: int, kind: t.BitField) -> int:
    return ((1 << kind.width) - 1 << first) & (MASK >> 1)
