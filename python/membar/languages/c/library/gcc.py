"""GCC's `__atomic_*` and `__sync_*`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pycparser import c_ast as ast

from membar.languages.c import types as t
from membar.languages.c.calls import Arguments, Library
from membar.languages.c.expressions import Expressions
from membar.languages.c.library.atomics import (
    ACQUIRE,
    FETCHES,
    FOR_LOADS,
    FOR_STORES,
    RELEASE,
    SEQ_CST,
    Meaning,
    clear,
    compare_exchange,
    exchange_if,
    fence,
    fence_of,
    load,
    load_of,
    lock_free,
    nothing,
    operand,
    order_of,
    result,
    store,
    store_of,
    target,
    test_and_set,
)
from membar.languages.c.values import NOTHING, Value, constant, known
from membar.languages.c.world import Place


def _at(pointer: ast.Node) -> ast.Node:
    """What a pointer points to."""
    return ast.UnaryOp("*", pointer, pointer.coord)


def _pointed(e: Expressions, node: ast.Node) -> Place:
    return e.place(_at(node))


def _gcc_load(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    place, into = target(e, arguments[0]), _pointed(e, arguments[1])
    value = load(e, node, place, order_of(e, arguments[2], FOR_LOADS, "a load"))
    e.m.write(into, result(value), node)
    return NOTHING


def _gcc_store(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    place = target(e, arguments[0])
    value = operand(e, place, _at(arguments[1]))
    store(e, node, place, value, order_of(e, arguments[2], FOR_STORES, "a store"))
    return NOTHING


def _gcc_exchange(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    place = target(e, arguments[0])
    value = operand(e, place, _at(arguments[1]))
    into = _pointed(e, arguments[2])
    old = e.modify(place, "", value, node, order_of(e, arguments[3]))[0]
    e.m.write(into, result(old), node)
    return NOTHING


def _gcc_modify(op: str, *, gives_new: bool) -> Meaning:
    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
        place, value = target(e, arguments[0]), e.scalar(arguments[1])
        return e.modify(place, op, value, node, order_of(e, arguments[2]))[gives_new]

    return meaning


def _gcc_compare(*, by_value: bool) -> Meaning:
    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
        is_weak = known(e.scalar(arguments[3]).expr) not in (0, None)
        failure = order_of(e, arguments[5], FOR_LOADS, "a failed compare-exchange")
        orders = (order_of(e, arguments[4]), failure)
        if by_value:
            return compare_exchange(e, node, arguments, orders, is_weak=is_weak)
        pointed = [*arguments[:2], _at(arguments[2])]
        return compare_exchange(e, node, pointed, orders, is_weak=is_weak)

    return meaning


def _sync_modify(op: str, *, gives_new: bool) -> Meaning:
    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
        place, value = target(e, arguments[0]), e.scalar(arguments[1])
        return e.modify(place, op, value, node, SEQ_CST)[gives_new]

    return meaning


def _sync_compare(*, gives_old: bool) -> Meaning:
    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
        place = target(e, arguments[0])
        expected, desired = e.scalar(arguments[1]), e.scalar(arguments[2])
        done, found = exchange_if(
            e, node, place, expected=expected, desired=desired, success=SEQ_CST, failure=SEQ_CST
        )
        return found if gives_old else Value(done, t.INT)

    return meaning


def _sync_lock(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    place, value = target(e, arguments[0]), e.scalar(arguments[1])
    return e.modify(place, "", value, node, ACQUIRE)[0]


def _sync_release(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    store(e, node, target(e, arguments[0]), constant(0), RELEASE)
    return NOTHING


def _sync_fence(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    del arguments
    return fence(e, node, SEQ_CST)


def _all() -> dict[str, Library]:
    found = {
        "__atomic_load_n": Library(load_of(explicit=True), 2),
        "__atomic_load": Library(_gcc_load, 3),
        "__atomic_store_n": Library(store_of(explicit=True), 3),
        "__atomic_store": Library(_gcc_store, 3),
        "__atomic_exchange_n": Library(_gcc_modify("", gives_new=False), 3),
        "__atomic_exchange": Library(_gcc_exchange, 4),
        "__atomic_compare_exchange_n": Library(_gcc_compare(by_value=True), 6),
        "__atomic_compare_exchange": Library(_gcc_compare(by_value=False), 6),
        "__atomic_test_and_set": Library(test_and_set(explicit=True), 2),
        "__atomic_clear": Library(clear(explicit=True), 2),
        "__atomic_thread_fence": Library(fence_of, 1),
        "__atomic_signal_fence": Library(nothing, 1),
        "__atomic_is_lock_free": Library(lock_free, 2),
        "__atomic_always_lock_free": Library(lock_free, 2),
        "__sync_synchronize": Library(_sync_fence, 0),
        "__sync_bool_compare_and_swap": Library(_sync_compare(gives_old=False), 3),
        "__sync_val_compare_and_swap": Library(_sync_compare(gives_old=True), 3),
        "__sync_lock_test_and_set": Library(_sync_lock, 2),
        "__sync_lock_release": Library(_sync_release, 1),
    }
    for name, op in {**FETCHES, "nand": "nand"}.items():
        found[f"__atomic_fetch_{name}"] = Library(_gcc_modify(op, gives_new=False), 3)
        found[f"__atomic_{name}_fetch"] = Library(_gcc_modify(op, gives_new=True), 3)
        found[f"__sync_fetch_and_{name}"] = Library(_sync_modify(op, gives_new=False), 2)
        found[f"__sync_{name}_and_fetch"] = Library(_sync_modify(op, gives_new=True), 2)
    return found


FUNCTIONS: Final[Mapping[str, Library]] = MappingProxyType(_all())
"""What each of them does."""
