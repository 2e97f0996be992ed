"""What memory holds as far as a thread knows: what it wrote there last, or what is there from the beginning.

A read compares what it finds with what is expected and goes on with the number where they agree; what goes on
where they do not is cut, and the verdict says so. Nothing is expected of a place that another thread may
write, be it through a pointer: what the thread writes would be cut. Only if the translation cannot go on
otherwise are pointers of other threads taken to lead elsewhere. All this is done only in programs whose sizes
of memory or numbers of threads are in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

from pycparser import c_ast as ast

from membar.languages.c import types as t
from membar.languages.c.flow import CONTENT, Key, State
from membar.languages.c.values import B, Slot, Value, binary, extended, is_constant
from membar.languages.c.world import LearntError, Object, Place
from membar.program.expr import Address, Constant, Expr, addresses_of
from membar.program.operations import Operation, Rmw, Set, Store

if TYPE_CHECKING:
    from membar.languages.c.machine import Machine

ANYWHERE: Final = ""
"""The label of what a pointer that only the execution knows leads to."""


def needed(m: Machine) -> None:
    """Begins again with what memory holds followed, unless that is done already.

    Raises:
        LearntError: it is not done yet.
    """
    if not m.world.before.follows_memory:
        m.world.after.follows_memory = True
        raise LearntError


def needed_to_go_on(m: Machine) -> None:
    """The same where the text must be refused otherwise: then other threads' pointers lead elsewhere.

    Raises:
        LearntError: that is not done yet.
    """
    needed(m)
    if not m.world.before.trusts_memory:
        m.world.after.trusts_memory = True
        raise LearntError


def watcher(m: Machine) -> Callable[[Operation], None] | None:
    """What is to be told of each step of a thread, if what memory holds is followed."""
    return partial(_emitted, m) if m.world.before.follows_memory else None


def _emitted(m: Machine, operation: Operation) -> None:
    """Forgets what a write may change."""
    if not isinstance(operation, Store | Rmw):
        return
    size, labels = operation.size, _targets(operation.address)
    if isinstance(operation.address, Address):
        place = (operation.address.name, operation.address.offset)
        m.world.after.written.add((m.number, *place))
        m.flow.forget([(CONTENT, *place, size)])
        return
    m.world.after.reached.update((m.number, label, size) for label in labels)
    state: State | None = m.flow.state
    held = [key for key in (state.slots if state else ()) if key[0] == CONTENT and key[3] == size]
    m.flow.forget(key for key in held if any(_may_be(m, str(key[1]), label) for label in labels))


def _targets(address: Expr) -> set[str]:
    """The labels of the objects that an address that is not known leads into."""
    return {part.name for part in addresses_of(address)} or {ANYWHERE}


def _may_be(m: Machine, label: str, target: str) -> bool:
    """Whether a pointer into `target` may lead into the object `label`."""
    return target == label or (target == ANYWHERE and label in m.world.before.exposed)


def exposed(machine: Machine) -> Iterator[str]:
    """The objects whose addresses a thread puts where they may be used as pointers."""
    for edge in machine.flow.edges:
        for operation in edge.operations:
            if isinstance(operation, Store | Rmw | Set):
                yield from (part.name for part in addresses_of(operation.value))


def _key(address: Address, size: int) -> Key:
    return (CONTENT, address.name, address.offset, size)


def written(m: Machine, place: Place, value: Value) -> None:
    """Remembers what a plain store puts at a place that is known."""
    item = m.object_at(place.address)
    if not m.world.before.follows_memory or item is None or not isinstance(place.address, Address):
        return
    if is_constant(value.expr) and place.address.offset in item.kinds:
        stored = _as(value.expr, item.kinds[place.address.offset])
        m.flow.put(_key(place.address, item.places[place.address.offset]), Slot(stored))


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
    if address.offset not in item.kinds:
        return None
    size, before, after = item.places[address.offset], m.world.before, m.world.after
    writers = _writers(m, address, size, before.written, set() if before.trusts_memory else before.reached)
    if writers - {m.number} and (m.number > 1 or m.world.plans):
        return None  # whoever reads it asks for what the other threads did
    slot = m.flow.get(_key(address, size))
    if slot is not None:
        return slot.expr if is_constant(slot.expr) else None
    mine = _writers(m, address, size, after.written, after.reached)
    if m.loops:  # what stands behind it in the text may have been done before
        mine |= _writers(m, address, size, before.written, before.reached)
    if m.number in mine or item.slot is not None or item.is_local:
        return None
    first = item.initial.get(address.offset, 0)
    return first if isinstance(first, Address) else Constant(first)


def _writers(
    m: Machine,
    address: Address,
    size: int,
    places: set[tuple[int, str, int]],
    reached: set[tuple[int, str, int]],
) -> set[int]:
    """The threads that write at a place, as far as is known, or may by their pointers."""
    known = {number for number, label, offset in places if (label, offset) == (address.name, address.offset)}
    return known | {
        number for number, label, width in reached if width == size and _may_be(m, address.name, label)
    }


def _as(expr: Expr, kind: t.CType) -> Expr:
    """The bits of a word as a value of a type of its size."""
    plain = t.unqualified(kind)
    return extended(expr, plain) if isinstance(plain, t.Integer) else expr
