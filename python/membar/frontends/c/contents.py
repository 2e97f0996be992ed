"""What memory holds as far as a thread knows: what it wrote there last, or what is there from the beginning.

Other threads may have written since, so a read compares what it finds with what is expected and goes on with
the number where they agree; what goes on where they do not is cut, and the verdict says so. This is done only
in programs that could not be translated otherwise: whose sizes of memory or numbers of threads are in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pycparser import c_ast as ast

from membar.frontends.c import types as t
from membar.frontends.c.flow import Key
from membar.frontends.c.values import B, Slot, Value, binary, extended, is_constant
from membar.frontends.c.world import LearntError, Object, Place
from membar.program.expr import Address, Constant, Expr
from membar.program.operations import Rmw, Store

if TYPE_CHECKING:
    from membar.frontends.c.machine import Machine


def needed(m: Machine) -> None:
    """Begins again with what memory holds followed, unless that is done already.

    Raises:
        LearntError: it is not done yet.
    """
    if not m.world.before.follows_memory:
        m.world.after.follows_memory = True
        raise LearntError


def all_written(machine: Machine) -> Iterator[tuple[int, str, int]]:
    """The places that a thread writes to whose addresses are known, each with its number."""
    for edge in machine.flow.edges:
        for operation in edge.operations:
            if isinstance(operation, Store | Rmw) and isinstance(operation.address, Address):
                yield machine.number, operation.address.name, operation.address.offset


def _key(address: Address) -> Key:
    return ("content", address.name, address.offset, "")


def written(m: Machine, place: Place, value: Value) -> None:
    """Remembers what a plain store puts at a place that is known."""
    item = m.object_at(place.address)
    if not m.world.before.follows_memory or item is None or not isinstance(place.address, Address):
        return
    m.world.after.written.add((m.number, place.address.name, place.address.offset))
    if is_constant(value.expr) and place.address.offset in item.kinds:
        stored = _as(value.expr, item.kinds[place.address.offset])
        m.flow.put(_key(place.address), Slot(stored))
    else:
        m.flow.forget([_key(place.address)])


def read(m: Machine, place: Place, found: Value, node: ast.Node) -> Value:
    """What a plain load found, as a number if that is expected."""
    item = m.object_at(place.address)
    if not m.world.before.follows_memory or item is None or not isinstance(place.address, Address):
        return found
    if isinstance(place.type, t.Atomic):
        return found  # other threads are expected to change it
    expected = _expected(m, item, place.address)
    if expected is None or m.flow.is_dead:
        return found
    expected = _as(expected, found.type)
    span = m.span(node)
    yes, no = m.flow.branch(binary(B.EQ, found.expr, expected), span)
    m.flow.state = no
    m.flow.endless(span)
    m.flow.state = yes
    return Value(expected, found.type)


def _expected(m: Machine, item: Object, address: Address) -> Expr | None:
    place = (address.name, address.offset)
    written_by = {number for number, *other in m.world.before.written if tuple(other) == place}
    if written_by - {m.number} and (m.number > 1 or m.world.plans):
        return None  # whoever reads it asks for what the other threads did
    slot = m.flow.get(_key(address))
    if slot is not None:
        return slot.expr if is_constant(slot.expr) else None
    is_set = (m.number, *place) in m.world.after.written
    if is_set or item.slot is not None or item.is_local or address.offset not in item.kinds:
        return None
    first = item.initial.get(address.offset, 0)
    return first if isinstance(first, Address) else Constant(first)


def _as(expr: Expr, kind: t.CType) -> Expr:
    """The bits of a word as a value of a type of its size."""
    plain = t.unqualified(kind)
    return extended(expr, plain) if isinstance(plain, t.Integer) else expr
