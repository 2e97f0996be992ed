"""The ends of the lives of local variables (decision 0043).

A variable in memory of which it is not clear that nobody uses it after its end (`outliving.py`) lies in a
slot like allocated memory, and its end is told there as `free` tells it: a number for "ended there" in each
of its scalars, and in the state of its slot. All other variables end without a trace.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from membar.languages.c import heap
from membar.languages.c import types as t
from membar.program.expr import FALSE, Address, Constant, Expr
from membar.program.operations import Operation, Store, Tags

if TYPE_CHECKING:
    from membar.languages.c.flow import State
    from membar.languages.c.machine import Machine
    from membar.languages.c.world import Object
    from membar.source import Span

_PAGE: Final = 0x1000
_MOST_MARKS: Final = 64


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a variable's life: the step that was being built, and which threads were joined."""

    label: str
    source: int
    guard: Expr
    done: tuple[Operation, ...]
    joined: frozenset[int]


def joined_in(state: State | None) -> frozenset[int]:
    """The numbers of the threads that have certainly ended."""
    keys = () if state is None else state.slots
    return frozenset(int(str(key[1])) for key in keys if key[0] == "joined")


def begin(m: Machine, item: Object, *, is_set: bool = True) -> None:
    """A variable lives from here on: it gets a slot if its end, or what is not set, needs one."""
    is_marked = not is_set and not m.world.is_kernel and 0 < _marks(item) <= _MOST_MARKS
    if not item.in_memory or m.world.is_any or m.flow.is_dead:
        return
    if not is_set and not is_marked and _marks(item) and item.span is not None:
        m.world.unmarked.add(item.span.line)
    if item.declared not in m.world.before.ends and not is_marked:
        return
    if item.slot is None:
        alignment = _PAGE if m.world.tree.aligns_variables else t.alignment_of(item.type)
        extent = (t.size_of(item.type), alignment)
        shape = heap.shape_of_local(extent, item.leaves(), is_marked=is_marked)
        index = sum(slot.shape == shape for slot in m.world.allocated().values())
        line = item.span.line if item.span is not None else 0
        item.slot = heap.Slot(shape, index, line, is_zeroed=not is_marked, thread=m.number)
    if m.loops:
        store = Store(address=_state(m, item.slot), value=FALSE, size=heap.STATE_SIZE, tags=_plain(m))
        m.flow.emit(store, item.span)


def _marks(item: Object) -> int:
    """How many scalars are too small to say themselves that they are not set, so that each needs a mark."""
    return sum(map(heap.has_mark, item.places.values()))


def end(m: Machine, items: Iterable[Object], span: Span) -> None:
    """Variables end here; who uses one later finds that out."""
    for item in items:
        state = m.flow.state
        if state is None or not item.in_memory:
            continue
        joined = joined_in(state)
        if item.slot is None or item.declared not in m.world.before.ends:
            m.endings.append(Ending(item.label, state.source, state.guard, state.operations, joined))
        else:
            _tell(m, item, item.slot, joined, span)


def _tell(m: Machine, item: Object, slot: heap.Slot, joined: frozenset[int], span: Span) -> None:
    """Writes into each scalar, and into the state, that the variable ended here."""
    place = m.world.place_of_end(span)
    m.world.after.frees_beside |= m.number != 1 or any(plan.number not in joined for plan in m.world.plans)
    for offset, size in heap.scalars(slot.shape):
        value = None if heap.is_silent(slot.shape) else heap.ended(size, place.number)
        if value is not None:
            address = Address(item.label, offset)
            m.flow.emit(Store(address=address, value=Constant(value), size=size, tags=_plain(m)), span)
    number = Constant(heap.STATE_ENDED + place.number)
    m.flow.emit(Store(address=_state(m, slot), value=number, size=heap.STATE_SIZE, tags=_plain(m)), span)


def is_known_to_live(m: Machine, item: Object | None) -> bool:
    """Whether a variable that an access names is this thread's own: it has not ended, or that is known."""
    return item is not None and item.slot is not None and item.slot.thread == m.number


def _state(m: Machine, slot: heap.Slot) -> Address:
    number = m.world.shape_number(slot.shape)
    return Address(heap.region(number), slot.index * heap.stride_of(slot.shape))


def _plain(m: Machine) -> Tags:
    return frozenset() if m.world.is_kernel else frozenset({"NA"})
