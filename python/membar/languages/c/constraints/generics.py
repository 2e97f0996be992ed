"""Library functions that take arguments of any type: atomic operations, assertions, assembly."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

from pycparser import c_ast as ast

from membar.languages.c import codes
from membar.languages.c.constraints.kinds import (
    BOOL,
    INT,
    NOTHING,
    UNKNOWN,
    Kind,
    Nothing,
    Pointer,
    Real,
    are_same,
    has_const,
    is_complete,
    is_scalar,
    is_unknown,
    number_of,
    spelled,
)

if TYPE_CHECKING:
    from membar.languages.c.constraints.expressions import Expressions

Meaning: TypeAlias = "Callable[[Expressions, ast.FuncCall, Sequence[ast.Node]], Kind]"


def unknown(e: Expressions, node: ast.FuncCall, arguments: Sequence[ast.Node]) -> Kind:
    """A function whose type is not known: its arguments must be values all the same."""
    del node
    for item in arguments:
        if not isinstance(item, ast.Typename):
            e.used(item)
    return UNKNOWN


def _nothing(e: Expressions, node: ast.FuncCall, arguments: Sequence[ast.Node]) -> Kind:
    unknown(e, node, arguments)
    return NOTHING


def _marked(e: Expressions, node: ast.FuncCall, arguments: Sequence[ast.Node]) -> Kind:
    """A mark of a client of an object: what it calls may return nothing."""
    del node
    for item in arguments:
        e.value(item)
    return NOTHING


def _truth(e: Expressions, node: ast.FuncCall, arguments: Sequence[ast.Node]) -> Kind:
    del node
    for item in arguments:
        e.scalar(item)
    return NOTHING


def _target(e: Expressions, node: ast.Node, *, is_written: bool) -> Kind:
    """What the first argument of an atomic operation points to."""
    pointer = e.used(node)
    if is_unknown(pointer):
        return UNKNOWN
    target = pointer.shape.target if isinstance(pointer.shape, Pointer) else NOTHING
    if isinstance(target.shape, Nothing) or not is_complete(target):
        words = f"a pointer to an atomic object is needed, not `{spelled(pointer)}`"
        e.names.report(node, words, codes.CALL, "a pointer to an object")
        return UNKNOWN
    if is_written and has_const(target):
        e.names.report(node, "this is constant, so it cannot be set", codes.TYPE, f"`{spelled(target)}`")
    return target


def _orders(e: Expressions, orders: Sequence[ast.Node]) -> None:
    for order in orders:
        e.assigned(INT, e.used(order), order, code=codes.CALL)


def _load(e: Expressions, node: ast.FuncCall, arguments: Sequence[ast.Node]) -> Kind:
    del node
    target = _target(e, arguments[0], is_written=False) if arguments else UNKNOWN
    _orders(e, arguments[1:])
    return Kind(target.shape)


def _put(e: Expressions, arguments: Sequence[ast.Node]) -> Kind:
    """An operation with a pointer, a value for what it points to, and orders."""
    if len(arguments) < 2:
        return UNKNOWN
    target = _target(e, arguments[0], is_written=True)
    e.assigned(target, e.used(arguments[1]), arguments[1], code=codes.CALL)
    _orders(e, arguments[2:])
    return Kind(target.shape)


def _store(e: Expressions, node: ast.FuncCall, arguments: Sequence[ast.Node]) -> Kind:
    del node
    _put(e, arguments)
    return NOTHING


def _exchange(e: Expressions, node: ast.FuncCall, arguments: Sequence[ast.Node]) -> Kind:
    del node
    return _put(e, arguments)


def _fetch(e: Expressions, node: ast.FuncCall, arguments: Sequence[ast.Node]) -> Kind:
    if len(arguments) < 2:
        return UNKNOWN
    target = _target(e, arguments[0], is_written=True)
    value = e.used(arguments[1])
    number = number_of(target)
    is_wrong = (number is not None and number.is_bool) or isinstance(target.shape, Real)
    if is_wrong or not is_scalar(target) or (number_of(value) is None and not is_unknown(value)):
        words = f"no such operation on `{spelled(target)}` with a `{spelled(value)}`"
        e.names.report(node, words, codes.CALL, "numbers")
    _orders(e, arguments[2:])
    return Kind(target.shape)


def _compare(e: Expressions, node: ast.FuncCall, arguments: Sequence[ast.Node]) -> Kind:
    del node
    if len(arguments) < 3:
        return UNKNOWN
    target = _target(e, arguments[0], is_written=True)
    expected = e.used(arguments[1])
    wanted = Kind(Pointer(Kind(target.shape)))
    is_pointer = isinstance(expected.shape, Pointer) and (
        isinstance(expected.shape.target.shape, Nothing)
        or are_same(Kind(expected.shape.target.shape), Kind(target.shape), is_loose=True)
    )
    if not is_pointer and not is_unknown(expected, target):
        words = f"a value of type `{spelled(expected)}` is no `{spelled(wanted)}`"
        e.names.report(arguments[1], words, codes.CALL, f"expected `{spelled(wanted)}`")
    e.assigned(target, e.used(arguments[2]), arguments[2], code=codes.CALL)
    _orders(e, arguments[3:])
    return BOOL


def _atomics() -> dict[str, Meaning]:
    found: dict[str, Meaning] = {"atomic_init": _store}
    for ending in ("", "_explicit"):
        found[f"atomic_load{ending}"] = _load
        found[f"atomic_store{ending}"] = _store
        found[f"atomic_exchange{ending}"] = _exchange
        found |= {f"atomic_fetch_{op}{ending}": _fetch for op in ("add", "sub", "or", "xor", "and")}
        found |= {f"atomic_compare_exchange_{how}{ending}": _compare for how in ("strong", "weak")}
        found[f"atomic_flag_test_and_set{ending}"] = _flag
        found[f"atomic_flag_clear{ending}"] = _cleared
    return found


def _flag(e: Expressions, node: ast.FuncCall, arguments: Sequence[ast.Node]) -> Kind:
    del node
    if arguments:
        _target(e, arguments[0], is_written=True)
    _orders(e, arguments[1:])
    return BOOL


def _cleared(e: Expressions, node: ast.FuncCall, arguments: Sequence[ast.Node]) -> Kind:
    _flag(e, node, arguments)
    return NOTHING


def _gcc() -> dict[str, Meaning]:
    found: dict[str, Meaning] = {}
    for op in ("add", "sub", "or", "xor", "and", "nand"):
        names = ("__atomic_fetch_{}", "__atomic_{}_fetch", "__sync_fetch_and_{}", "__sync_{}_and_fetch")
        found |= {name.format(op): _fetch for name in names}
    return found


MEANINGS: Final[Mapping[str, Meaning]] = MappingProxyType(
    {
        **_atomics(),
        **_gcc(),
        "__sync_lock_test_and_set": _exchange,
        "__atomic_load_n": _load,
        "__atomic_store_n": _store,
        "__atomic_exchange_n": _exchange,
        "atomic_thread_fence": _nothing,
        "atomic_signal_fence": _nothing,
        "__atomic_thread_fence": _nothing,
        "__atomic_signal_fence": _nothing,
        "assert": _truth,
        "__VERIFIER_assert": _truth,
        "__assert_fail": _nothing,
        "__builtin_assume": _truth,
        "__asm__": _nothing,
        "__membar_call": _marked,
        "__membar_return": _marked,
    }
)
"""What a call of each of them is."""
