"""Whether memory that a pointer leads to lives and was set: the checks around accesses of the heap."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pycparser import c_ast as ast

from membar.languages.c import heap, lifetimes
from membar.languages.c import types as t
from membar.languages.c.flow import OWN, names_of
from membar.languages.c.values import B, Value, binary, extended, negated, select
from membar.program.expr import (
    MASK,
    TRUE,
    Address,
    Binary,
    Constant,
    Expr,
    Extend,
    Register,
    Select,
    Unary,
    addresses_of,
    registers_of,
)
from membar.program.operations import Assert, Assume, Load, Store

if TYPE_CHECKING:
    from membar.languages.c.machine import Machine
    from membar.languages.c.world import Object, Place, World

ENDED = "use after the end of lifetime"
"""How messages about variables begin that are no more."""
# So many places are told one by one; more are listed in one message.
_FEW = 4


def base_of(world: World, address: Expr) -> Object | None:
    """The object that an address is computed from, if the translation knows it."""
    names = {found.name for found in addresses_of(address)}
    return world.objects.get(names.pop()) if len(names) == 1 and not _selects(address) else None


def _selects(expr: Expr) -> bool:
    """Whether an expression is one of several."""
    match expr:
        case Select():
            return True
        case Binary(left=left, right=right):
            return _selects(left) or _selects(right)
        case Unary(operand=operand) | Extend(operand=operand):
            return _selects(operand)
        case _:
            return False


def may_be_allocated(m: Machine, address: Expr) -> bool:
    """Whether an address may lie in the heap."""
    if not m.world.has_heap:
        return False
    item = base_of(m.world, address)
    return item is None or item.slot is not None


def check_inside(m: Machine, address: Expr, size: int, node: ast.Node) -> None:
    """A violation if an address computed from that of an allocated object lies outside it."""
    item = base_of(m.world, address)
    if item is None or item.slot is None or item.slot.thread or isinstance(address, Address):
        return
    whole = t.size_of(item.type) or 0
    distance = binary(B.SUB, address, Address(item.label))
    is_inside = binary(B.LE, distance, Constant(whole - size)) if whole >= size else Constant(0)
    m.check(is_inside, f"an access outside `{item.name}`, which has {whole} bytes", node)


def check_found(
    m: Machine, address: Expr, found: Expr, kind: t.CType, node: ast.Node, *, may_be_unset: bool = False
) -> None:
    """A violation if what a read found says that the memory was freed, or never set."""
    size = t.size_of(kind) or 0
    if not may_be_unset:
        _check_local(m, address, found, kind, node)
    if not may_be_allocated(m, address):
        return
    freed = heap.freed(size)
    if freed is None:
        check_lives(m, address, node)
        return
    item = base_of(m.world, address)
    if item is None or item.slot is None or item.slot.thread:
        _check_ended(m, address, Value(found, kind), node)
    if item is not None and item.slot is not None and item.slot.thread:
        return
    message = "use after free: memory freed at {} is read"
    places = m.world.before.free_places
    check_none_of(m, found, node, first=freed, places=places, kind=kind, message=message)
    if not may_be_unset:
        message = "memory allocated at {} is read before it was set"
        places = m.world.before.malloc_places
        check_none_of(m, found, node, first=heap.unset(size), places=places, kind=kind, message=message)


def block_until(m: Machine, passes: Expr, place: Place, found: Register, node: ast.Node) -> None:
    """Blocks until what a read found lets the step pass; or says that it is no such object any more.

    The checks of what was found come next, and a thread that blocks would never come to them.
    """
    if m.flow.is_dead:
        return
    mark = m.flow.mark()
    check_found(m, place.address, found, place.type, node)
    checks = [item for edge in m.flow.edges[mark.edges :] for item in edge.operations]
    m.flow.back_to(mark)
    for item in checks:
        if isinstance(item, Assert) and set(registers_of(item.condition)) <= {found.name}:
            passes = binary(B.OR, passes, negated(item.condition))
    m.flow.emit(Assume(passes, waits=True), m.span(node))


def _check_ended(m: Machine, address: Expr, found: Value, node: ast.Node) -> None:
    """A violation if a read finds that it is a variable whose life has ended."""
    item = base_of(m.world, address)
    if lifetimes.is_known_to_live(m, item):
        return
    shapes = m.world.before.shapes if item is None or item.slot is None else (item.slot.shape,)
    if any(heap.is_silent(shape) for shape in shapes):
        check_lives(m, address, node)
        return
    first, places = heap.ended(t.size_of(found.type) or 0), m.world.before.end_places
    assert first is not None
    message = f"{_of(item)} is read"
    check_none_of(m, found.expr, node, first=first, places=places, kind=found.type, message=message)


def _of(item: Object | None) -> str:
    return f"{ENDED}: {'a variable' if item is None else f'`{item.name}`'}, which ended at {{}},"


def begin_unset(m: Machine, item: Object, node: ast.Node) -> None:
    """A local variable in memory begins without a value."""
    if m.flow.is_dead:
        return
    place = item.unset = m.world.place_of_local(node, m.span(node).line)
    has_marks = item.slot is not None and heap.has_small(item.slot.shape)
    held = {
        at: heap.unset_local(size, place.number) or heap.first(size, 0, has_marks=has_marks)
        for at, size in item.places.items()
    }
    if not m.loops:
        item.initial = dict(held)
        return
    tags = frozenset[str]() if m.world.is_kernel else frozenset({"NA"})
    for at, size in item.places.items():
        store = Store(address=Address(item.label, at), value=Constant(held[at]), size=size, tags=tags)
        m.flow.emit(store, m.span(node))


def _check_local(m: Machine, address: Expr, found: Expr, kind: t.CType, node: ast.Node) -> None:
    """A violation if what a read found says that it is a local variable that was never set."""
    size, places = t.size_of(kind) or 0, m.world.before.local_places
    if not places or not heap.says_unset(size):
        return
    item = base_of(m.world, address)
    message = "a variable declared at {} is read before it was set"
    if item is not None:
        if item.unset is None:
            return
        places = {0: item.unset}
        message = f"`{item.name}` is read before it was set"
    first = heap.unset_local(size)
    check_none_of(m, found, node, first=first, places=places, kind=kind, message=message)


def is_set(m: Machine, address: Expr, found: Expr, kind: t.CType) -> Expr:
    """Whether what a read found was set, as a word."""
    size = t.size_of(kind) or 0
    if not heap.says_unset(size):
        return TRUE
    low = binary(B.AND, found, Constant((1 << (8 * size)) - 1)) if size < 8 else found
    kinds = []
    if may_be_allocated(m, address):
        kinds.append((heap.unset(size), len(m.world.before.malloc_places)))
    item = base_of(m.world, address)
    if m.world.before.local_places and (item is None or item.unset is not None):
        kinds.append((heap.unset_local(size), len(m.world.before.local_places)))
    is_other: Expr = TRUE
    for first, count in kinds:
        here = binary(B.LE, Constant(count + 1), binary(B.SUB, low, Constant(first)))
        is_other = here if is_other == TRUE else binary(B.AND, is_other, here)
    return is_other


def check_lives(m: Machine, address: Expr, node: ast.Node) -> None:
    """A violation if the memory at an address was freed: looks at its state."""
    world, item = m.world, base_of(m.world, address)
    if m.flow.is_dead or not may_be_allocated(m, address) or is_own(m, address):
        return
    if lifetimes.is_known_to_live(m, item):
        return
    is_variable = None if item is None or item.slot is None else bool(item.slot.thread)
    freed = {} if is_variable else world.before.free_places
    ended = {} if is_variable is False else world.before.end_places
    if not freed and not ended:
        return
    register = m.flow.register()
    m.flow.emit(
        Load(
            register=register,
            address=state_of(m.world, address),
            size=heap.STATE_SIZE,
            tags=frozenset() if m.world.is_kernel else frozenset({"NA"}),
        ),
        m.span(node),
    )
    state = Register(register)
    message = "use after free: memory freed at {} is accessed"
    check_none_of(m, state, node, first=0, places=freed, kind=t.UINT, message=message)
    message = f"{_of(item)} is accessed"
    check_none_of(m, state, node, first=heap.STATE_ENDED, places=ended, kind=t.UINT, message=message)


def is_own(m: Machine, address: Expr) -> bool:
    """Whether memory was allocated by this thread, which has not shown it to anybody yet."""
    names = set(names_of(address))
    slot = m.flow.get((OWN, next(iter(names)))) if len(names) == 1 else None
    return slot is not None and slot.expr == TRUE


def state_of(world: World, address: Expr) -> Expr:
    """The address of the state of the object that an address points into."""
    item = base_of(world, address)
    if item is not None and item.slot is not None:
        number = world.shape_number(item.slot.shape)
        return Address(heap.region(number), item.slot.index * heap.stride_of(item.slot.shape))
    # As the access that follows does, what is looked at depends on the address, wherever that points to.
    nothing = Binary(B.AND, address, Constant(0))
    chosen: Expr = Binary(B.ADD, Address(heap.NOWHERE), nothing)
    for number, (shape, count) in reversed(list(enumerate(world.before.shapes.items()))):
        start, stride = Address(heap.region(number)), heap.stride_of(shape)
        distance = binary(B.SUB, address, start)
        inside = binary(B.LT, distance, Constant(count * stride))
        state = binary(B.ADD, start, binary(B.AND, distance, Constant(MASK - (stride - 1))))
        chosen = select(inside, state, chosen)
    return chosen


def check_none_of(
    m: Machine,
    found: Expr,
    node: ast.Node,
    *,
    first: int,
    places: Mapping[Any, heap.Place],
    kind: t.CType,
    message: str,
) -> None:
    """A violation if a word is `first` plus the number of one of these places."""
    values = sorted(places.values(), key=lambda place: place.number)
    if len(values) > _FEW:
        size = t.size_of(kind) or 8
        low = binary(B.AND, found, Constant((1 << (8 * size)) - 1)) if size < 8 else found
        count, distance = Constant(values[-1].number + 1), binary(B.SUB, low, Constant(first))
        is_other = binary(B.OR, binary(B.LE, count, distance), binary(B.EQ, distance, Constant(0)))
        m.check(is_other, message.format(lines(place.line for place in values)), node)
        return
    for place in values:
        number: Expr = Constant(first + place.number)
        if isinstance(kind, t.Integer):
            number = extended(number, kind)
        m.check(binary(B.NE, found, number), message.format(f"line {place.line}"), node)


def lines(places: Iterable[int]) -> str:
    """`line 3`, or `one of the lines 3, 7`."""
    numbers = sorted(set(places))
    if len(numbers) == 1:
        return f"line {numbers[0]}"
    return f"one of the lines {', '.join(map(str, numbers))}"
