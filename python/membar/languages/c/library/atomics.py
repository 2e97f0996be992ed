"""<stdatomic.h>."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from pycparser import c_ast as ast

from membar.languages.c import codes, liveness, marks, wholes
from membar.languages.c import types as t
from membar.languages.c.calls import Arguments, Library
from membar.languages.c.expressions import Expressions
from membar.languages.c.values import (
    NOTHING,
    Aggregate,
    B,
    Slot,
    Value,
    binary,
    constant,
    is_constant,
    known,
    truth,
)
from membar.languages.c.world import Place
from membar.program.expr import FALSE, TRUE, Constant, Expr, Register
from membar.program.operations import Assume, Choose, Fence, Load, Rmw

RELAXED, CONSUME, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST = "RLX", "CON", "ACQ", "REL", "ACQ_REL", "SC"
ORDERS: Final = (RELAXED, CONSUME, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST)
_NAMES: Final = dict(
    zip(ORDERS, ("relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"), strict=True)
)
FOR_LOADS: Final = frozenset({RELAXED, CONSUME, ACQUIRE, SEQ_CST})
FOR_STORES: Final = frozenset({RELAXED, RELEASE, SEQ_CST})
_FOR_ALL: Final = frozenset(ORDERS)
FETCHES: Final = {"add": "+", "sub": "-", "or": "|", "xor": "^", "and": "&"}


def order_of(
    e: Expressions, node: ast.Node, allowed: frozenset[str] = _FOR_ALL, what: str = "this operation"
) -> str:
    """The memory order that an argument names."""
    number = known(e.scalar(node).expr)
    if number is None:
        e.m.refuse(node, "a memory order that is not known before the program runs")
    if number >= len(ORDERS):
        e.m.refuse(node, f"{number} is not a memory order", codes.CALL)
    order = ORDERS[number]
    if order not in allowed:
        e.m.refuse(
            node,
            f"{what} cannot have the order `memory_order_{_NAMES[order]}`",
            codes.CALL,
            "allowed: " + ", ".join(f"memory_order_{_NAMES[item]}" for item in ORDERS if item in allowed),
        )
    return order


def target(e: Expressions, node: ast.Node) -> Place:
    """The object that a pointer argument points to; it must be one scalar, or an atomic structure."""
    pointer = e.scalar(node)
    kind = pointer.type.target if isinstance(pointer.type, t.Pointer) else t.VOID
    if isinstance(kind, t.Atomic) and isinstance(t.unqualified(kind), t.Structure):
        return wholes.place_of(e.m, Place(e.m.kept(pointer, node).expr, kind), node)[0]
    if isinstance(kind, t.Structure):
        words = f"an atomic operation on `{t.spelled(kind)}`, which is not atomic"
        e.m.refuse(node, words, help=f"declare it as `_Atomic({t.spelled(kind)})`")
    if not isinstance(pointer.type, t.Pointer) or not t.is_scalar(pointer.type.target):
        e.m.refuse(
            node, f"a pointer to an atomic object is needed, not `{t.spelled(pointer.type)}`", codes.CALL
        )
    return Place(e.m.kept(pointer, node).expr, pointer.type.target)


def operand(e: Expressions, place: Place, node: ast.Node) -> Value:
    """A value that an atomic operation puts at a place: a number, or the word of a structure."""
    kind = t.unqualified(place.type)
    return wholes.packed(e.m, e.value(node), kind, node) if isinstance(kind, t.Whole) else e.scalar(node)


def result(value: Value) -> Value | Aggregate:
    """What an atomic operation found: a number, or the structure that a word says."""
    return wholes.unpacked(value.expr, value.type) if isinstance(value.type, t.Whole) else value


def load(e: Expressions, node: ast.Node, place: Place, order: str) -> Value:
    """One atomic load."""
    value = e.m.read(place, node, frozenset({order}))
    assert isinstance(value, Value)
    return value


def store(e: Expressions, node: ast.Node, place: Place, value: Value, order: str) -> None:
    """One atomic store."""
    e.m.write(place, value, node, frozenset({order}))


def fence(e: Expressions, node: ast.Node, order: str) -> Value:
    """A fence; a relaxed one does nothing."""
    if order != RELAXED:
        e.m.flow.emit(Fence(frozenset({order})), e.m.span(node))
    return NOTHING


def exchange_if(
    e: Expressions,
    node: ast.Node,
    place: Place,
    *,
    expected: Value,
    desired: Value,
    success: str,
    failure: str,
    is_weak: bool = False,
) -> tuple[Expr, Value]:
    """Compare-exchange: whether it was done (0 or 1), and the value found.

    A weak one may fail although it finds the expected value; that is a choice before it.
    """
    m = e.m
    kind = t.unqualified(place.type)
    wanted = m.kept(m.converted(expected, kind, node), node)
    new = m.kept(m.converted(desired, kind, node), node)
    size = t.size_of(kind)
    assert size is not None
    if m.is_bad(place, node):
        return FALSE, Value(FALSE, kind)
    if m.is_private(place.address):
        old = m.read(Place(place.address, kind), node)
        assert isinstance(old, Value)
        done = binary(B.EQ, old.expr, wanted.expr)
        kept = e.select_value(done, new, old)
        m.write(Place(place.address, kind), kept, node)
        return done, old
    signed = isinstance(kind, t.Integer) and kind.signed
    found = Register(m.flow.register())
    is_equal = binary(B.EQ, found, wanted.expr)
    attempt = Rmw(
        register=found.name,
        address=place.address,
        value=new.expr,
        size=size,
        condition=is_equal,
        signed=signed,
        read_tags=frozenset({success, "RMW"}),
        write_tags=frozenset({success, "RMW"}),
        failed_tags=frozenset({failure}),
    )
    span = m.span(node)
    if not is_weak:
        m.flow.emit(attempt, span)
        liveness.check_found(m, place.address, found, kind, node)
        marks.changed(m, place, found, node)
        return is_equal, Value(found, kind)
    key = ("weak", m.flow.point())
    fails = Register(m.flow.register())
    m.flow.emit(Choose(fails.name, FALSE, TRUE, retries=True), span)
    spurious, normal = m.flow.branch(fails, span)
    m.flow.state = normal
    m.flow.emit(attempt, span)
    liveness.check_found(m, place.address, found, kind, node)
    marks.changed(m, place, found, node)
    m.flow.put_all({(*key, "done"): Slot(is_equal), (*key, "found"): Slot(found)})
    normal = m.flow.leave()
    m.flow.state = spurious
    again = Register(m.flow.register())
    look = Load(
        register=again.name, address=place.address, size=size, signed=signed, tags=frozenset({failure})
    )
    m.flow.emit(look, span)
    liveness.check_found(m, place.address, again, kind, node)
    marks.check_set(m, place, again, node)
    m.flow.emit(Assume(binary(B.EQ, again, wanted.expr)), span)
    m.flow.put_all({(*key, "done"): Slot(FALSE), (*key, "found"): Slot(again)})
    m.flow.resume(normal, m.flow.leave())
    done = (m.flow.get((*key, "done")) or Slot(FALSE)).expr
    seen = (m.flow.get((*key, "found")) or Slot(FALSE)).expr
    m.flow.forget([(*key, "done"), (*key, "found")])
    return done, Value(seen, kind)


def compare_exchange(
    e: Expressions,
    node: ast.FuncCall,
    arguments: Sequence[ast.Node],
    orders: tuple[str, str],
    *,
    is_weak: bool,
) -> Value:
    """C's form: `*expected` becomes what was found, if that was something else."""
    place = target(e, arguments[0])
    holder = _holder(e, arguments[1], place)
    desired = operand(e, place, arguments[2])
    whole = t.unqualified(place.type)
    if isinstance(whole, t.Whole):
        expected = wholes.packed(e.m, e.m.read(holder, node), whole, node)
        is_weak = is_weak or wholes.has_padding(whole)
    elif t.size_of(holder.type) != t.size_of(place.type):
        e.m.refuse(node, "the expected value has another size than the object", codes.CALL)
    else:
        found_there = e.m.read(holder, node)
        assert isinstance(found_there, Value)
        expected = found_there
    done, found = exchange_if(
        e,
        node,
        place,
        expected=expected,
        desired=desired,
        success=orders[0],
        failure=orders[1],
        is_weak=is_weak,
    )
    flow = e.m.flow
    if e.m.is_private(holder.address):
        # After a success both are the same.
        e.m.write(holder, result(found), node)
        return Value(done, t.INT)
    done = flow.named(done, e.m.span(node)) if not is_constant(done) else done
    yes, no = flow.branch(done, e.m.span(node))
    flow.state = no
    e.m.write(holder, result(found), node)
    key = ("exchange", id(node), "")
    flow.put(key, Slot(FALSE))
    no = flow.leave()
    flow.state = yes
    flow.put(key, Slot(Constant(1)))
    flow.resume(flow.leave(), no)
    slot = flow.get(key) or Slot(FALSE)
    flow.forget([key])
    return Value(slot.expr, t.INT)


def _holder(e: Expressions, node: ast.Node, place: Place) -> Place:
    """The object with the expected value: that is no atomic one."""
    if isinstance(t.unqualified(place.type), t.Whole):
        pointer = e.m.kept(e.scalar(node), node)
        kind = pointer.type.target if isinstance(pointer.type, t.Pointer) else t.VOID
        return Place(pointer.expr, t.unqualified(kind))
    there = target(e, node)
    return Place(there.address, t.unqualified(there.type))


# <stdatomic.h>

Meaning = Callable[[Expressions, ast.FuncCall, Arguments], Value | Aggregate]


def load_of(*, explicit: bool) -> Meaning:
    """A load."""

    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value | Aggregate:
        place = target(e, arguments[0])
        order = order_of(e, arguments[1], FOR_LOADS, "a load") if explicit else SEQ_CST
        return result(load(e, node, place, order))

    return meaning


def store_of(*, explicit: bool) -> Meaning:
    """A store."""

    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
        place = target(e, arguments[0])
        value = operand(e, place, arguments[1])
        order = order_of(e, arguments[2], FOR_STORES, "a store") if explicit else SEQ_CST
        store(e, node, place, value, order)
        return NOTHING

    return meaning


def _fetch(op: str, *, explicit: bool) -> Meaning:
    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value | Aggregate:
        place = target(e, arguments[0])
        value = operand(e, place, arguments[1])
        order = order_of(e, arguments[2]) if explicit else SEQ_CST
        if isinstance(t.unqualified(place.type), t.Pointer) and op:
            # The argument counts bytes in C11's own words; compilers, and so people, count elements.
            e.m.refuse(node, "arithmetic on an atomic pointer")
        return result(e.modify(place, op, value, node, order)[0])

    return meaning


def _exchange(*, explicit: bool, is_weak: bool) -> Meaning:
    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
        if explicit:
            failure = order_of(e, arguments[4], FOR_LOADS, "a failed compare-exchange")
            orders = (order_of(e, arguments[3]), failure)
        else:
            orders = (SEQ_CST, SEQ_CST)
        return compare_exchange(e, node, arguments, orders, is_weak=is_weak)

    return meaning


def _init(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    place = target(e, arguments[0])
    value = operand(e, place, arguments[1])
    e.m.write(Place(place.address, t.unqualified(place.type)), value, node)
    return NOTHING


def fence_of(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    """A fence."""
    return fence(e, node, order_of(e, arguments[0]))


def nothing(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    """Only the arguments are evaluated."""
    del node
    for item in arguments:
        e.value(item)
    return NOTHING


def lock_free(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    """Everything is lock-free."""
    del node
    for item in arguments:
        e.value(item)
    return constant(1)


def _first(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    del node
    return e.scalar(arguments[0])


def test_and_set(*, explicit: bool) -> Meaning:
    """Sets a flag and gives what it was."""

    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
        place = target(e, arguments[0])
        order = order_of(e, arguments[1]) if explicit else SEQ_CST
        return Value(truth(e.modify(place, "", constant(1), node, order)[0]), t.INT)

    return meaning


def clear(*, explicit: bool) -> Meaning:
    """Clears a flag."""

    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
        place = target(e, arguments[0])
        order = order_of(e, arguments[1], FOR_STORES, "a clear") if explicit else SEQ_CST
        store(e, node, place, constant(0), order)
        return NOTHING

    return meaning


def _standard() -> dict[str, Library]:
    found = {
        "atomic_init": Library(_init, 2),
        "atomic_thread_fence": Library(fence_of, 1),
        # A thread has no signal handlers here.
        "atomic_signal_fence": Library(nothing, 1),
        "atomic_is_lock_free": Library(lock_free, 1),
        "kill_dependency": Library(_first, 1),
    }
    for suffix, explicit in (("", False), ("_explicit", True)):
        more = int(explicit)
        found[f"atomic_load{suffix}"] = Library(load_of(explicit=explicit), 1 + more)
        found[f"atomic_store{suffix}"] = Library(store_of(explicit=explicit), 2 + more)
        found[f"atomic_exchange{suffix}"] = Library(_fetch("", explicit=explicit), 2 + more)
        for name, op in FETCHES.items():
            found[f"atomic_fetch_{name}{suffix}"] = Library(_fetch(op, explicit=explicit), 2 + more)
        for strength, is_weak in (("strong", False), ("weak", True)):
            name = f"atomic_compare_exchange_{strength}{suffix}"
            found[name] = Library(_exchange(explicit=explicit, is_weak=is_weak), 3 + 2 * more)
        found[f"atomic_flag_test_and_set{suffix}"] = Library(test_and_set(explicit=explicit), 1 + more)
        found[f"atomic_flag_clear{suffix}"] = Library(clear(explicit=explicit), 1 + more)
    return found


FUNCTIONS: Final[Mapping[str, Library]] = MappingProxyType(_standard())
"""What each of them does."""
