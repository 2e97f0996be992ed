"""The kernel's functions that tests call: number of arguments, effect, ordering annotations."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from membar.diagnostics import InputError, close_matches, error
from membar.languages.litmus import codes
from membar.languages.litmus.dialects.c.functions import FUNCTIONS as C11_FUNCTIONS
from membar.languages.litmus.dialects.c.syntax import Call
from membar.program.operations import Tags
from membar.records import record


class Action(enum.Enum):
    """What a function does."""

    LOAD = "load"
    STORE = "store"
    STORE_MB = "store and full barrier"
    FENCE = "fence"
    MODIFY = "atomic operation"
    COMPARE = "compare and exchange"
    TRY_COMPARE = "compare and exchange that returns whether it succeeded"
    ADD_UNLESS = "add unless equal"
    LOCK = "lock"
    TRYLOCK = "try to lock"
    SYNC_SRCU = "wait for the critical sections of an srcu_struct"


class Result(enum.Enum):
    """What an atomic operation returns."""

    NOTHING = "nothing"
    OLD = "the old value"
    NEW = "the new value"
    IS_ZERO = "whether the new value is 0"
    IS_NEGATIVE = "whether the new value is below 0"


@record(frozen=True, slots=True)
class Order:
    """The ordering words of an atomic operation: of its read, of its write."""

    read: Tags
    write: Tags


@record(frozen=True, slots=True, kw_only=True)
class KernelFunction:
    """A function or macro.

    Attributes:
        action: what it does.
        operands: number of arguments.
        tags: of the one access or fence it makes.
        order: of an atomic operation.
        op: C's operator, of an atomic operation; empty for an exchange.
        result: of an atomic operation.
        target: which argument is the address.
        value: which argument is the value; None: it is `constant`.
        constant: the value, where it is no argument.
    """

    action: Action
    operands: int
    tags: Tags = frozenset()
    order: Order | None = None
    op: str = ""
    result: Result = Result.OLD
    target: int = 0
    value: int | None = 1
    constant: int = 1


def _tags(*words: str) -> Tags:
    return frozenset(words)


FAILED: Final = _tags("Once", "RMW")
"""A conditional operation that does not write is an unordered read, however ordered it would have been."""

_ORDERS = {
    "": Order(_tags("Mb", "RMW"), _tags("Mb", "RMW")),
    "_relaxed": Order(FAILED, FAILED),
    "_acquire": Order(_tags("Acquire", "RMW"), FAILED),
    "_release": Order(FAILED, _tags("Release", "RMW")),
}
_NORETURN = Order(_tags("Noreturn", "RMW"), FAILED)

_FENCES = {
    "smp_mb": "Mb",
    "smp_rmb": "Rmb",
    "smp_wmb": "Wmb",
    "barrier": "Barrier",
    "smp_mb__before_atomic": "Before-atomic",
    "smp_mb__after_atomic": "After-atomic",
    "smp_mb__after_spinlock": "After-spinlock",
    "smp_mb__after_unlock_lock": "After-unlock-lock",
    "smp_mb__after_srcu_read_unlock": "After-srcu-read-unlock",
    "rcu_read_lock": "Rcu-lock",
    "rcu_read_unlock": "Rcu-unlock",
    "synchronize_rcu": "Sync-rcu",
    "synchronize_rcu_expedited": "Sync-rcu",
}
_LOADS = {
    "READ_ONCE": "Once",
    "rcu_dereference": "Once",
    "smp_load_acquire": "Acquire",
    "srcu_read_lock": "Srcu-lock",
    "srcu_down_read": "Srcu-lock",
    "spin_is_locked": "RL",
}
_STORES = {
    "WRITE_ONCE": "Once",
    "rcu_assign_pointer": "Release",
    "smp_store_release": "Release",
    "srcu_read_unlock": "Srcu-unlock",
    "srcu_up_read": "Srcu-unlock",
}
PLACES: Final = frozenset(
    {"READ_ONCE", "WRITE_ONCE", "rcu_dereference", "rcu_assign_pointer", "smp_store_mb"}
)
"""Macros whose first argument is a place, not its address."""

_OPERATORS = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^", "andnot": "&~"}
_STEPS = {"inc": "+", "dec": "-"}


def _modify(op: str, order: Order, result: Result, *, is_step: bool) -> KernelFunction:
    """`atomic_add_return(1, x)`: the value comes first; `atomic_inc_return(x)` has none."""
    return KernelFunction(
        action=Action.MODIFY,
        operands=1 if is_step else 2,
        order=order,
        op=op,
        result=result,
        target=0 if is_step else 1,
        value=None if is_step else 0,
    )


def _atomics(prefix: str) -> dict[str, KernelFunction]:
    """The functions of `atomic_t`; those of `atomic64_t` and `atomic_long_t` differ only in the prefix."""
    found = {
        f"{prefix}read": KernelFunction(action=Action.LOAD, operands=1, tags=_tags("Once")),
        f"{prefix}read_acquire": KernelFunction(action=Action.LOAD, operands=1, tags=_tags("Acquire")),
        f"{prefix}set": KernelFunction(action=Action.STORE, operands=2, tags=_tags("Once")),
        f"{prefix}set_release": KernelFunction(action=Action.STORE, operands=2, tags=_tags("Release")),
        f"{prefix}add_unless": KernelFunction(action=Action.ADD_UNLESS, operands=3, order=_ORDERS[""]),
        f"{prefix}inc_not_zero": KernelFunction(
            action=Action.ADD_UNLESS, operands=1, order=_ORDERS[""], value=None
        ),
    }
    for name, op in (_OPERATORS | _STEPS).items():
        is_step = name in _STEPS
        found[f"{prefix}{name}"] = _modify(op, _NORETURN, Result.NOTHING, is_step=is_step)
        for suffix, order in _ORDERS.items():
            found[f"{prefix}fetch_{name}{suffix}"] = _modify(op, order, Result.OLD, is_step=is_step)
            if op in {"+", "-"}:
                found[f"{prefix}{name}_return{suffix}"] = _modify(op, order, Result.NEW, is_step=is_step)
        if op in {"+", "-"} and name != "add":
            found[f"{prefix}{name}_and_test"] = _modify(op, _ORDERS[""], Result.IS_ZERO, is_step=is_step)
    for suffix, order in _ORDERS.items():
        found[f"{prefix}add_negative{suffix}"] = _modify("+", order, Result.IS_NEGATIVE, is_step=False)
    return found | _exchanges(prefix)


def _exchanges(prefix: str) -> dict[str, KernelFunction]:
    found: dict[str, KernelFunction] = {}
    for suffix, order in _ORDERS.items():
        found[f"{prefix}xchg{suffix}"] = KernelFunction(action=Action.MODIFY, operands=2, order=order)
        found[f"{prefix}cmpxchg{suffix}"] = KernelFunction(action=Action.COMPARE, operands=3, order=order)
        found[f"{prefix}try_cmpxchg{suffix}"] = KernelFunction(
            action=Action.TRY_COMPARE, operands=3, order=order
        )
    return found


def _locks(prefix: str) -> dict[str, KernelFunction]:
    taken = Order(_tags("LKR"), _tags("LKW"))
    return {
        f"{prefix}_lock": KernelFunction(action=Action.LOCK, operands=1, order=taken),
        f"{prefix}_trylock": KernelFunction(action=Action.TRYLOCK, operands=1, order=taken),
        f"{prefix}_unlock": KernelFunction(
            action=Action.STORE, operands=1, tags=_tags("UL"), value=None, constant=0
        ),
        f"{prefix}_is_locked": KernelFunction(action=Action.LOAD, operands=1, tags=_tags("RL")),
    }


FUNCTIONS: Final[Mapping[str, KernelFunction]] = MappingProxyType(
    {name: KernelFunction(action=Action.FENCE, operands=0, tags=_tags(tag)) for name, tag in _FENCES.items()}
    | {name: KernelFunction(action=Action.LOAD, operands=1, tags=_tags(tag)) for name, tag in _LOADS.items()}
    | {
        name: KernelFunction(action=Action.STORE, operands=2, tags=_tags(tag))
        for name, tag in _STORES.items()
    }
    | {"smp_store_mb": KernelFunction(action=Action.STORE_MB, operands=2, tags=_tags("Once"))}
    | {
        name: KernelFunction(action=Action.SYNC_SRCU, operands=1, tags=_tags("Sync-srcu"))
        for name in ("synchronize_srcu", "synchronize_srcu_expedited")
    }
    | _exchanges("")
    | _locks("spin")
    | _locks("raw_spin")
    | _atomics("atomic_")
    | _atomics("atomic64_")
    | _atomics("atomic_long_")
)
"""Every function that may be called."""


def function_called(call: Call) -> KernelFunction:
    """The function that `call` means, its number of arguments checked."""
    function = FUNCTIONS.get(call.function)
    if function is None:
        raise _unknown(call)
    if len(call.arguments) != function.operands:
        plural = "" if function.operands == 1 else "s"
        expected = f"{function.operands} argument{plural}"
        raise error(
            codes.OPERAND, f"`{call.function}` takes {expected}, not {len(call.arguments)}",
            call.span, f"expected {expected}",
        )  # fmt: skip
    return function


def _unknown(call: Call) -> InputError:
    if call.function in C11_FUNCTIONS:
        return error(
            codes.UNSUPPORTED, f"`{call.function}` is a C11 function, but this is a Linux-kernel test",
            call.function_span, "expected a function of the kernel",
        )  # fmt: skip
    close = close_matches(call.function, FUNCTIONS, n=1)
    return error(
        codes.INSTRUCTION, f"unknown function `{call.function}`", call.function_span, "not known",
        help=f"did you mean `{close[0]}`?" if close else "call a function of the kernel's memory model",
    )  # fmt: skip
