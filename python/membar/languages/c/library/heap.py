"""Allocated memory: its slots, and `free`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from pycparser import c_ast as ast

from membar.languages.c import codes, contents, heap, lifetimes, liveness, marks
from membar.languages.c import types as t
from membar.languages.c.calls import Arguments, Library
from membar.languages.c.expressions import Expressions
from membar.languages.c.heap import Freeing, Place
from membar.languages.c.length import MOST_ACCESSES
from membar.languages.c.library import leaks
from membar.languages.c.machine import Machine
from membar.languages.c.values import NOTHING, B, Slot, Value, binary, known, select
from membar.languages.c.world import Object, Untyped
from membar.program.allocations import ALLOC, MOST_SCALARS
from membar.program.expr import FALSE, Address, Constant, Expr, Register, addresses_of
from membar.program.operations import Assume, Choose, Load, Rmw, Store, Tags

_FREE_OF_ANYTHING: Final = "free of a pointer that is not the beginning of allocated memory"


@dataclass(frozen=True, slots=True)
class _Fresh:
    """A pointer to a slot that was never used, which is one of these; `is_written`: zeros are put there."""

    pointer: Expr
    labels: tuple[str, ...]
    is_written: bool


def allocated(e: Expressions, node: ast.FuncCall, arguments: Arguments, size: int, *, is_zero: bool) -> Value:
    """A pointer to new memory: to a slot that was never used, or to one that was freed."""
    m = e.m
    if not 0 <= size <= heap.MOST_BYTES:
        m.refuse(node, f"{size} bytes of memory", codes.HEAP_SIZE)
    place = m.world.place_of_call(node, m.span(node).line, is_free=False)
    if m.flow.is_dead:
        return Value(FALSE, t.VOID_POINTER)
    kind = _layout(e, node, arguments, size)
    is_written = is_zero and _is_seen_beside(m, node)
    pointer, labels = _fresh(
        m, node, kind or t.Array(t.CHAR, size), place, is_zero=is_zero and not is_written
    )
    freed = _candidates(m, labels[0])
    m.memory_calls += 1
    if freed:
        m.world.after.is_reused = True
        fresh = _Fresh(pointer, labels, is_written=is_written)
        pointer = _fresh_or(m, node, fresh, freed, place, is_zero=is_zero)
    else:
        _allocate(m, node, pointer, _shape_at(m, labels[0]), place)
        leaks.made(m, node, labels)
        if is_written:
            _begin(m, node, pointer, _shape_at(m, labels[0]), place, is_zero=True)
    if kind is None and isinstance(pointer, Address | Register):
        m.world.untyped[pointer.name] = Untyped(size, id(node), labels)
    if isinstance(pointer, Address | Register):
        m.flow.own(pointer.name)
    return Value(pointer, t.VOID_POINTER)


def _layout(e: Expressions, node: ast.FuncCall, arguments: Arguments, size: int) -> t.CType | None:
    """The type of the memory: that of a `sizeof` in the call, else that of a pointer it was turned into."""
    known_layouts = e.m.world.after.layouts | e.m.world.before.layouts
    found = known_layouts.get(id(node))
    if found is not None:
        laid_out = t.of_size(found.element if isinstance(found, t.Array) else found, size)
        if laid_out is not None:
            return laid_out
    for argument in arguments:
        for inner in sizes_in(argument):
            kind = t.of_size(e.operand_type(inner.expr), size)
            if kind is not None:
                return kind
    return None


def sizes_in(node: ast.Node) -> Iterator[ast.UnaryOp]:
    """The uses of `sizeof` in an expression."""
    if isinstance(node, ast.UnaryOp) and node.op == "sizeof":
        yield node
        return
    for child in node:
        yield from sizes_in(child)


def _is_seen_beside(m: Machine, node: ast.Node) -> bool:
    """Whether other threads may see what `calloc` allocates, and run by then: its zeros are writes."""
    if id(node) not in m.world.before.shown_calls:
        return False
    joined = lifetimes.joined_in(m.flow.state)
    return any(plan.number not in joined for plan in m.world.plans)


def shown_calls(m: Machine) -> Iterator[int]:
    """The calls whose memory a thread shows to others, by their syntax."""
    labels = set(contents.exposed(m))
    labels |= {part.name for plan in m.world.plans if plan.argument for part in addresses_of(plan.argument)}
    for label in labels & m.world.allocated().keys():
        declared = m.world.objects[label].declared
        if isinstance(declared, tuple) and declared[0] == "allocated":
            yield declared[1]


# Slots


def _fresh(
    m: Machine, node: ast.FuncCall, kind: t.CType, place: Place, *, is_zero: bool
) -> tuple[Expr, tuple[str, ...]]:
    """A slot that was never used; in a loop, the next one of a few."""
    if not m.loops:
        item = _slot(m, node, kind, place, is_zero=is_zero)
        return Address(item.label), (item.label,)
    key = leaks.pool_key(id(node))
    m.world.after.pools.add((m.number, id(node)))
    labels = m.world.pools.get((m.number, id(node)), ())
    before = [m.world.objects[label].type for label in labels if label in m.world.objects]
    if any(t.size_of(other) != t.size_of(kind) for other in before):
        m.refuse(node, "memory of several sizes, allocated by one call in loops", codes.HEAP_SIZE)
    if not labels or any(label not in m.world.objects for label in labels):
        labels = tuple(
            _slot(m, node, kind, place, is_zero=is_zero).label for _ in range(_most_in_loops(m, node))
        )
        m.world.pools[m.number, id(node)] = labels
    count = (m.flow.get(key) or Slot(FALSE)).expr
    yes, no = m.flow.branch(binary(B.LT, count, Constant(len(labels))), m.span(node))
    m.flow.state = no
    m.flow.endless(m.span(node))
    m.flow.state = yes
    pointer: Expr = Address(labels[-1])
    for index, label in reversed(list(enumerate(labels[:-1]))):
        pointer = select(binary(B.EQ, count, Constant(index)), Address(label), pointer)
    pointer = m.flow.named(pointer, m.span(node))
    m.flow.put(key, Slot(m.flow.named(binary(B.ADD, count, Constant(1)), m.span(node))))
    return pointer, labels


def _most_in_loops(m: Machine, node: ast.Node) -> int:
    text = m.world.tree.text.macros.get(heap.POOL, str(heap.DEFAULT_POOL)).strip("() ")
    number = int(text) if text.isdecimal() else 0
    if not 0 < number <= 64:
        m.refuse(node, f"`{heap.POOL}` must be a number from 1 to 64", codes.HEAP_SIZE)
    return number


def _slot(m: Machine, node: ast.FuncCall, kind: t.CType, place: Place, *, is_zero: bool) -> Object:
    name = f"{_type_name(kind)}@{place.line}"
    item = m.world.new_object(
        Object(
            label=f"{m.name}/{name}",
            name=name,
            type=kind,
            declared=("allocated", id(node)),
            in_memory=True,
            span=m.span(node),
        )
    )
    alignment = m.world.alignments.get(id(node), heap.ALIGNMENT)
    shape = heap.shape_of(t.size_of(kind), item.leaves(), alignment)
    index = sum(slot.shape == shape for slot in m.world.allocated().values())
    item.slot = heap.Slot(shape, index, place.line, is_zero)
    if not is_zero:
        if m.world.is_kernel and any(map(heap.has_mark, item.places.values())):
            m.world.unmarked.add(place.line)
        item.initial = marks.first_values(m, item, place.number)
    item.call = place.number
    return item


def _type_name(kind: t.CType) -> str:
    while isinstance(kind, t.Array):
        kind = kind.element
    return kind.tag or "memory" if isinstance(kind, t.Structure) else t.spelled(t.unqualified(kind))


# Memory that was freed


def _candidates(m: Machine, label: str) -> list[str]:
    """The slots of the same shape that may have been freed before this call."""
    world = m.world
    shape = _shape_at(m, label)
    if world.is_kernel:
        return []  # its model does not know the words of our exchange
    found = []
    for other, slot in world.before.slots.items():
        is_fresh = other == label and not m.loops
        if slot.shape == shape and not is_fresh:
            freeings = (item for item in world.before.freeings if item.label in ("", other))
            if any(_may_precede(m, freeing) for freeing in freeings):
                found.append(other)
    return found


def _shape_at(m: Machine, label: str) -> heap.Shape:
    slot = m.world.objects[label].slot
    assert slot is not None
    return slot.shape


def _may_precede(m: Machine, freeing: Freeing) -> bool:
    if freeing.thread == m.number:
        return freeing.order < m.memory_calls or (freeing.is_repeated and bool(m.loops))
    if m.number == 1:
        return bool(m.world.plans)  # before the first one is created, there is no other thread
    return m.number not in freeing.joined


def _fresh_or(
    m: Machine, node: ast.FuncCall, fresh: _Fresh, freed: list[str], place: Place, *, is_zero: bool
) -> Expr:
    """A fresh slot, which zeros may be written to, or one of those that were freed: any of them."""
    flow, span, key = m.flow, m.span(node), ("allocation", id(node), "")
    choice = Register(flow.register())
    flow.emit(Choose(choice.name, FALSE, Constant(len(freed))), span)
    again, anew = flow.branch(choice, span)
    slots = m.world.before.slots
    shape = slots[freed[0]].shape
    flow.state = anew
    _allocate(m, node, fresh.pointer, shape, place)
    leaks.made(m, node, fresh.labels)
    if fresh.is_written:
        _begin(m, node, fresh.pointer, shape, place, is_zero=True)
    flow.put(key, Slot(fresh.pointer))
    anew = flow.leave()
    flow.state = again
    pointer: Expr = Address(freed[-1])
    state: Expr = _state(m, slots[freed[-1]])
    for index, label in reversed(list(enumerate(freed[:-1], start=1))):
        is_it = binary(B.EQ, choice, Constant(index))
        pointer = select(is_it, Address(label), pointer)
        state = select(is_it, _state(m, slots[label]), state)
    pointer = flow.named(pointer, span)
    old = Register(flow.register())
    is_freed = binary(B.NE, old, FALSE)
    tags = frozenset({"ACQ", "RMW"})
    flow.emit(
        Rmw(
            register=old.name,
            address=state,
            value=FALSE,
            size=heap.STATE_SIZE,
            condition=is_freed,
            read_tags=tags,
            write_tags=tags,
            failed_tags=frozenset({"RLX"}),
        ),
        span,
    )
    flow.emit(Assume(is_freed), span)
    _begin(m, node, pointer, shape, place, is_zero=is_zero)
    flow.put(key, Slot(pointer))
    flow.resume(anew, flow.leave())
    found = (flow.get(key) or Slot(FALSE)).expr
    flow.forget([key])
    return found


def _allocate(m: Machine, node: ast.Node, pointer: Expr, shape: heap.Shape, place: Place) -> None:
    """Tells models of the language where memory begins that other threads may use."""
    if m.world.is_kernel or not _is_seen_beside(m, node):
        return
    scalars = list(heap.scalars(shape))
    if len(scalars) > MOST_SCALARS:
        m.world.unfollowed_allocations.add(place.line)
    for offset, size in scalars[:MOST_SCALARS]:
        address = binary(B.ADD, pointer, Constant(offset))
        value = Constant(heap.first(size, place.number))
        m.flow.emit(Store(address=address, value=value, size=size, tags=_plain(m) | {ALLOC}), m.span(node))


def _begin(
    m: Machine, node: ast.Node, pointer: Expr, shape: heap.Shape, place: Place, *, is_zero: bool
) -> None:
    """Writes zeros into memory, or that it was never set."""
    _require_few(m, node, "the beginning of", sum(1 for _ in heap.scalars(shape)))
    for offset, size in heap.scalars(shape):
        value = 0 if is_zero else heap.first(size, place.number)
        address = binary(B.ADD, pointer, Constant(offset))
        m.flow.emit(Store(address=address, value=Constant(value), size=size, tags=_plain(m)), m.span(node))
    marks.unset(m, pointer, shape, node, is_zero=is_zero)


def _require_few(m: Machine, node: ast.Node, what: str, count: int) -> None:
    if count > MOST_ACCESSES:
        words = f"{what} memory with {count} numbers, each of which is an access: at most {MOST_ACCESSES}"
        m.refuse(node, words, codes.HEAP_SIZE)


def _state(m: Machine, slot: heap.Slot) -> Address:
    number = m.world.shape_number(slot.shape)
    return Address(heap.region(number), slot.index * heap.stride_of(slot.shape))


def _plain(m: Machine) -> Tags:
    return frozenset() if m.world.is_kernel else frozenset({"NA"})


# The end of lives


def _free(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    pointer = e.m.kept(e.scalar(arguments[0]), node)
    if not isinstance(pointer.type, t.Pointer):
        e.m.refuse(arguments[0], f"a `{t.spelled(pointer.type)}` is no pointer", codes.TYPE)
    freed(e.m, pointer.expr, node)
    return NOTHING


def freed(m: Machine, pointer: Expr, node: ast.Node) -> None:
    """Ends the life of what a pointer points to; of a null pointer, nothing."""
    place = m.world.place_of_call(node, m.span(node).line, is_free=True)
    number = known(pointer)
    if m.flow.is_dead or number == 0:
        return
    flow, span = m.flow, m.span(node)
    named = pointer.name if isinstance(pointer, Address) else ""
    joined = lifetimes.joined_in(flow.state)
    m.world.after.freeings.add(Freeing(m.number, m.memory_calls, bool(m.loops), named, joined))
    m.world.after.frees_beside |= m.number != 1 or any(plan.number not in joined for plan in m.world.plans)
    m.memory_calls += 1
    if number is not None:
        m.check(FALSE, _FREE_OF_ANYTHING, node)
        return
    item = m.object_at(pointer)
    if item is not None and isinstance(pointer, Address):
        is_whole = pointer.offset == 0 and item.slot is not None and not item.slot.thread
        m.check(Constant(int(is_whole)), _FREE_OF_ANYTHING, node)
        if is_whole and item.slot is not None:
            _end(m, pointer, item.slot.shape, place, node)
        return
    pointer = flow.named(pointer, span)
    end = flow.exit()
    null, other = flow.branch(binary(B.EQ, pointer, FALSE), span)
    flow.state = null
    flow.jump(end)
    flow.state = other
    shapes = heap.allocated(m.world.before.shapes)
    for index, shape, count in shapes:
        start, stride = Address(heap.region(index)), heap.stride_of(shape)
        distance = binary(B.SUB, pointer, start)
        is_here = binary(B.LT, distance, Constant(count * stride))
        if len(shapes) == 1:
            m.check(is_here, _FREE_OF_ANYTHING, node)
            yes, no = flow.leave(), None
        else:
            yes, no = flow.branch(is_here, span)
        flow.state = yes
        inside = binary(B.AND, distance, Constant(stride - 1))
        m.check(binary(B.EQ, inside, Constant(heap.HEADER)), _FREE_OF_ANYTHING, node)
        _end(m, pointer, shape, place, node)
        flow.jump(end)
        flow.state = no
    m.check(FALSE, _FREE_OF_ANYTHING, node)
    flow.arrive(end)


def _end(m: Machine, pointer: Expr, shape: heap.Shape, place: Place, node: ast.Node) -> None:
    """Writes into each scalar, and into the state, that the object was freed here."""
    flow, span = m.flow, m.span(node)
    count = sum(heap.freed(size) is not None for _, size in heap.scalars(shape))
    _require_few(m, node, "the end of", count)
    state = liveness.state_of(m.world, pointer)
    if not isinstance(state, Address):
        state = flow.named(state, span)
    register = flow.register()
    flow.emit(Load(register=register, address=state, size=heap.STATE_SIZE, tags=_plain(m)), span)
    liveness.check_none_of(
        m,
        Register(register),
        node,
        first=0,
        places=m.world.before.free_places,
        kind=t.UINT,
        message="double free: freed before at {}",
    )
    flow.disown([pointer])
    for offset, size in heap.scalars(shape):
        value = heap.freed(size, place.number)
        if value is not None:
            address = binary(B.ADD, pointer, Constant(offset))
            flow.emit(Store(address=address, value=Constant(value), size=size, tags=_plain(m)), span)
    # Who gets the memory next sees all that was done to it before.
    tags = frozenset({"REL"}) if m.world.before.is_reused and not m.world.is_kernel else _plain(m)
    flow.emit(Store(address=state, value=Constant(place.number), size=heap.STATE_SIZE, tags=tags), span)


FUNCTIONS: Final[Mapping[str, Library]] = MappingProxyType(
    {
        "free": Library(_free, 1),
    }
)
"""What each of them does."""
