"""Arenas: arrays of bytes that a program carves scalars and structures out of.

Memory is made of scalars whose sizes are known before the program runs. An array of `char` is one of bytes
until something larger is accessed in it; then the translation begins again with that place carved out, all of
a structure at once if a pointer to one leads there. Where only the execution knows the place, all of the
array is taken to consist of what the pointer points to. Of places that overlap the larger ones count, and the
others are parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from membar.languages.c import contents
from membar.languages.c import types as t
from membar.languages.c.values import Value
from membar.languages.c.world import LearntError, Object, Place
from membar.program.expr import Address, Expr, Register, addresses_of
from membar.program.operations import Set

if TYPE_CHECKING:
    from membar.languages.c.machine import Machine

Carvings: TypeAlias = Mapping[tuple[int, int], t.CType]
"""What is carved out: offset and size → type."""
_MOST_REGISTERS: Final = 16


def view(m: Machine, value: Value, target: t.CType) -> None:
    """Remembers that a pointer to an arena is one to some type now."""
    size = t.size_of(target)
    if size is None or size == 1 or isinstance(target, t.Function):
        return
    origin = _origin(m, value.expr)
    item = None if origin is None else m.world.objects.get(origin.name)
    if item is None or origin is None:
        return
    here = next((run for run in item.byte_runs if origin.offset in run), None)
    if here is None:
        return
    if isinstance(value.expr, Address):
        m.world.views.setdefault(item.label, {})[origin.offset] = target
        return
    _carve_all(m, item, target, range(origin.offset, here.stop))


def _carve_all(m: Machine, item: Object, target: t.CType, run: range) -> None:
    """All of an arena from some place on is made of one type."""
    size = t.size_of(target) or 1
    wanted = {
        (run.start + turn * size + at, t.size_of(kind) or 1): kind
        for turn in range(len(run) // size)
        for at, kind in t.scalars(target)
    }
    carved = m.world.before.carved.get(item.declared, {})
    inside = {place: kind for place, kind in carved.items() if place[0] in run}
    if inside and not wanted.keys() <= inside.keys():
        contents.needed(m)  # made of several types: the places must be known
        return
    _learn(m, item, wanted)


def _learn(m: Machine, item: Object, wanted: Carvings) -> None:
    """Begins again with these places carved out, if that is new.

    Raises:
        LearntError: it is.
    """
    known = m.world.before.carved.get(item.declared, {})
    new = {place: kind for place, kind in wanted.items() if place not in known}
    if new:
        found = m.world.after.carved.setdefault(item.declared, {})
        m.world.after.carved[item.declared] = {**new, **found}
        raise LearntError


def needed(m: Machine, item: Object, place: Place) -> None:
    """An access of an arena that is no scalar of it.

    Raises:
        LearntError: the place is to be carved out.
    """
    assert isinstance(place.address, Address)
    offset, size = place.address.offset, t.size_of(place.type) or 1
    run = next((run for run in item.byte_runs if offset in run and offset + size <= run.stop), None)
    if run is None or (offset - run.start) % t.alignment_of(t.unqualified(place.type)):
        return
    wanted: dict[tuple[int, int], t.CType] = {(offset, size): place.type}
    for start, kind in m.world.views.get(item.label, {}).items():
        wanted |= _around(kind, start, offset, run)
    _learn(m, item, wanted)


def _around(kind: t.CType, start: int, offset: int, run: range) -> dict[tuple[int, int], t.CType]:
    """The scalars of what a pointer points to, or of all elements behind it, if a place is one of them."""
    size = t.size_of(kind) or 1
    if offset < start or (offset - start) % size not in {at for at, _ in t.scalars(kind)}:
        return {}
    count = 1 if offset < start + size else (run.stop - start) // size
    return {
        (start + turn * size + at, t.size_of(part) or 1): part
        for turn in range(count)
        for at, part in t.scalars(kind)
        if start + turn * size + at + (t.size_of(part) or 1) <= run.stop
    }


def copied(m: Machine, address: Expr, layout: tuple[tuple[int, t.CType], ...], size: int) -> None:
    """Memory of some layout is copied to an arena, or from one.

    Raises:
        LearntError: the places are to be carved out.
    """
    item = m.object_at(address)
    if item is None or not item.byte_runs or not isinstance(address, Address):
        return
    start = address.offset
    larger = [
        (start + at, t.size_of(kind) or 1, kind)
        for at, kind in layout
        if t.size_of(kind) != 1 and at >= 0 and at + (t.size_of(kind) or 1) <= size
    ]
    _learn(
        m,
        item,
        {
            (at, width): kind
            for at, width, kind in larger
            if any(at in run and at + width <= run.stop for run in item.byte_runs)
        },
    )


def is_arena(m: Machine, address: Expr, size: int) -> bool:
    """Whether bytes at a known address are an arena's."""
    item = m.object_at(address)
    if item is None or not isinstance(address, Address):
        return False
    first, last = address.offset, address.offset + size - 1
    return any(first in run and last in run for run in item.byte_runs)


# Where pointers come from


def _origin(m: Machine, expr: Expr) -> Address | None:
    """An address that a pointer is computed from, if there is only one; also where ways meet."""
    found: dict[str, Address] = {}
    met: set[str] = set()
    todo = [expr]
    while todo:
        item = todo.pop()
        for address in addresses_of(item):
            found.setdefault(address.name, address)
        if len(found) > 1 or len(met) > _MOST_REGISTERS:
            return None
        if isinstance(item, Register) and item.name not in met:
            met.add(item.name)
            todo += _settings(m, item.name)
    return next(iter(found.values()), None)


def _settings(m: Machine, name: str) -> Iterator[Expr]:
    state = m.flow.state
    steps = [edge.operations for edge in m.flow.edges]
    for operations in (*steps, () if state is None else state.operations):
        for operation in operations:
            if isinstance(operation, Set) and operation.register == name:
                yield operation.value
