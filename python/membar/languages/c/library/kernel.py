"""The Linux kernel's macros and functions, with the words of its memory model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from pycparser import c_ast as ast

from membar.languages.c import codes
from membar.languages.c import types as t
from membar.languages.c.calls import Arguments, Library
from membar.languages.c.expressions import Expressions
from membar.languages.c.library import threads
from membar.languages.c.library.atomics import target
from membar.languages.c.values import NOTHING, B, Value, binary, constant, converted, negated
from membar.languages.c.world import Place
from membar.program.expr import TRUE, Expr, Register
from membar.program.operations import Fence, Rmw, Tags

Meaning = Callable[[Expressions, ast.FuncCall, Arguments], Value]


def _tags(*words: str) -> Tags:
    return frozenset(words)


_FAILED: Final = _tags("Once", "RMW")


@dataclass(frozen=True, slots=True)
class _Order:
    """The words of an atomic operation: of its read, of its write."""

    read: Tags
    write: Tags


_ORDERS: Final = {
    "": _Order(_tags("Mb", "RMW"), _tags("Mb", "RMW")),
    "_relaxed": _Order(_FAILED, _FAILED),
    "_acquire": _Order(_tags("Acquire", "RMW"), _FAILED),
    "_release": _Order(_FAILED, _tags("Release", "RMW")),
}
_NO_RESULT: Final = _Order(_tags("Noreturn", "RMW"), _FAILED)
_FENCES: Final = {
    "smp_mb": "Mb",
    "smp_rmb": "Rmb",
    "smp_wmb": "Wmb",
    "barrier": "Barrier",
    "smp_mb__before_atomic": "Before-atomic",
    "smp_mb__after_atomic": "After-atomic",
    "smp_mb__after_spinlock": "After-spinlock",
    "smp_mb__after_unlock_lock": "After-unlock-lock",
    "rcu_read_lock": "Rcu-lock",
    "rcu_read_unlock": "Rcu-unlock",
    "synchronize_rcu": "Sync-rcu",
    "synchronize_rcu_expedited": "Sync-rcu",
}


def _place(e: Expressions, node: ast.Node) -> Place:
    place = e.place(node)
    if not t.is_scalar(place.type):
        e.m.refuse(node, f"one scalar is needed here, not `{t.spelled(place.type)}`", codes.CALL)
    return place


def _counter(e: Expressions, node: ast.Node) -> Place:
    """The integer inside an `atomic_t`, given its address; or the object of a plain pointer."""
    pointer = e.scalar(node)
    if isinstance(pointer.type, t.Pointer) and isinstance(pointer.type.target, t.Structure):
        members = pointer.type.target.members or ()
        if len(members) == 1 and t.is_scalar(members[0].type):
            return Place(e.m.kept(pointer, node).expr, members[0].type)
    return target(e, node)


def _fence(word: str) -> Meaning:
    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
        del arguments
        e.m.flow.emit(Fence(_tags(word)), e.m.span(node))
        return NOTHING

    return meaning


def _load(word: str, *, by_place: bool) -> Meaning:
    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
        place = _place(e, arguments[0]) if by_place else _counter(e, arguments[0])
        value = e.m.read(place, node, _tags(word))
        assert isinstance(value, Value)
        return value

    return meaning


def _store(word: str, *, by_place: bool, is_full: bool = False) -> Meaning:
    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
        place = _place(e, arguments[0]) if by_place else _counter(e, arguments[0])
        e.m.write(place, e.scalar(arguments[1]), node, _tags(word))
        if is_full:
            e.m.flow.emit(Fence(_tags("Mb")), e.m.span(node))
        return NOTHING

    return meaning


def _modify(op: str, order: _Order, result: str, *, is_step: bool) -> Meaning:
    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
        operand = constant(1) if is_step else e.scalar(arguments[0])
        place = _counter(e, arguments[0 if is_step else 1])
        if op == "andnot":
            operand = e.prefixed("~", operand, node)
        old, new = e.modify_with(
            place, "&" if op == "andnot" else op, operand, node, read=order.read, write=order.write
        )
        match result:
            case "old":
                return old
            case "new":
                return new
            case "test":
                return Value(binary(B.EQ, new.expr, constant(0).expr), t.INT)
            case "negative":
                return Value(binary(B.SLT, new.expr, constant(0).expr), t.INT)
            case _:
                return NOTHING

    return meaning


def _exchange(order: _Order) -> Meaning:
    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
        place, value = _counter(e, arguments[0]), e.scalar(arguments[1])
        return e.modify_with(place, "", value, node, read=order.read, write=order.write)[0]

    return meaning


def _attempt(
    e: Expressions,
    node: ast.FuncCall,
    place: Place,
    *,
    condition: Callable[[Value], Expr],
    new: Callable[[Value], Value],
    order: _Order,
) -> tuple[Expr, Value]:
    """A conditional operation: whether it wrote, and what it found."""
    kind = t.unqualified(place.type)
    found = Value(Register(e.m.flow.register()), kind)
    writes = condition(found)
    if e.m.is_bad(place, node):
        return TRUE, found
    e.m.flow.emit(
        Rmw(
            register=e.register_of(found),
            address=place.address,
            value=e.m.converted(new(found), kind, node).expr,
            size=t.size_of(kind) or 4,
            condition=writes,
            signed=isinstance(kind, t.Integer) and kind.signed,
            read_tags=order.read,
            write_tags=order.write,
            failed_tags=_FAILED,
        ),
        e.m.span(node),
    )
    return writes, found


def _compare(order: _Order) -> Meaning:
    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
        place = _counter(e, arguments[0])
        expected, desired = (e.m.kept(e.scalar(item), node) for item in arguments[1:3])
        wanted = e.m.converted(expected, place.type, node)
        return _attempt(
            e,
            node,
            place,
            condition=lambda found: binary(B.EQ, found.expr, wanted.expr),
            new=lambda _: desired,
            order=order,
        )[1]

    return meaning


def _try_compare(order: _Order) -> Meaning:
    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
        place, holder = _counter(e, arguments[0]), target(e, arguments[1])
        desired = e.m.kept(e.scalar(arguments[2]), node)
        expected = e.m.read(holder, node)
        assert isinstance(expected, Value)
        wanted = converted(expected, place.type)
        done, found = _attempt(
            e,
            node,
            place,
            condition=lambda found: binary(B.EQ, found.expr, wanted.expr),
            new=lambda _: desired,
            order=order,
        )
        e.m.write(holder, found, node)
        return Value(done, t.INT)

    return meaning


def _add_unless(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    place = _counter(e, arguments[0])
    step, unless = (e.m.kept(e.scalar(item), node) for item in arguments[1:3])
    return _unless(e, node, place, step, unless)


def _inc_not_zero(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    return _unless(e, node, _counter(e, arguments[0]), constant(1), constant(0))


def _unless(e: Expressions, node: ast.FuncCall, place: Place, step: Value, unless: Value) -> Value:
    wanted = e.m.converted(unless, place.type, node)
    done, _ = _attempt(
        e,
        node,
        place,
        condition=lambda found: negated(binary(B.EQ, found.expr, wanted.expr)),
        new=lambda found: e.combined("+", found, step, node),
        order=_ORDERS[""],
    )
    return Value(done, t.INT)


def _is_locked(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    value = e.m.read(target(e, arguments[0]), node, _tags("RL"))
    assert isinstance(value, Value)
    return value


def _trylock(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    busy = threads.trylock(1)(e, node, arguments)
    return Value(negated(busy.expr), t.INT)


def _unlock(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    return threads.unlock(e, node, arguments)


def _atomics(prefix: str) -> dict[str, Library]:
    found = {
        f"{prefix}read": Library(_load("Once", by_place=False), 1),
        f"{prefix}read_acquire": Library(_load("Acquire", by_place=False), 1),
        f"{prefix}set": Library(_store("Once", by_place=False), 2),
        f"{prefix}set_release": Library(_store("Release", by_place=False), 2),
        f"{prefix}add_unless": Library(_add_unless, 3),
        f"{prefix}inc_not_zero": Library(_inc_not_zero, 1),
    }
    operators = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^", "andnot": "andnot"}
    for name, op in {**operators, "inc": "+", "dec": "-"}.items():
        is_step = name in {"inc", "dec"}
        count = 1 if is_step else 2
        found[f"{prefix}{name}"] = Library(_modify(op, _NO_RESULT, "", is_step=is_step), count)
        for suffix, order in _ORDERS.items():
            found[f"{prefix}fetch_{name}{suffix}"] = Library(
                _modify(op, order, "old", is_step=is_step), count
            )
            if op in {"+", "-"}:
                meaning = _modify(op, order, "new", is_step=is_step)
                found[f"{prefix}{name}_return{suffix}"] = Library(meaning, count)
        if op in {"+", "-"} and name != "add":
            found[f"{prefix}{name}_and_test"] = Library(
                _modify(op, _ORDERS[""], "test", is_step=is_step), count
            )
    for suffix, order in _ORDERS.items():
        found[f"{prefix}add_negative{suffix}"] = Library(_modify("+", order, "negative", is_step=False), 2)
    return found | _exchanges(prefix)


def _exchanges(prefix: str) -> dict[str, Library]:
    found = {}
    for suffix, order in _ORDERS.items():
        found[f"{prefix}xchg{suffix}"] = Library(_exchange(order), 2)
        found[f"{prefix}cmpxchg{suffix}"] = Library(_compare(order), 3)
        found[f"{prefix}try_cmpxchg{suffix}"] = Library(_try_compare(order), 3)
    return found


FUNCTIONS: Final[Mapping[str, Library]] = MappingProxyType(
    {name: Library(_fence(word), 0) for name, word in _FENCES.items()}
    | {
        "READ_ONCE": Library(_load("Once", by_place=True), 1),
        "rcu_dereference": Library(_load("Once", by_place=True), 1),
        "WRITE_ONCE": Library(_store("Once", by_place=True), 2),
        "rcu_assign_pointer": Library(_store("Release", by_place=True), 2),
        "smp_store_mb": Library(_store("Once", by_place=True, is_full=True), 2),
        "smp_load_acquire": Library(_load("Acquire", by_place=False), 1),
        "smp_store_release": Library(_store("Release", by_place=False), 2),
        "spin_lock": Library(threads.lock, 1),
        "spin_unlock": Library(_unlock, 1),
        "spin_trylock": Library(_trylock, 1),
        "spin_is_locked": Library(_is_locked, 1),
        "raw_spin_lock": Library(threads.lock, 1),
        "raw_spin_unlock": Library(_unlock, 1),
        "raw_spin_trylock": Library(_trylock, 1),
        "raw_spin_is_locked": Library(_is_locked, 1),
    }
    | _exchanges("")
    | _atomics("atomic_")
    | _atomics("atomic64_")
    | _atomics("atomic_long_")
)
"""What each of them does."""
